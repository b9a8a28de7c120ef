"""Reads one file of a checkpoint: by its format, or with the reason why it is only named."""

from trainproof_ci.readers.checkpoint import safetensors, torch_zip
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.facts import Broken, CheckpointFile, Fault
from trainproof_ci.readers.checkpoint.formats import identify
from trainproof_ci.readers.checkpoint.zip_crc import check_all
from trainproof_ci.readers.pointers import lfs_object
from trainproof_ci.readers.source import Head, Source

NAMES = {
    "gguf": "a GGUF file", "hdf5": "an HDF5 file", "numpy": "a NumPy array", "npz": "a NumPy archive", "keras": "a Keras archive",
    "7z": "a 7z archive", "gzip": "gzip data", "zstandard": "Zstandard data", "bzip2": "bzip2 data", "xz": "xz data",
    "rar": "a RAR archive", "tflite": "a TensorFlow Lite model", "onnx": "an ONNX model",
}  # fmt: skip


def read_file(path: str, *, deep: bool, deadline: float, checksums: bool = True) -> CheckpointFile:
    """The facts of the checkpoint file at `path`. Raises `Unreadable` when it cannot be opened or changes meanwhile."""
    head = Head.of(path)
    found = identify(head)
    with Source(path) as source:
        at = BytesAt(source.file, source.size)
        if found in {"torch-zip", "zip"}:
            return torch_zip.read(path, at, deep=deep, deadline=deadline, checksums=checksums)
        if found == "safetensors" and at.size:
            return safetensors.read(path, at, deep=deep, deadline=deadline)
        facts = CheckpointFile(path, found, at.size)
        if found in {"npz", "keras"}:
            return _other_zip(facts, at, deadline)
        fault = _only_named(head, found)
        return facts._replace(faults=(fault,), why_not=fault.message)


def _only_named(head: Head, found: str) -> Fault:
    """Why nothing but the format of the file can be told."""
    if found == "empty":
        return Fault(
            "TP-CKPT-EMPTY", "the checkpoint is empty: it was created and never written", "0 bytes", "a checkpoint", 0
        )
    if found == "pointer":
        promised = lfs_object(head)
        size = f"{promised[1]} bytes" if promised else "a checkpoint"
        return Fault(
            "TP-CKPT-LFS-POINTER",
            "a Git LFS pointer stands in place of the checkpoint; fetch it with `lfs: true` or `git lfs pull`",
            f"{head.size} bytes of pointer",
            size,
            0,
        )
    if found in {"torch-legacy", "pickle", "tar"}:
        how = "in the tar format of before 2017" if found == "tar" else "as a bare pickle, not as an archive"
        return Fault(
            "TP-CKPT-LEGACY",
            f"the checkpoint was saved {how}; reading it would run it, so it is not judged. Load it once and save it again",
            found,
            "an archive",
            0,
        )
    if found in NAMES:
        return Fault(
            "TP-CKPT-FORMAT", f"this is {NAMES[found]}; its weights are not judged", found, "torch or safetensors", 0
        )
    return _no_checkpoint(head, found)


NO_CHECKPOINTS = {
    "zeros": ("TRUNCATED", "the file begins with zeros only: space was set aside and the save never wrote it", "zeros"),
    "html": ("UNREADABLE", "this is an HTML or XML page, saved under the name of a checkpoint", "markup"),
    "text": ("UNREADABLE", "this is text, not a checkpoint", "text"),
}


def _no_checkpoint(head: Head, found: str) -> Fault:
    if head.whole and b"PK\x03\x04".startswith(head.start):
        cut = "the file ends after its first bytes: the save was cut short"
        return Fault("TP-CKPT-TRUNCATED", cut, f"{head.size} bytes", "a checkpoint", head.size)
    if found in NO_CHECKPOINTS:
        rule, what, content = NO_CHECKPOINTS[found]
        return Fault(f"TP-CKPT-{rule}", what, f"{head.size} bytes of {content}", "a checkpoint", 0)
    first = f"first bytes {head.start[:4].hex()}"
    if head.suffix in {".pt", ".pth"}:
        what = "the file begins like no checkpoint: torch would refuse it"
        return Fault("TP-CKPT-UNREADABLE", what, first, "a checkpoint", 0)
    return Fault("TP-CKPT-FORMAT", "the format of this file is not known here", first, "torch or safetensors", 0)


def _other_zip(facts: CheckpointFile, at: BytesAt, deadline: float) -> CheckpointFile:
    """An archive of another library: whole and unaltered is all that is asked of it."""
    try:
        archive = torch_zip.open_archive(at, rooted=False)
    except Broken as damage:
        return facts._replace(faults=(damage.fault,))
    checked = check_all(at, archive.ordered, deadline)
    unread = [member.problem for member in archive.ordered if member.problem is not None]
    named = Fault(
        "TP-CKPT-FORMAT",
        f"this is {NAMES[facts.format]}; its archive was checked, its weights were not",
        facts.format,
        "torch or safetensors",
        0,
    )
    return facts._replace(
        faults=(*archive.faults, *unread, *checked.faults, named), checksums=checked.said, why_not=named.message
    )
