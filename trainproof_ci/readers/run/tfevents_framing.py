"""The framing of record files, and the way to the next record after a damaged one.

A record is the length of its payload (8 bytes, little endian), the masked CRC-32C of those 8 bytes (4 bytes), the
payload, and the masked CRC-32C of the payload (4 bytes).
"""

import re
from struct import Struct

from trainproof_ci.readers.run.tfevents_checksum import crc32c, masked
from trainproof_ci.typed import BinaryIO

HEADER, FOOTER = 12, 4
CHUNK = 2 << 20
"""Bytes read at a time."""
LARGEST_PARSED = 16 << 20
"""Bytes; a larger record is a picture or a graph and is passed over unread."""
LONGEST = 1 << 40
"""Bytes; no record is as long, so that a length beyond is damage, not a record that was cut."""
MOST_LENGTHS = 1 << 16
REACH = 4 << 20
"""Bytes after damage in which the next record is searched; what lies further is lost."""
SEARCHED = 8 << 20
"""Bytes whose checksums are computed, in the whole file, to prove that a place after damage is a record again."""
LENGTH, CHECKSUM = Struct("<Q"), Struct("<I")
_ZEROS_OF_A_LENGTH = re.compile(rb"\x00{5,}")


class Window:
    """The part of the file that is in memory: `data` begins at byte `base` of the file."""

    __slots__ = ("base", "budget", "data", "file", "lengths", "size")

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file, self.size = file, size
        self.base, self.data = 0, b""
        self.lengths: dict[bytes, int] = {}
        self.budget = SEARCHED

    def hold(self, at: int, need: int) -> int:
        """Have `need` bytes from `at` on in memory, as far as the file goes; returns where the byte at `at` is now."""
        missing = need - (len(self.data) - at)
        if missing <= 0:
            return at
        self.data = self.data[at:] + self.file.read(max(CHUNK, missing))
        self.base += at
        return 0

    def skip(self, at: int, length: int) -> int:
        """Pass over `length` bytes from `at` without having them in memory; returns where the byte after them is."""
        self.base += at + length
        self.file.seek(self.base)
        self.data = b""
        return 0

    def only_zeros(self, at: int) -> bool:
        """Whether nothing but zero bytes follows from `at` on: space that was set aside and never written."""
        if self.data[at:].strip(b"\0"):
            return False
        before = self.file.tell()
        try:
            while more := self.file.read(CHUNK):
                if more.strip(b"\0"):
                    return False
        finally:
            self.file.seek(before)
        return True

    def length(self, header: bytes) -> int | None:
        """The length that a record's first 12 bytes tell, None when their checksum does not fit them."""
        known = self.lengths.get(header)
        if known is not None:
            return known
        length: int = LENGTH.unpack_from(header)[0]
        if CHECKSUM.unpack_from(header, 8)[0] != masked(crc32c(header[:8])) or length >= LONGEST:
            return None
        if len(self.lengths) < MOST_LENGTHS:
            self.lengths[header] = length
        return length

    def next_record(self, at: int) -> int | None:
        """Where within REACH bytes from `at` an intact record begins; None where there is none.

        A length below 16 MiB ends in five zero bytes: its checksum begins where a run of zeros ends. Both checksums
        of a place must fit before it counts.
        """
        searched = at
        until = self.base + at + REACH
        while True:
            for zeros in _ZEROS_OF_A_LENGTH.finditer(self.data, searched):
                start = zeros.end() - 8
                if start >= at and self._is_record(start):
                    return start
            if self.budget <= 0 or self.base + len(self.data) >= min(until, self.size):
                return None
            searched = at = self.hold(at, len(self.data) - at + 1)

    def _is_record(self, start: int) -> bool:
        header = self.data[start : start + HEADER]
        if len(header) < HEADER or self.budget <= 0:
            return False
        self.budget -= HEADER
        length = self.length(header)
        body = start + HEADER
        if length is None or length > REACH or body + length + FOOTER > len(self.data):
            return False
        self.budget -= length
        return intact(self.data, body, body + length)


def intact(data: bytes, body: int, stop: int) -> bool:
    """Whether the payload data[body:stop] fits the checksum after it."""
    expected: int = CHECKSUM.unpack_from(data, stop)[0]
    return masked(crc32c(data[body:stop])) == expected
