"""One event of TensorBoard: its step, its time, and the scalars in its summary, in either of the two encodings."""

from collections.abc import Callable, Iterator
from struct import Struct

from trainproof_ci.readers.run.tfevents_wire import BYTES, FIXED32, FIXED64, VARINT, Malformed, fields, signed, varint
from trainproof_ci.typed import NamedTuple

NOT_SCALARS = frozenset(
    {"audio", "custom_scalars", "distributions", "graphs", "histograms", "hparams", "images", "mesh", "npmi",
     "pr_curves", "projector", "text"}
)  # fmt: skip
"""Plugins whose tensors are pictures, texts and tables even where they hold a single element."""


class Scalar(NamedTuple):
    """A number of a summary. `code` is the struct code of the bytes at `at` that hold it ("f" or "d"), empty where
    the value is stored in another way.
    """

    tag: bytes
    value: float
    plugin: str
    at: int
    code: str


class Event(NamedTuple):
    """What an event says. `others` counts the values of its summary that are no scalars; `plain` whether it is
    nothing but time, step and a summary with one scalar of fixed width, in that order.
    """

    wall_time: float
    step: int
    scalars: tuple[Scalar, ...]
    others: int
    plain: bool


FLOAT, DOUBLE = Struct("<f"), Struct("<d")


def parse(data: bytes, at: int, end: int) -> Event:
    """The event in data[at:end]. Raises `Malformed`."""
    return at_a_glance(data, at, end) or in_full(data, at, end)


def at_a_glance(data: bytes, at: int, end: int) -> Event | None:
    """The commonest layout, time, step and one simple value with lengths of a single byte; None for any other."""
    if end - at < 20 or data[at] != 0x09:
        return None
    step, rest = 0, at + 9
    stepped = data[rest] == 0x10
    if stepped:
        step, rest = varint(data, rest + 1, end)
    size, tag, value = end - rest, rest + 6, end - 4
    if not 11 <= size <= 129 or data[rest : tag - 1] != bytes((0x2A, size - 2, 0x0A, size - 4, 0x0A)):
        return None
    if data[tag - 1] != value - 1 - tag or data[value - 1] != 0x15:
        return None
    scalar = Scalar(data[tag : value - 1], FLOAT.unpack_from(data, value)[0], "", value, "f")
    return Event(DOUBLE.unpack_from(data, at + 1)[0], signed(step), (scalar,), 0, stepped)


def in_full(data: bytes, at: int, end: int) -> Event:
    """Any event, field by field. Raises `Malformed`."""
    wall_time, step, others = 0.0, 0, 0
    scalars: list[Scalar] = []
    order = []
    for field in fields(data, at, end):
        order.append(field.number)
        if field.number == 1 and field.wire == FIXED64:
            wall_time = DOUBLE.unpack_from(data, field.start)[0]
        elif field.number == 2 and field.wire == VARINT:
            step = signed(field.start)
        elif field.number == 5 and field.wire == BYTES:
            for inner in fields(data, field.start, field.stop):
                if inner.number == 1 and inner.wire == BYTES:
                    scalar = _value(data, inner.start, inner.stop)
                    others += scalar is None
                    scalars += [scalar] if scalar is not None else []
    plain = order == [1, 2, 5] and len(scalars) == 1 and not others and bool(scalars[0].code)
    return Event(wall_time, step, tuple(scalars), others, plain)


def _value(data: bytes, at: int, end: int) -> Scalar | None:
    """The scalar in a value of a summary, None when it holds something else. The last of several encodings counts."""
    tag, plugin = b"", ""
    found: tuple[float, int, str] | None = None
    for field in fields(data, at, end):
        if field.number == 1 and field.wire == BYTES:
            tag = data[field.start : field.stop]
        elif field.number == 2 and field.wire == FIXED32:
            found = FLOAT.unpack_from(data, field.start)[0], field.start, "f"
        elif field.number == 8 and field.wire == BYTES:
            found = tensor(data, field.start, field.stop)
        elif field.number == 9 and field.wire == BYTES:
            plugin = _plugin(data, field.start, field.stop)
        elif field.number in {3, 4, 5, 6} and field.wire == BYTES:  # obsolete image, image, histogram, audio
            found = None
    return None if found is None or plugin in NOT_SCALARS else Scalar(tag, found[0], plugin, found[1], found[2])


