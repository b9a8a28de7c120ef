"""Looks at weights as bytes: counts NaN and infinities, finds all-zero matrices. No numpy, no floats made.

A float is NaN or infinite when all bits of its exponent are set, and its top byte shows most of the exponent. So a
slice of every top byte, searched for the two values that can belong to such a float, clears a block at the speed of
`memchr`; only a block with a suspect is looked at more closely.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.dtypes import BITS, FLOATS
from trainproof_ci.readers.checkpoint.facts import BadWeight, Span, Tensor, Weights
from trainproof_ci.readers.checkpoint.zip_crc import past
from trainproof_ci.typed import NamedTuple

BLOCK = 1 << 20
BOUND = 256 << 20
"""Bytes that are looked at unless `--deep` asks for all."""
MOST_STRIDED = 1 << 19
"""Elements of a tensor that is no plain run of its storage which are visited one by one."""
FURTHEST_STRIDED = 64 << 20
OBSERVED = frozenset({"min_val", "max_val", "min_vals", "max_vals"})
"""Buffers of quantization observers: infinite until the first batch was seen."""
MASKS = ("mask", "alibi", "causal")
"""What stands in the names of buffers that are added to attention scores."""


class Layout(NamedTuple):
    """How a float type is laid out: its bytes, the exponent bits of the top byte, those of the one below.

    `only` is the byte that alone is NaN in a type of one byte without infinity; `zero` whether the type has a 0.
    """

    width: int
    top: int = 0
    below: int = 0
    infinity: bool = True
    only: int | None = None
    zero: bool = True


LAYOUTS = {
    "float64": Layout(8, 0x7F, 0xF0), "float32": Layout(4, 0x7F, 0x80), "bfloat16": Layout(2, 0x7F, 0x80),
    "float16": Layout(2, 0x7C, 0), "float8_e5m2": Layout(1, 0x7C, 0), "float8_e4m3fn": Layout(1, 0x7F, 0, infinity=False),
    "float8_e4m3fnuz": Layout(1, only=0x80), "float8_e5m2fnuz": Layout(1, only=0x80),
    "float8_e8m0fnu": Layout(1, only=0xFF, zero=False),
    "complex64": Layout(4, 0x7F, 0x80), "complex128": Layout(8, 0x7F, 0xF0), "complex32": Layout(2, 0x7C, 0),
}  # fmt: skip


class Count(NamedTuple):
    """NaN and infinite floats of a run of bytes."""

    nan: int = 0
    infinite: int = 0


@lru_cache(maxsize=64)
def _table(mask: int, wanted: int) -> bytes:
    return bytes(1 if value & mask == wanted else 0 for value in range(256))


def _flags(data: bytes, mask: int, wanted: int) -> int:
    """A number with a byte of 1 for every byte of `data` that is `wanted` under `mask`."""
    return int.from_bytes(data.translate(_table(mask, wanted)), "little")


def count(data: bytes, layout: Layout, *, big_endian: bool = False) -> Count:
    """The NaN and infinities in `data`, a whole number of floats of `layout`."""
    if layout.only is not None:
        return Count(data.count(layout.only))
    order = range(layout.width) if big_endian else range(layout.width - 1, -1, -1)
    top = data[order[0] :: layout.width] if layout.width > 1 else data
    if not any(suspect in top for suspect in _suspects(layout.top)):
        return Count()
    exponent = _flags(top, layout.top, layout.top)
    if layout.below:
        exponent &= _flags(data[order[1] :: layout.width], layout.below, layout.below)
    if not layout.infinity:
        return Count(exponent.bit_count(), 0)
    zero = exponent
    for index, place in enumerate(order):
        fraction = 0xFF & ~(layout.top | 0x80) if index == 0 else 0xFF & ~layout.below if index == 1 else 0xFF
        if fraction:
            zero &= _flags(data[place :: layout.width], fraction, 0)
    return Count((exponent ^ zero).bit_count(), zero.bit_count())


def _suspects(top: int) -> tuple[int, ...]:
    return tuple(value for value in range(256) if value & top == top)


def all_zero(data: bytes, layout: Layout, *, big_endian: bool = False) -> bool:
    """Whether every float in `data` is 0 or -0."""
    if not data.strip(b"\0"):
        return layout.zero
    if layout.only is not None or data.translate(None, b"\0\x80"):
        return False
    sign = 0 if big_endian else layout.width - 1
    return data[sign :: layout.width].count(b"\x80") == data.count(b"\x80")


def look_at(
    at: BytesAt, tensors: Sequence[Tensor], spans: Mapping[str, Span], *, deep: bool, deadline: float
) -> Weights:
    """What the weights are worth. Without `deep` at most `BOUND` bytes are read, a fair share of every storage."""
    storages = {key: span for key, span in spans.items() if span.dtype in LAYOUTS or _viewed(key, tensors)}
    shares = _shares(storages, None if deep else BOUND)
    total, scanned, suspect = 0, 0, set()
    for key, span in storages.items():
        layout = (
            LAYOUTS.get(span.dtype)
            or LAYOUTS[next(t.dtype for t in tensors if t.storage == key and t.dtype in LAYOUTS)]
        )
        total += span.size
        scanned += shares[key]
        if any(sum(found) for found in _counts(at, span, 0, shares[key], layout, deadline)):
            suspect.add(key)
    bad, considered = [], 0
    for tensor in tensors:
        if tensor.section == "other" or tensor.dtype not in LAYOUTS or tensor.storage not in storages:
            continue
        considered += 1
        if tensor.storage in suspect:
            found = _of_tensor(at, tensor, spans[tensor.storage], shares[tensor.storage], deadline)
            if found.nan or (found.infinite and not _infinite_by_design(at, found, deadline)):
                bad.append(found)
    dead = tuple(tensor for tensor in tensors if _is_dead(at, tensor, spans, deep, deadline))
    return Weights(scanned, total, tuple(bad), dead, considered)


def _viewed(key: str, tensors: Iterable[Tensor]) -> bool:
    """Whether an untyped storage holds a tensor of a float type."""
    return any(tensor.storage == key and tensor.dtype in LAYOUTS for tensor in tensors)


def _shares(storages: Mapping[str, Span], bound: int | None) -> dict[str, int]:
    """How many bytes of each storage to look at: all of the small ones, and an equal part of the others."""
    left = bound if bound is not None else sum(span.size for span in storages.values())
    shares: dict[str, int] = {}
    ordered = sorted(storages, key=lambda key: storages[key].size)
    for index, key in enumerate(ordered):
        share = min(storages[key].size, max(left // (len(ordered) - index), BLOCK >> 4)) if left > 0 else 0
        shares[key] = share - share % 16 if share < storages[key].size else share
        left -= share
    return shares


def _counts(at: BytesAt, span: Span, start: int, size: int, layout: Layout, deadline: float) -> Iterable[Count]:
    """The counts of each block of `size` bytes from `start` of a storage; a block is a whole number of floats."""
    end = start + size - size % layout.width
    for place in range(start, end, BLOCK):
        data = at.read(span.at + place, min(BLOCK, end - place))
        yield count(data[: len(data) - len(data) % layout.width], layout, big_endian=span.big_endian)
        past(deadline)


def _of_tensor(at: BytesAt, tensor: Tensor, span: Span, share: int, deadline: float) -> BadWeight:
    layout, width = LAYOUTS[tensor.dtype], BITS[tensor.dtype] // 8
    start = tensor.offset * width
    if tensor.extent == tensor.numel or tensor.numel > MOST_STRIDED or tensor.extent * width > FURTHEST_STRIDED:
        size = max(0, min(tensor.extent * width, share - start))
        found = [*_counts(at, span, start, size, layout, deadline)]
    else:
        size = tensor.numel * width
        found = [_strided(at, tensor, span, layout, width)]
    nan, infinite = sum(each.nan for each in found), sum(each.infinite for each in found)
    return BadWeight(tensor, nan, infinite, size // width, span.at + start, span.big_endian)


def _strided(at: BytesAt, tensor: Tensor, span: Span, layout: Layout, width: int) -> Count:
    """The counts of a tensor that skips or repeats elements: its elements gathered one by one."""
    data = at.read(span.at + tensor.offset * width, tensor.extent * width)
    places = [0]
    for size, step in zip(tensor.shape, tensor.stride, strict=True):
        places = [place + index * step for place in places for index in range(size)]
    picked = b"".join([data[place * width : place * width + width] for place in places])
    return count(picked, layout, big_endian=span.big_endian)


def zeros(data: bytes, layout: Layout) -> int:
    """How many floats in `data` are exactly 0."""
    zero = _flags(data[0 :: layout.width], 0xFF, 0)
    for place in range(1, layout.width):
        zero &= _flags(data[place :: layout.width], 0xFF, 0)
    return zero.bit_count()


def _infinite_by_design(at: BytesAt, found: BadWeight, deadline: float) -> bool:
    """Whether the infinities are no weights: a mask, the bounds of an observer that saw nothing yet.

    A mask is told by its name, or by holding nothing but 0 and minus infinity. An overflow leaves plus infinity as
    well, and what is called a weight, or belongs to an optimizer, is never a mask.
    """
    tensor = found.tensor
    last = tensor.name.rsplit(".", 1)[-1].lower()
    if tensor.section == "optimizer" or last.endswith("weight"):
        return False
    if last in OBSERVED or any(word in last for word in MASKS):
        return True
    if tensor.extent != tensor.numel or found.infinite == found.looked_at:
        return False
    layout, width, big_endian = LAYOUTS[tensor.dtype], BITS[tensor.dtype] // 8, found.big_endian
    start, left, zero = found.at, found.looked_at * width, 0
    while left > 0:
        data = at.read(start, min(BLOCK, left))
        if not data or layout.top in data[0 if big_endian else layout.width - 1 :: layout.width]:
            return False  # the top byte of plus infinity
        zero += zeros(data[: len(data) - len(data) % layout.width], layout)
        start, left = start + len(data), left - len(data)
        past(deadline)
    return zero + found.infinite == found.looked_at * (width // layout.width)


def _is_dead(at: BytesAt, tensor: Tensor, spans: Mapping[str, Span], deep: bool, deadline: float) -> bool:
    """Whether a weight matrix of the model is zero throughout; biases and masks may be."""
    span = spans.get(tensor.storage)
    last = tensor.name.rsplit(".", 1)[-1].lower()
    matrix = tensor.section == "model" and len(tensor.shape) >= 2 and tensor.numel > 1 and tensor.dtype in LAYOUTS
    if span is None or not matrix or "bias" in last or "mask" in last or tensor.extent < tensor.numel:
        return False
    layout, width = LAYOUTS[tensor.dtype], BITS[tensor.dtype] // 8
    place, end = span.at + tensor.offset * width, span.at + (tensor.offset + tensor.extent) * width
    step = 4096
    bound = end if deep else min(end, place + (BOUND >> 2))
    while place < bound:
        data = at.read(place, min(step, end - place))
        if not data or not all_zero(data[: len(data) - len(data) % width], layout, big_endian=span.big_endian):
            return False
        place, step = place + len(data), BLOCK
        past(deadline)
    return True


assert set(LAYOUTS) <= FLOATS
