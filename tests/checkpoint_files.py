"""Makes checkpoints without torch: archives member by member, so that every part of one can be wrong."""

import io
import json
import math
import pickle
import struct
import warnings
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

STORAGES = {"f": "FloatStorage", "d": "DoubleStorage", "e": "HalfStorage", "q": "LongStorage"}


def _text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def _plain(value: Any) -> bytes:
    return pickle.dumps(value, 2)[2:-1]


def _sizes(sizes: Sequence[int]) -> bytes:
    return b"(" + b"".join(b"J" + struct.pack("<i", size) for size in sizes) + b"t"


def _strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[index + 1 :]) for index in range(len(shape))]


def _tensor(key: int, shape: Sequence[int], numel: int, kind: str = "f") -> bytes:
    storage = b"(" + _text("storage") + f"ctorch\n{STORAGES[kind]}\n".encode() + _text(str(key)) + _text("cpu")
    storage += b"J" + struct.pack("<i", numel) + b"tQ"
    rest = b"K\x00" + _sizes(shape) + _sizes(_strides(shape)) + b"\x89ccollections\nOrderedDict\n)R"
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + rest + b"tR"


def _dictionary(tensors: Mapping[str, Mapping[str, Any]], plain: Mapping[str, Any], imports: str | None) -> bytes:
    items = []
    for key, (name, tensor) in enumerate(tensors.items()):
        numel = tensor.get("storage", math.prod(tensor["shape"]))
        items.append(_text(name) + _tensor(key, tensor["shape"], numel, tensor.get("kind", "f")))
    items += [_text(name) + _plain(value) for name, value in plain.items()]
    if imports:
        module, name = imports.rsplit(".", 1)
        items.append(_text("made") + f"c{module}\n{name}\n".encode() + _text("x") + b"\x85R")
    return b"}(" + b"".join(items) + b"u"


def _values(tensor: Mapping[str, Any]) -> bytes:
    numel = math.prod(tensor["shape"])
    values = tensor.get("values") or [tensor.get("fill", 0.5)] * numel
    return struct.pack(
        f"<{numel}{tensor.get('kind', 'f')}",
        *[float(value) if tensor.get("kind", "f") != "q" else int(value) for value in values],
    )


def checkpoint(
    tensors: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    plain: Mapping[str, Any] | None = None,
    imports: str | None = None,
    members: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    again: Sequence[str] = (),
    flip: str | None = None,
    crc: bool = True,
    method: int = 0,
    tail: int = 0,
    keep: float = 1.0,
    copies: int = 1,
) -> bytes:
    """A checkpoint as `torch.save` lays it out, with the faults asked for.

    `members` adds or replaces members by name, `without` leaves some out, `again` writes some twice, `flip` flips a
    bit in the bytes of one, `tail` appends bytes, `keep` keeps only that part of the file,
    `copies` appends the file to itself.
    """
    tensors = {"layer.weight": {"shape": [4, 4]}} if tensors is None else tensors
    content = {"data.pkl": b"\x80\x02" + _dictionary(tensors, plain or {}, imports) + b".", "byteorder": b"little"}
    content |= {f"data/{key}": _values(tensor) for key, tensor in enumerate(tensors.values())}
    content |= {"version": b"3\n"} | {name: text.encode() for name, text in (members or {}).items()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # two members of one name are meant
        names = [name for name in content if name not in without]
        for name in [*names, *again]:
            archive.writestr(
                zipfile.ZipInfo(f"archive/{name}" if not name.startswith("/") else name), content[name], method
            )
    data = bytearray(out.getvalue())
    if flip:
        data[data.find(content[flip]) + 2] ^= 0x40
    if not crc:
        for start in _records(data):
            data[start : start + 4] = bytes(4)
    return bytes((data + bytes(tail))[: int((len(data) + tail) * keep)]) * copies


def _records(data: bytearray) -> list[int]:
    """The offsets of every checksum in the headers, local and central."""
    found = [place for place in range(len(data)) if data[place : place + 4] in (b"PK\x01\x02", b"PK\x03\x04")]
    return [place + (16 if data[place + 2] == 1 else 14) for place in found]


def safetensors(
    tensors: Mapping[str, Mapping[str, Any]] | None = None,
    extra: int = 0,
    keep: float = 1.0,
    shape: Sequence[int] | None = None,
) -> bytes:
    """A safetensors file; `extra` bytes follow the last tensor, `shape` replaces the first one's in the header."""
    tensors = {"layer.weight": {"shape": [4, 4]}} if tensors is None else tensors
    header: dict[str, Any] = {}
    body = b""
    for name, tensor in tensors.items():
        values = _values(tensor)
        header[name] = {"dtype": "F32", "shape": tensor["shape"], "data_offsets": [len(body), len(body) + len(values)]}
        body += values
    if shape is not None:
        header[next(iter(header))]["shape"] = list(shape)
    text = json.dumps(header).encode()
    data = struct.pack("<Q", len(text)) + text + body + bytes(extra)
    return data[: int(len(data) * keep)]


def bomb(megabytes: int = 300) -> bytes:
    """A small archive with a member that inflates to many megabytes of zeros."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02}.")
        archive.writestr("archive/version", b"3\n")
        with archive.open("archive/data/0", "w") as member:
            for _ in range(megabytes):
                member.write(bytes(1 << 20))
    return out.getvalue()


def zeros(count: int) -> bytes:
    """`count` zero bytes."""
    return bytes(count)


def tokenizer(**settings: Any) -> bytes:
    """A tokenizer_config.json, a key a line from line 2; a token given as "absent" is left out."""
    whole = {"eos_token": "</s>", "pad_token": "<pad>", **settings}
    kept = {key: value for key, value in whole.items() if value != "absent"}
    return json.dumps(kept, indent=1).encode()
