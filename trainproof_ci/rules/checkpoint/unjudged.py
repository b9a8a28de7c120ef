"""Why a checkpoint, or a part of it, could not be judged."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.checkpoint.facts import Checkpoint
from trainproof_ci.readers.checkpoint.sightings import Seen
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.checkpoint.sighted import Words, fired

ONCE_MORE = "; reading it would run it, so it is not judged. Load it once and save it again"

OLD: Words = {
    Seen.BARE_PICKLE: "the checkpoint was saved as a bare pickle, not as an archive" + ONCE_MORE,
    Seen.OLD_TAR: "the checkpoint was saved in the tar format of before 2017" + ONCE_MORE,
}

UNVERIFIED: Words = {
    Seen.NO_CHECKSUMS: "every checksum is 0: the archive was written without them, so its bytes cannot be verified"
}

OTHER: Words = {
    Seen.OTHER_FORMAT: "this is {format}; its weights are not judged",
    Seen.OTHER_ARCHIVE: "this is {format}; its archive was checked, its weights were not",
    Seen.UNKNOWN_BYTES: "the format of this file is not known here",
    Seen.UNKNOWN_METHOD: "a member is compressed with method {method}, which neither torch nor this check reads",
    Seen.DIRECTORY_LARGE: "the central directory is larger than is read here",
    Seen.HEADER_LARGE: "the header is longer than is read here",
    Seen.PICKLE_ENDLESS: "data.pkl is larger than is walked here: {reason}",
    Seen.METADATA_LARGE: "the .metadata is larger than is read here",
}

ELSEWHERE: Words = {
    Seen.POINTER: "a Git LFS pointer stands in place of the checkpoint; fetch it with `lfs: true` or `git lfs pull`"
}

DEFLATED: Words = {Seen.TOO_LARGE: "a member is too large to be read within the bounds"}


@rule("TP-CKPT-LEGACY", Severity.NOT_CHECKED)
def legacy(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The checkpoint is a bare pickle (or the tar of before 2017), which can only be read by running it.

    Why: such a file has no directory and no checksums, and everything in it is code to the one who loads it.
    Fix: load it once where that is safe, and save it with a torch of 1.6 or later, or as safetensors.
    """
    yield from fired(checkpoint, OLD)


@rule("TP-CKPT-NO-CRC", Severity.NOT_CHECKED)
def no_checksums(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The archive was written without checksums, so its bytes cannot be verified.

    Why: `torch.utils.serialization.config.save.compute_crc32 = False` stores 0 for each; the structure was judged, a flipped
    bit in a weight would go unseen.
    Fix: keep the checksums, or record the file's SHA-256 in a manifest.
    """
    yield from fired(checkpoint, UNVERIFIED)


@rule("TP-CKPT-FORMAT", Severity.NOT_CHECKED)
def other_format(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The file is of a format whose weights are not judged here, or beyond what is read.

    Why: GGUF, HDF5, NumPy and Keras files are told by their first bytes and no more.
    Fix: check it with the tool of its format, or keep a safetensors copy.
    """
    yield from fired(checkpoint, OTHER)


@rule("TP-CKPT-LFS-POINTER", Severity.NOT_CHECKED)
def pointer(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A file of the checkpoint is a Git LFS pointer; its bytes are not here.

    Why: `actions/checkout` does not fetch LFS objects by default.
    Fix: `lfs: true` for the checkout step, or `git lfs pull`.
    """
    yield from fired(checkpoint, ELSEWHERE)


@rule("TP-CKPT-DEFLATED", Severity.NOT_CHECKED)
def too_much_to_inflate(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A compressed member would take more to read than the bounds allow.

    Why: a ZIP of kilobytes can hold terabytes; `torch.save` never compresses, so a large compressed member is none of its.
    Fix: save it with `torch.save`, which stores its members as they are.
    """
    yield from fired(checkpoint, DEFLATED)
