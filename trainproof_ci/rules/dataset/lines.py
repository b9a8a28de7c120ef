"""The physical lines of a dataset: blank, cut, too long, ended in several ways."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired


@rule("TP-LINE-BLANK", Severity.FAIL, needs=("lines",))
def blank_line(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A blank line.

    Why: a reader that parses line by line raises there; others skip it in silence, and record numbers shift. At the
    end of the file, or in a CSV, it is only a warning.
    Fix: remove the line.
    """
    severity = Severity.WARN if data.format in {"csv", "tsv"} else None
    yield from fired(data, "blank-inside", "a blank line stands between records", "{n} blank lines", "0", severity)
    yield from fired(data, "blank-end", "blank lines follow the last record", "{n} blank lines", "0", Severity.WARN)


@rule("TP-LINE-TRUNCATED", Severity.FAIL, needs=("lines",))
def cut_line(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The last line stops in the middle of a record.

    Why: an upload, a download or a disk ended too early; how much is missing after it nobody knows.
    Fix: fetch or write the whole file again.
    """
    yield from fired(
        data,
        "truncated",
        "the last line is cut: its record never ends",
        "{first}",
        "a whole record and a line feed",
    )


@rule("TP-LINE-CR", Severity.FAIL, needs=("text",))
def lone_cr(data: Survey, limits: Limits) -> Iterator[Firing]:
    r"""Lines end in a lone carriage return.

    Why: readers that split on line feeds see one line that holds many records.
    Fix: convert the line ends, for example with `tr '\r' '\n'`.
    """
    yield from fired(data, "cr", "records are separated by a lone carriage return", "{n} lines", "line feeds")


@rule("TP-LINE-NO-EOL", Severity.WARN, needs=("text",))
def no_final_newline(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The last line has no line feed.

    Why: appending glues the next record to it, and `wc -l` counts one record too few.
    Fix: end the file with a line feed.
    Stands down: when the last line is cut or lines end in CR alone, which is the cause then.
    """
    if any(data.sighted(name) is not None for name in ("truncated", "nul", "cr")):
        raise StandDown("the end of the file is damaged, which another finding says")
    yield from fired(
        data, "no-eol", "the file does not end in a line feed", "0 bytes after the last record", "a line feed"
    )


@rule("TP-LINE-MIXED-EOL", Severity.WARN, needs=("lines",))
def mixed_ends(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Some lines end in CRLF and some in LF.

    Why: digests and diffs differ from checkout to checkout, and tools that split on one of them glue records.
    Fix: settle it with `* text eol=lf` in `.gitattributes` and write the file again.
    """
    yield from fired(data, "mixed-eol", "line ends are mixed", "{first}", "one kind of line end")


@rule("TP-LINE-LONG", Severity.WARN, needs=("text",))
def long_line(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A line is longer than 1 MiB.

    Why: Arrow reads JSON in blocks of 1 MiB by default and fails on a record that straddles two. A line of more than
    80 MiB is not judged at all.
    Fix: split the record, or raise the block size of the reader.
    """
    yield from fired(
        data, "long", "a line is longer than Arrow's default block", "{first} in the first of {n}", "≤ 1048576 bytes"
    )
    yield from fired(
        data, "too-long", "a line is too long to be judged", "{first}", "≤ 83886080 bytes", Severity.NOT_CHECKED
    )
