"""The wire format of protocol buffers: fields of a message with their places, nothing of what they mean."""

from collections.abc import Iterator

from trainproof_ci.typed import NamedTuple

VARINT, FIXED64, BYTES, GROUP, GROUP_END, FIXED32 = range(6)
LONGEST_VARINT = 10
DEEPEST_GROUP = 64


class Malformed(Exception):  # noqa: N818 - a state of the record
    """The bytes are no message; `args[0]` says in a few words of our own what is wrong with them."""


class Field(NamedTuple):
    """A field: of a varint `start` is the value itself, of everything else data[start:stop] is."""

    number: int
    wire: int
    start: int
    stop: int


def varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    """The unsigned 64-bit number at `at` and where it ends."""
    value = 0
    for count in range(LONGEST_VARINT):
        if at >= end:
            raise Malformed("a varint runs out of its message")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
    raise Malformed("a varint of more than 10 bytes")


def signed(value: int) -> int:
    """A varint read as the int64 that it is."""
    return value - (1 << 64) if value >> 63 else value


def fields(data: bytes, at: int, end: int) -> Iterator[Field]:
    """The fields of the message data[at:end]; groups, which nothing writes any more, are passed over."""
    while at < end:
        number, wire, at = _tag(data, at, end)
        if wire == VARINT:
            value, at = varint(data, at, end)
            yield Field(number, wire, value, at)
        elif wire == GROUP:
            at = _past_group(data, at, end)
        else:
            start, at = _extent(data, at, end, wire)
            yield Field(number, wire, start, at)


def _tag(data: bytes, at: int, end: int) -> tuple[int, int, int]:
    key, at = varint(data, at, end)
    if not 0 < key >> 3 < 1 << 29:
        raise Malformed("a field number outside the format")
    return key >> 3, key & 7, at


def _extent(data: bytes, at: int, end: int, wire: int) -> tuple[int, int]:
    """Where the value of a field begins and ends."""
    if wire == FIXED64:
        length = 8
    elif wire == FIXED32:
        length = 4
    elif wire == BYTES:
        length, at = varint(data, at, end)
    else:
        raise Malformed("a wire type outside the format")
    if length > end - at:
        raise Malformed("a field runs out of its message")
    return at, at + length


def _past_group(data: bytes, at: int, end: int) -> int:
    depth = 1
    while depth:
        _, wire, at = _tag(data, at, end)
        if wire == VARINT:
            _, at = varint(data, at, end)
        elif wire == GROUP:
            depth += 1
            if depth > DEEPEST_GROUP:
                raise Malformed("groups nested too deeply")
        elif wire == GROUP_END:
            depth -= 1
        else:
            _, at = _extent(data, at, end, wire)
    return at
