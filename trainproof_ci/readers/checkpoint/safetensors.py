"""A `.safetensors` file by its own specification: header, no hole, no overlap, shape times type equals bytes, the end."""

import json
from collections.abc import Mapping

from trainproof_ci.places import safe_key
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.dtypes import BITS, SAFETENSORS
from trainproof_ci.readers.checkpoint.facts import CheckpointFile, Span, Tensor
from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.typed import Any

LONGEST_HEADER = 100_000_000
"""The specification's own bound."""
LONGEST_READ = 48 << 20
"""A longer header would take more memory to read than a check may; none of this length has been seen."""
WORD = 1 << 64


class _Doubled(Exception):  # noqa: N818 - a state of the header
    """A name stands twice in one object."""


def read(path: str, at: BytesAt, *, deep: bool, deadline: float) -> CheckpointFile:
    """The facts of the safetensors file in `at`."""
    facts = CheckpointFile(path, "safetensors", at.size)
    try:
        length, header = _header(at)
        tensors, spans, used = _tensors(header, 8 + length)
    except Broken as damage:
        return facts._replace(sightings=(damage.sighting,))
    facts = facts._replace(tensors=tensors, spans=spans)
    held = at.size - 8 - length
    if held != used:
        what = Seen.TENSORS_CUT if held < used else Seen.BYTES_BEHIND
        return facts._replace(sightings=(Sighting(what, f"{held} bytes of tensors", f"{used} bytes", at.size),))
    from trainproof_ci.readers.checkpoint.weights import look_at  # a damaged file needs none of it

    return facts._replace(weights=look_at(at, tensors, spans, deep=deep, deadline=deadline), why_not="")


def _header(at: BytesAt) -> tuple[int, Mapping[str, Any]]:
    if at.size < 8:
        raise _broken(Seen.LENGTH_CUT, f"{at.size} bytes", "8 bytes", 0)
    length = int.from_bytes(at.read(0, 8), "little")
    if length > LONGEST_HEADER:
        raise _broken(Seen.LENGTH_RANGE, f"{length}", f"at most {LONGEST_HEADER}", 0)
    if 8 + length > at.size:
        raise _broken(Seen.HEADER_CUT, f"{at.size} bytes", f"{8 + length} bytes", at.size)
    if length > LONGEST_READ:
        raise _broken(Seen.HEADER_LARGE, f"{length} bytes", f"{LONGEST_READ} bytes")
    try:
        header = json.loads(at.read(8, length).decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
        json.dumps(header, ensure_ascii=False).encode("utf-8")  # a lone surrogate is no text
    except _Doubled:
        raise _broken(Seen.NAME_TWICE, "2 of one name", "1") from None
    except (ValueError, RecursionError) as problem:
        raise _broken(Seen.HEADER_NO_JSON, type(problem).__name__, "JSON in UTF-8") from None
    if not isinstance(header, dict):
        raise _broken(Seen.HEADER_NO_OBJECT, type(header).__name__, "an object")
    metadata = header.pop("__metadata__", None)
    texts = metadata is None or (
        isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values())
    )
    if not texts:
        raise _broken(Seen.HEADER_METADATA, type(metadata).__name__, "texts")
    return length, header


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Doubled
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(text)


def _tensors(header: Mapping[str, Any], start: int) -> tuple[tuple[Tensor, ...], dict[str, Span], int]:
    """The tensors, where their bytes are, and how many bytes they take together. Raises `Broken`."""
    read_ = [(_offsets(entry), name, entry) for name, entry in header.items()]
    read_.sort(key=lambda each: each[0])
    tensors: list[Tensor] = []
    spans: dict[str, Span] = {}
    reached = 0
    for (begin, end), name, entry in read_:
        if begin != reached or end < begin:
            what = Seen.TENSORS_OVERLAP if begin < reached else Seen.TENSORS_APART
            raise _broken(what, f"a tensor from {begin} to {end}", f"from {reached}")
        reached = end
        dtype, shape = _type(entry), _shape(entry)
        bits = BITS[dtype] * _product(shape)
        if dtype == "float6":
            bits = 6 * _product(shape)
        if bits % 8 or bits // 8 != end - begin:
            raise _broken(Seen.TENSOR_SIZE, f"{end - begin} bytes", f"{bits // 8} bytes")
        shown = ".".join(safe_key(part) for part in name.split("."))
        tensors.append(Tensor(shown, dtype, shape, _contiguous(shape), 0, name))
        spans[name] = Span(start + begin, end - begin, dtype)
    return tuple(tensors), spans, reached


def _offsets(entry: Any) -> tuple[int, int]:
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(_is_size(value) for value in offsets):
        raise _broken(Seen.NO_OFFSETS, "no pair of sizes", "two sizes")
    return offsets[0], offsets[1]


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < WORD


def _type(entry: Mapping[str, Any]) -> str:
    dtype = entry.get("dtype")
    if not isinstance(dtype, str) or dtype not in SAFETENSORS:
        raise _broken(Seen.UNKNOWN_TYPE, "an unknown type", "a known type")
    return SAFETENSORS[dtype]


def _shape(entry: Mapping[str, Any]) -> tuple[int, ...]:
    shape = entry.get("shape")
    if not isinstance(shape, list) or not all(_is_size(value) for value in shape):
        raise _broken(Seen.NO_SHAPE, "no list of sizes", "a list of sizes")
    return tuple(shape)


def _product(shape: tuple[int, ...]) -> int:
    product = 1
    for size in shape:
        product *= size
        if product >= WORD:
            raise _broken(Seen.SHAPE_OVERFLOWS, f"more than {WORD} elements", "64 bits")
    return product


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def _broken(what: Seen, measured: str, wanted: str, offset: int = 8) -> Broken:
    return Broken(Sighting(what, measured, wanted, offset))