def _plugin(data: bytes, at: int, end: int) -> str:
    """The name of the plugin that a value is meant for."""
    for field in fields(data, at, end):
        if field.number == 1 and field.wire == BYTES:
            for inner in fields(data, field.start, field.stop):
                if inner.number == 1 and inner.wire == BYTES:
                    return data[inner.start : inner.stop].decode("utf-8", "replace")
    return ""


def _half(bits: int) -> float:
    value: float = Struct("<e").unpack((bits & 0xFFFF).to_bytes(2, "little"))[0]
    return value


def _bfloat16(bits: int) -> float:
    value: float = FLOAT.unpack(((bits & 0xFFFF) << 16).to_bytes(4, "little"))[0]
    return value


def _plain_number(bits: int) -> float:
    return float(signed(bits))


class _Type(NamedTuple):
    """An element type: its struct code in `tensor_content`, and the field and wire type of its typed values."""

    code: str
    field: int
    wire: int = VARINT
    read: Callable[[int], float] = _plain_number


_TYPES = {
    1: _Type("f", 5, FIXED32),
    2: _Type("d", 6, FIXED64),
    3: _Type("i", 7),
    4: _Type("B", 7),
    5: _Type("h", 7),
    6: _Type("b", 7),
    9: _Type("q", 10),
    10: _Type("?", 11),
    11: _Type("b", 7),
    12: _Type("B", 7),
    13: _Type("i", 7),
    14: _Type("H", 13, VARINT, _bfloat16),
    15: _Type("h", 7),
    16: _Type("H", 7),
    17: _Type("H", 7),
    19: _Type("H", 13, VARINT, _half),
    22: _Type("I", 16),
    23: _Type("Q", 17, VARINT, float),
}
"""The numeric element types by their number in DataType; strings, complex numbers and handles are no scalars."""


def tensor(data: bytes, at: int, end: int) -> tuple[float, int, str] | None:
    """The number in a tensor of one element, with its place and struct code; None for every other tensor."""
    found = list(fields(data, at, end))
    kind = next((f.start for f in reversed(found) if f.number == 1 and f.wire == VARINT), 0)
    element = _TYPES.get(kind)
    elements = 1
    for field in found:
        if field.number == 2 and field.wire == BYTES:
            elements *= _elements(data, field.start, field.stop)
    if element is None or elements != 1:
        return None
    content = next((f for f in reversed(found) if f.number == 4 and f.wire == BYTES and f.stop > f.start), None)
    if content is not None:
        return _from_content(data, content.start, content.stop, element)
    for field in found:
        if field.number == element.field:
            return _from_typed(data, field.start, field.stop, field.wire, element)
    return None


def _elements(data: bytes, at: int, end: int) -> int:
    """The number of elements that a shape stands for."""
    count = 1
    for field in fields(data, at, end):
        if field.number == 2 and field.wire == BYTES:
            count *= next(_sizes(data, field.start, field.stop), 0)
    return count


def _sizes(data: bytes, at: int, end: int) -> Iterator[int]:
    return (signed(f.start) for f in fields(data, at, end) if f.number == 1 and f.wire == VARINT)


def _from_content(data: bytes, at: int, end: int, element: _Type) -> tuple[float, int, str]:
    form = Struct("<" + element.code)
    if end - at != form.size:
        raise Malformed("a tensor whose content is not as long as its type says")
    value = form.unpack_from(data, at)[0]
    if element.code in "fd":
        return value, at, element.code
    return element.read(value) if element.field == 13 else float(value), at, ""


def _from_typed(data: bytes, at: int, end: int, wire: int, element: _Type) -> tuple[float, int, str] | None:
    """The first of the typed values; packed values stand in one field of bytes."""
    if element.wire == VARINT:
        bits = at if wire == VARINT else varint(data, at, end)[0] if wire == BYTES and end > at else None
        return None if bits is None else (element.read(bits), at, "")
    form = FLOAT if element.wire == FIXED32 else DOUBLE
    if wire not in {element.wire, BYTES} or end - at < form.size:
        return None
    return form.unpack_from(data, at)[0], at, element.code if end - at == form.size else ""
