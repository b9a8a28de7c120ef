"""Writes an event file of N scalar events over ten tags, byte for byte as the common writers do.

usage: write.py FILE EVENTS simple|tensor
"""

import math
import struct
import sys

import google_crc32c

TAGS = ["train/loss", "train/lr", "train/grad_norm", "train/acc", "train/ppl", "time/step", "time/data", "gpu/mem", "eval/loss", "aux"]


def masked(data: bytes) -> bytes:
    crc = google_crc32c.value(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number: int, content: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(content)) + content


def record(payload: bytes) -> bytes:
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def main() -> None:
    path, events, style = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    with open(path, "wb", buffering=1 << 20) as file:
        file.write(record(b"\x09" + struct.pack("<d", 1.7e9) + field(3, b"brain.Event:2")))
        for number in range(events):
            step, tag = divmod(number, len(TAGS))
            value = struct.pack("<f", 0.4 + 2 * math.exp(-step / 20_000) + 0.05 * math.sin(step * (tag + 1)))
            if style == "simple":
                told = field(1, TAGS[tag].encode()) + b"\x15" + value
            else:
                metadata = field(9, field(1, field(1, b"scalars"))) if step == 0 else b""
                told = field(1, TAGS[tag].encode()) + field(8, b"\x08\x01" + field(2, b"") + field(5, value)) + metadata
            head = b"\x09" + struct.pack("<d", 1.7e9 + number / 100) + (b"\x10" + varint(step) if step else b"")
            file.write(record(head + field(5, field(1, told))))


if __name__ == "__main__":
    main()
