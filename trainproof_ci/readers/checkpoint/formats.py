"""Which format a file is, by its first bytes; a name only helps where bytes cannot decide."""

import os
import re

from trainproof_ci.readers.pointers import is_pointer
from trainproof_ci.readers.source import Head
from trainproof_ci.readers.suffixes import CHECKPOINTS

KNOWN_BINS = re.compile(
    r"(?:diffusion_)?(?:pytorch_model|adapter_model|optimizer|scheduler|training_args|random_states_\d+)[^/]*\.bin$"
)
"""Names of `.bin` files that only checkpoints bear; any other `.bin` is a checkpoint only if its bytes say so."""
INDEX_NAME = re.compile(r"\.(?:safetensors|bin)\.index(?:\.[\w-]+)?\.json$")
"""The index of shards; diffusers puts the variant of the weights into its name."""
HDF5_NAMES = re.compile(r"weight|model|ckpt|checkpoint|epoch|best|final|net", re.IGNORECASE)
LEGACY_MAGIC = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
ZIP_MAGIC = b"PK\x03\x04"
TORCH_MEMBERS = (
    b"/data.pkl",
    b"/version",
    b"/byteorder",
    b"/.format_version",
    b"/.data/",
    b"/data/",
    b"/constants.pkl",
    b"/code/",
)
PATH_LINE = re.compile(rb"[\w./\\:~ -]+|import [^\n]*|#[^\n]*")
_PROSE = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \t\r\n.,;:!?'\"()=-*_"

