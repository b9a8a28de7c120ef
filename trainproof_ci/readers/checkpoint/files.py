"""Reads one file of a checkpoint: by its format, or with the reason why it is only named."""

from trainproof_ci.readers.checkpoint import safetensors, torch_zip
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.facts import CheckpointFile
from trainproof_ci.readers.checkpoint.formats import identify
from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.readers.checkpoint.zip_crc import check_all
from trainproof_ci.readers.pointers import lfs_object
from trainproof_ci.readers.source import Head, Source

NAMES = {
    "gguf": "a GGUF file", "hdf5": "an HDF5 file", "numpy": "a NumPy array", "npz": "a NumPy archive", "keras": "a Keras archive",
    "7z": "a 7z archive", "gzip": "gzip data", "zstandard": "Zstandard data", "bzip2": "bzip2 data", "xz": "xz data",
    "rar": "a RAR archive", "tflite": "a TensorFlow Lite model", "onnx": "an ONNX model",
}  # fmt: skip
"""Formats whose weights are not read."""
WITHOUT_WEIGHTS = {
    "empty": "the file is empty",
    "pointer": "a Git LFS pointer stands in place of the file",
    **dict.fromkeys(("pickle", "torch-legacy", "tar"), "a bare pickle is only read by running it"),
}


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
        return facts._replace(sightings=(_only_named(head, found),), why_not=_why_not(found))


def _why_not(found: str) -> str:
    """Why there are no weights to look at in a file of which only the format is told."""
    if found in NAMES:
        return f"the weights of {NAMES[found]} are not read"
    return WITHOUT_WEIGHTS.get(found, "the file is no checkpoint")


def _only_named(head: Head, found: str) -> Sighting:
    """What can be told of a file whose content is not read."""
    if found == "empty":
        return Sighting(Seen.NO_BYTES, "0 bytes", "a checkpoint", 0)
    if found == "pointer":
        promised = lfs_object(head)
        size = f"{promised[1]} bytes" if promised else "a checkpoint"
        return Sighting(Seen.POINTER, f"{head.size} bytes of pointer", size, 0)
    if found in {"torch-legacy", "pickle", "tar"}:
        return Sighting(Seen.OLD_TAR if found == "tar" else Seen.BARE_PICKLE, found, "an archive", 0)
    if found in NAMES:
        return Sighting(Seen.OTHER_FORMAT, found, "torch or safetensors", 0, told={"format": NAMES[found]})
    return _no_checkpoint(head, found)


NO_CHECKPOINTS = {
    "zeros": (Seen.ZEROS, "zeros"),
    "html": (Seen.MARKUP, "markup"),
    "text": (Seen.TEXT, "text"),
}


def _no_checkpoint(head: Head, found: str) -> Sighting:
    if head.whole and b"PK\x03\x04".startswith(head.start):
        return Sighting(Seen.FIRST_BYTES_ONLY, f"{head.size} bytes", "a checkpoint", head.size)
    if found in NO_CHECKPOINTS:
        what, content = NO_CHECKPOINTS[found]
        return Sighting(what, f"{head.size} bytes of {content}", "a checkpoint", 0)
    first = f"first bytes {head.start[:4].hex()}"
    if head.suffix in {".pt", ".pth"}:
        return Sighting(Seen.NO_TORCH_BYTES, first, "a checkpoint", 0)
    return Sighting(Seen.UNKNOWN_BYTES, first, "torch or safetensors", 0)


def _other_zip(facts: CheckpointFile, at: BytesAt, deadline: float) -> CheckpointFile:
    """An archive of another library: whole and unaltered is all that is asked of it."""
    try:
        archive = torch_zip.open_archive(at, rooted=False)
    except Broken as damage:
        return facts._replace(sightings=(damage.sighting,))
    checked = check_all(at, archive.ordered, deadline)
    unread = [member.problem for member in archive.ordered if member.problem is not None]
    told = {"format": NAMES[facts.format]}
    named = Sighting(Seen.OTHER_ARCHIVE, facts.format, "torch or safetensors", 0, told=told)
    return facts._replace(
        sightings=(*archive.sightings, *unread, *checked.sightings, named),
        checksums=checked.said,
        why_not=_why_not(facts.format),
    )
