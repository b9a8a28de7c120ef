"""Writes TensorBoard event files byte by byte, healthy and otherwise, for the tests of their reader."""

import math
import struct
from collections.abc import Sequence

from trainproof_ci.readers.run.tfevents_checksum import crc32c, masked

Bytes = bytes


def varint(value: int) -> Bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, content: Bytes) -> Bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def number_field(number: int, value: int) -> Bytes:
    return varint(number << 3) + varint(value)


def record(payload: Bytes) -> Bytes:
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(crc32c(length))) + payload + struct.pack("<I", masked(crc32c(payload)))


def version() -> Bytes:
    return record(b"\x09" + struct.pack("<d", 1.7e9) + field(3, b"brain.Event:2"))


def simple(value: float) -> Bytes:
    return varint(2 << 3 | 5) + struct.pack("<f", value)


def tensor(dtype: int, content: Bytes, shape: Sequence[int] = ()) -> Bytes:
    """A tensor value; `content` is the encoded field of its values."""
    dims = b"".join(field(2, number_field(1, size)) for size in shape)
    return field(8, number_field(1, dtype) + field(2, dims) + content)


def event(step: int, *values: tuple[str, Bytes], wall: float = 1.7e9) -> Bytes:
    summary = b"".join(field(1, field(1, tag.encode()) + value) for tag, value in values)
    return b"\x09" + struct.pack("<d", wall + step) + (number_field(2, step) if step else b"") + field(5, summary)


def scalars(tag: str, values: Sequence[float], first: int = 10, every: int = 10) -> Bytes:
    """A record for each value, `every` steps apart."""
    return b"".join(record(event(first + i * every, (tag, simple(value)))) for i, value in enumerate(values))


def event_file(tag: str = "train/loss", values: Sequence[float] = (), **columns: Sequence[float]) -> Bytes:
    """A whole file: its version, and a record for each value."""
    return version() + scalars(tag, values) + b"".join(scalars(name, column) for name, column in columns.items())


def falling(count: int = 40, start: float = 2.5, floor: float = 0.5) -> list[float]:
    """A healthy loss."""
    return [floor + (start - floor) * math.exp(-4 * i / count) + 0.01 * math.sin(7 * i) for i in range(count)]
