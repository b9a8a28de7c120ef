"""What a file that should be a sound is: how long, by the header of WAV and FLAC, or what stands in its place."""

import struct
from io import BytesIO

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.readers.dataset.whole import is_blank_or_page
from trainproof_ci.readers.pointers import is_pointer
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import BinaryIO, NamedTuple

MOST_CHUNKS = 64
STREAMED = {0, 0xFFFFFFFF}
"""Sizes of a data chunk that was never filled in: the sound lasts to the end of the file."""
START = 1024
CERTAIN = (".wav", ".flac", ".ogg", ".opus")
"""Suffixes of files that begin with a header; an MP3 may begin with anything."""
_HEADER = later(
    rb"(?s)RIFF|RIFX|RF64|BW64|riff|fLaC|OggS|ID3|FORM|NIST_1A|\.snd|caff|wvpk|#!AMR|MAC |\x1aE\xdf\xa3|0&\xb2u|....ftyp|\xff[\xe0-\xff]"
)
"""How sounds of any kind begin: readers go by it, whatever the name."""
HOLLOW = "a header without a sound"
_ANNEX = b"annex/objects/"


class Sound(NamedTuple):
    """What is known of a sound: its length in seconds where the header says so, and what is wrong with it."""

    seconds: float | None = None
    flaw: str = ""
    here: bool = True
    """Whether the bytes are here, and not a pointer of Git LFS or git-annex in their place."""


def look(path: str) -> Sound:
    """What stands at `path`; nothing is said of a file that cannot be opened."""
    try:
        head = Head.of(path, START)
        if is_pointer(head) or (head.whole and _ANNEX in head.start):
            return Sound(here=False)
        if is_blank_or_page(head):
            return Sound(flaw="an HTML page" if head.start.strip() else f"{head.size} bytes")
        if head.start[:4] == b"RIFF" and head.start[8:12] == b"WAVE":
            return _wav(BytesIO(head.start), head.size) or _long_header(path)
    except Unreadable:
        return Sound()
    if head.start[:4] == b"fLaC":
        return Sound(_flac(head.start))
    known = head.suffix not in CERTAIN or _HEADER.match(head.start) is not None
    return Sound(flaw="" if known else "no header of a sound")


def _long_header(path: str) -> Sound:
    """A WAV whose sound does not begin in its first bytes, if at all."""
    with Source(path) as source:
        return _wav(source.file, source.size) or Sound(flaw=HOLLOW)


def _wav(file: BinaryIO, size: int) -> Sound | None:
    """What the chunks of a WAV say; None where the file ends before its sound begins."""
    rate = 0
    file.seek(12)
    for _ in range(MOST_CHUNKS):
        header = file.read(8)
        if len(header) < 8:
            return None
        name, length = header[:4], struct.unpack("<I", header[4:])[0]
        if name == b"data":
            here = size - file.tell()
            length = here if length in STREAMED else min(length, here)
            return Sound(length / rate if rate else None) if length else Sound(flaw=HOLLOW)
        if name == b"fmt ":
            fields = file.read(16)
            rate = struct.unpack("<I", fields[8:12])[0] if len(fields) == 16 else 0
            length -= 16
        file.seek(max(0, length) + (length & 1), 1)
    return Sound()


def _flac(start: bytes) -> float | None:
    """STREAMINFO: 20 bits of sample rate, 3 of channels, 5 of width, 36 of the number of samples."""
    if len(start) < 26 or start[4] & 0x7F:
        return None
    packed = int.from_bytes(start[18:26], "big")
    rate, samples = packed >> 44, packed & ((1 << 36) - 1)
    return samples / rate if rate and samples else None