OTHERS = (
    (b"GGUF", "gguf"), (b"\x89HDF\r\n\x1a\n", "hdf5"), (b"\x93NUMPY", "numpy"), (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstandard"), (b"BZh", "bzip2"), (b"\xfd7zXZ\x00", "xz"), (b"Rar!", "rar"),
    (b"TFL3", "tflite"), (b"\x08\x01\x12", "onnx"),
)  # fmt: skip


def identify(head: Head) -> str:
    """The format by content: "torch-zip", "torch-legacy", "pickle", "safetensors", "tar", "text", "zeros", "unknown" …"""
    start = head.start
    if not head.size:
        return "empty"
    if is_pointer(head):
        return "pointer"
    if _is_safetensors(head):
        return "safetensors"
    if start.startswith(ZIP_MAGIC):
        return _zip(head)
    if start.startswith(LEGACY_MAGIC):
        return "torch-legacy"
    found = next((name for magic, name in OTHERS if start.startswith(magic)), None)
    if found == "onnx" and head.suffix in CHECKPOINTS:
        found = None
    if found is not None:
        return found
    if start[257:262] == b"ustar":
        return "tar"
    return _without_magic(head)


def _without_magic(head: Head) -> str:
    start = head.start
    if not start.strip(b"\0"):
        return "zeros"
    if _holds_torch_members(head):
        return "torch-zip"
    if start[:1] == b"\x80" and start[1:2] in {b"\x02", b"\x03", b"\x04", b"\x05"}:
        return "pickle"
    if _is_text(start):
        return "html" if start.lstrip()[:1] == b"<" else "pickle" if _is_old_pickle(start) else "text"
    return "unknown"


def _holds_torch_members(head: Head) -> bool:
    """Whether a member of a torch archive stands near the start although the file does not begin with one."""
    place = head.start.find(b"/data.pkl")
    return (
        (place > 0 and b"PK" in head.start[max(0, place - 300) : place])
        or (head.start[1:4] == b"K\x03\x04")
        or head.start[:3] == b"PK\x03"
    )


def _zip(head: Head) -> str:
    length = int.from_bytes(head.start[26:28], "little")
    first = head.start[30 : 30 + length]
    if head.suffix == ".npz" or first.endswith(b".npy"):
        return "npz"
    if head.suffix == ".keras" or first in {b"metadata.json", b"config.json", b"model.weights.h5"}:
        return "keras"
    if head.suffix in CHECKPOINTS or any(name in b"/" + first.partition(b"/")[2] for name in TORCH_MEMBERS):
        return "torch-zip"
    return "zip"


def _is_safetensors(head: Head) -> bool:
    length = int.from_bytes(head.start[:8], "little")
    if head.suffix == ".safetensors":  # its readers go by the name and refuse all else
        return True
    return (
        head.start[8:10] == b'{"'
        and 8 < length < 100_000_000
        and (b'"dtype"' in head.start or b'"__metadata__"' in head.start)
    )


def _is_text(start: bytes) -> bool:
    try:
        text = start[:4096].decode("utf-8")
    except UnicodeDecodeError as problem:
        text = start[: problem.start].decode("utf-8") if problem.start > len(start[:4096]) - 4 else "\0"
    return not any(char < " " and char not in "\t\n\r\f\x1b" for char in text)


def _is_old_pickle(start: bytes) -> bool:
    """Whether the bytes look like a pickle of protocol 0: an import or a container, and a STOP at the end."""
    return start.rstrip()[-1:] == b"." and (
        (start[:1] == b"c" and start.count(b"\n") >= 2 and b"(" in start[:200]) or start[:3] in {b"(lp", b"(dp", b"(ip"}
    )


def is_index(head: Head) -> bool:
    """Whether a file is the index of shards: by a name that only such a file bears, or by the weight map that it holds."""
    if INDEX_NAME.search(head.name) is not None:
        return True
    return head.name.endswith(".index.json") and b'"weight_map"' in head.start


def recognise(head: Head) -> str | None:
    """The name of the checkpoint format of a file met while walking, or None when it is not one."""
    if is_index(head):
        return "hf-index"
    if head.suffix == ".distcp" or (head.name == ".metadata" and _is_distributed(head)):
        return "torch-dcp"
    found = identify(head)
    if found in {"torch-zip", "torch-legacy", "safetensors", "gguf"}:
        return found
    if found == "hdf5" and HDF5_NAMES.search(head.name):
        return found
    if found == "keras" and head.suffix == ".keras":
        return found
    if head.suffix in CHECKPOINTS:
        return None if found in {"text", "unknown"} and _is_something_else(head) else found
    if KNOWN_BINS.match(head.name):
        return found
    return "pointer" if found == "pointer" and head.suffix == ".bin" else None


def _is_distributed(head: Head) -> bool:
    """Whether a `.metadata` is one of torch: by the pieces beside it, or by its own class where all of them are lost."""
    beside = any(name.endswith(".distcp") for name in _names_beside(head))
    return beside or b"torch.distributed.checkpoint.metadata" in head.start


def _names_beside(head: Head) -> list[str]:
    try:
        return os.listdir(os.path.dirname(head.path) or ".")
    except OSError:
        return []


def _is_something_else(head: Head) -> bool:
    """Whether a text with a checkpoint's suffix is something in Portuguese, or a list of Python paths."""
    stem, suffix = os.path.splitext(head.name)
    if suffix == ".pt" and _is_document(head.start):
        return True
    if suffix == ".pth":
        lines = [line.rstrip(b"\r") for line in head.start[:8192].split(b"\n") if line.strip()]
        return bool(lines) and all(PATH_LINE.fullmatch(line) for line in lines[:50])
    halves = re.compile(re.escape(stem) + r"\.(?!py|md|txt|csv|log|yml|sh)[a-z]{2,3}")
    return suffix == ".pt" and any(halves.fullmatch(name) and name != head.name for name in _names_beside(head))


def _is_document(start: bytes) -> bool:
    """Whether this is prose of several lines, in any encoding that extends ASCII; what a server answers is short or markup."""
    return (
        start.count(b"\n") >= 3
        and start.lstrip()[:1] not in {b"<", b"{", b"["}
        and len(start.translate(None, _PROSE)) * 4 < len(start)
        and not start.translate(None, bytes(range(32, 256)) + b"\t\n\r\f")
    )
