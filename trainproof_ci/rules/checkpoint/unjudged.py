"""Why a checkpoint, or a part of it, could not be judged."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.checkpoint.facts import Checkpoint
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.checkpoint.archive import fired


@rule("TP-CKPT-LEGACY", Severity.NOT_CHECKED)
def legacy(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The checkpoint is a bare pickle (or the tar of before 2017), which can only be read by running it.

    Why: such a file has no directory and no checksums, and everything in it is code to the one who loads it.
    Fix: load it once where that is safe, and save it with a torch of 1.6 or later, or as safetensors.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-LEGACY")


@rule("TP-CKPT-NO-CRC", Severity.NOT_CHECKED)
def no_checksums(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The archive was written without checksums, so its bytes cannot be verified.

    Why: `torch.utils.serialization.config.save.compute_crc32 = False` stores 0 for each; the structure was judged, a flipped
    bit in a weight would go unseen.
    Fix: keep the checksums, or record the file's SHA-256 in a manifest.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-NO-CRC")


@rule("TP-CKPT-FORMAT", Severity.NOT_CHECKED)
def other_format(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The file is of a format whose weights are not judged here, or beyond what is read.

    Why: GGUF, HDF5, NumPy and Keras files are told by their first bytes and no more.
    Fix: check it with the tool of its format, or keep a safetensors copy.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-FORMAT")


@rule("TP-CKPT-LFS-POINTER", Severity.NOT_CHECKED)
def pointer(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A file of the checkpoint is a Git LFS pointer; its bytes are not here.

    Why: `actions/checkout` does not fetch LFS objects by default.
    Fix: `lfs: true` for the checkout step, or `git lfs pull`.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-LFS-POINTER")


@rule("TP-CKPT-DEFLATED", Severity.NOT_CHECKED)
def too_much_to_inflate(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A compressed member would take more to read than the bounds allow.

    Why: a ZIP of kilobytes can hold terabytes; `torch.save` never compresses, so a large compressed member is none of its.
    Fix: save it with `torch.save`, which stores its members as they are.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-DEFLATED")
