"""Why a file could not be judged, whatever its kind. Readers and discovery raise these by id."""

from trainproof_ci.model import Severity
from trainproof_ci.registry import reason

NOT_FOUND = reason(
    "TP-FILE-NOT-FOUND",
    Severity.NOT_CHECKED,
    """A path, pattern or configuration entry matched nothing.

    Why: a check that looked at no file has not passed; a renamed folder must not turn a red check green.
    Fix: correct the path, or remove the entry.
    """,
)
UNREADABLE = reason(
    "TP-FILE-UNREADABLE",
    Severity.NOT_CHECKED,
    """The bytes could not be turned into facts.

    Why: permissions, a device error, or a format that breaks off before anything can be said.
    Fix: the message names the place; make the file readable and run again.
    """,
)
UNSUPPORTED = reason(
    "TP-FILE-UNSUPPORTED",
    Severity.NOT_CHECKED,
    """The file is none of the formats that can be judged, or needs an extra that is not installed.

    Why: named on purpose, it must not be passed over in silence.
    Fix: the message says what the file looked like, or what to install; `--kind` forces a reading.
    """,
)
OUTSIDE = reason(
    "TP-FILE-OUTSIDE",
    Severity.NOT_CHECKED,
    """The path leads out of the working directory, or is no regular file.

    Why: a pull request chooses its symbolic links; a check must not read what the checkout does not hold.
    Fix: commit the file itself, or run the check in the folder that holds it.
    """,
)
CHANGED = reason(
    "TP-FILE-CHANGED-WHILE-READ",
    Severity.NOT_CHECKED,
    """The file was written to while it was read.

    Why: a verdict about a mixture of two files is about neither.
    Fix: check a finished file, or a copy.
    """,
)
CRASHED = reason(
    "TP-FILE-CRASHED",
    Severity.NOT_CHECKED,
    """The checker itself broke on this file; the other files were judged.

    Why: a defect here says nothing about the file, so it is neither a pass nor a failure of it.
    Fix: please report it with the message, which names the error and the place in the code, never the content.
    """,
)
DEADLINE = reason(
    "TP-FILE-DEADLINE",
    Severity.NOT_CHECKED,
    """Judging the file took longer than its deadline.

    Why: a file built to be slow must not hold a runner.
    Fix: raise `--deadline`, or split the file.
    """,
)
LFS_POINTER = reason(
    "TP-FILE-LFS-POINTER",
    Severity.NOT_CHECKED,
    """A Git LFS pointer stands in place of the file; its bytes are not here.

    Why: `actions/checkout` does not fetch LFS objects by default, and a pointer says nothing of the data.
    Fix: `lfs: true` for the checkout step, or `git lfs pull`.
    """,
)
LFS_COMMITTED = reason(
    "TP-FILE-LFS-COMMITTED",
    Severity.FAIL,
    """A Git LFS pointer was committed as if it were the data.

    Why: `.gitattributes` does not track the path (or the pointer is malformed), so no checkout will ever bring the
    bytes: whoever trains on it trains on three lines of text.
    Fix: track the path (`git lfs track`) and add the real file again.
    Stands down: without any `.gitattributes` it is TP-FILE-LFS-POINTER.
    """,
)
DVC_POINTER = reason(
    "TP-FILE-DVC-POINTER",
    Severity.NOT_CHECKED,
    """Only the DVC pointer of the file is here, not its bytes.

    Fix: `dvc pull` before the check.
    """,
)
