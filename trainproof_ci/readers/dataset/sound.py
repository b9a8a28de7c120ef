"""How long a sound is, from the header of its file: WAV and FLAC."""

import struct

from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.source import Source
from trainproof_ci.typed import BinaryIO

MOST_CHUNKS = 64
STREAMED = {0, 0xFFFFFFFF}
"""Sizes of a data chunk that was never filled in: the sound lasts to the end of the file."""


def seconds(path: str) -> float | None:
    """The length of the sound in seconds; None where the header does not say or is none that is known."""
    try:
        with Source(path) as source:
            start = source.file.read(12)
            if start[:4] == b"RIFF" and start[8:12] == b"WAVE":
                return _wav(source.file, source.size)
            if start[:4] == b"fLaC":
                return _flac(start + source.file.read(30))
    except Unreadable:
        return None
    return None


def _wav(file: BinaryIO, size: int) -> float | None:
    rate = 0
    for _ in range(MOST_CHUNKS):
        header = file.read(8)
        if len(header) < 8:
            return None
        name, length = header[:4], struct.unpack("<I", header[4:])[0]
        if name == b"data":
            here = size - file.tell()
            length = here if length in STREAMED else min(length, here)
            return length / rate if rate else None
        if name == b"fmt ":
            fields = file.read(16)
            rate = struct.unpack("<I", fields[8:12])[0] if len(fields) == 16 else 0
            length -= 16
        file.seek(max(0, length) + (length & 1), 1)
    return None


def _flac(start: bytes) -> float | None:
    """STREAMINFO: 20 bits of sample rate, 3 of channels, 5 of width, 36 of the number of samples."""
    if len(start) < 26 or start[4] & 0x7F:
        return None
    packed = int.from_bytes(start[18:26], "big")
    rate, samples = packed >> 44, packed & ((1 << 36) - 1)
    return samples / rate if rate and samples else None
