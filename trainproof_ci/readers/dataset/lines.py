"""The physical lines of a file in blocks: bounded memory whatever the length of a line or of the file."""

from array import array
from collections.abc import Iterator
from itertools import accumulate

from trainproof_ci.typed import BinaryIO

CHUNK = 1 << 16
"""Bytes; so few that what is made of a block stays in the processor's cache."""
LONG = 1 << 20
LONGEST_LINE = 80 << 20
"""Bytes; a longer line is skipped and said to be not judged."""


class Block:
    """Whole lines in one piece: the first one's number and byte offset. `skipped` is the length of a line too long to hold."""

    __slots__ = ("_lines", "_offsets", "byte_offset", "count", "data", "line", "skipped")

    def __init__(self, line: int, byte_offset: int, data: bytes, skipped: int = 0) -> None:
        self.line, self.byte_offset, self.data, self.skipped = line, byte_offset, data, skipped
        self.count = 1 if skipped else -1
        """The number of lines, where somebody counted them."""
        self._lines: list[bytes] | None = None
        self._offsets: list[int] | None = None

    @property
    def lines(self) -> list[bytes]:
        """The lines with their ends."""
        if self._lines is None:
            self._lines = lines_of(self.data) if self.data else []
        return self._lines

    @property
    def next_line(self) -> int:
        """The number of the line after the block."""
        return self.line + (self.count if self.count >= 0 else len(self.lines))

    def offset(self, at: int) -> int:
        """The byte offset of one of the lines."""
        if self._offsets is None:
            self._offsets = list(accumulate(map(len, self.lines), initial=self.byte_offset))
        return self._offsets[at]


def lines_of(data: bytes) -> list[bytes]:
    """Lines with their ends; a single one is not copied."""
    from io import BytesIO  # its line reader is five times faster than bytes.split, and splits at LF alone

    return BytesIO(data).readlines() if -1 < data.find(b"\n") < len(data) - 1 else [data]


def blocks(stream: BinaryIO, start: int = 0, end: int | None = None) -> Iterator[Block]:
    """The stream as blocks of whole lines, in bounded memory, from `start` (a line's first byte) to `end`."""
    offset, line = start, 1
    while end is None or offset < end:
        data = stream.read(CHUNK if end is None else min(CHUNK, end - offset))
        if not data:
            return
        if not data.endswith(b"\n"):
            rest = stream.readline(LONG)
            if len(rest) == LONG:  # a long line is a block by itself, so that none holds a copy of it
                whole = data.rfind(b"\n") + 1
                if whole:
                    block = Block(line, offset, data[:whole])
                    yield block
                    line, offset = block.next_line, offset + whole
                data = _long_line(stream, data[whole:] + rest)
            else:
                data += rest
        size = len(data)
        if size >= LONGEST_LINE and not data.endswith(b"\n"):
            del data
            block = Block(line, offset, b"", size + _skipped(stream))
            offset += block.skipped
            line += 1
            yield block
            continue
        block = Block(line, offset, data)
        del data
        yield block
        line, offset = block.next_line, offset + size
        del block


def _long_line(stream: BinaryIO, data: bytes) -> bytes:
    """A line of which `data` is the beginning, as far as it can be held.

    It is measured first and read again, as its pieces would be left in the memory of the process; what cannot be read
    again is gathered in a buffer.
    """
    if data.endswith(b"\n"):
        return data
    held = bytearray(data) if not stream.seekable() else None
    begin, size = 0 if held is not None else stream.tell() - len(data), len(data)
    while size < LONGEST_LINE and (more := stream.readline(min(LONG, LONGEST_LINE - size))):
        size += len(more)
        if held is not None:
            held += more
        if more.endswith(b"\n"):
            break
    if held is not None:
        return bytes(held)
    stream.seek(begin)
    return stream.read(size)


def _skipped(stream: BinaryIO) -> int:
    """The number of bytes up to the end of the line, which are read over."""
    size = 0
    while more := stream.readline(CHUNK):
        size += len(more)
        if more.endswith(b"\n"):
            break
    return size


class Index:
    """Where each block begins: its byte offset, its line, and the number of records before it."""

    def __init__(self) -> None:
        self.offsets: array[int] = array("q")
        self.lines: array[int] = array("q")
        self.records: array[int] = array("q")

    def add(self, block: Block, records: int) -> None:
        """Note a block that begins after so many records."""
        self.offsets.append(block.byte_offset)
        self.lines.append(block.line)
        self.records.append(records)

    def merge(self, other: "Index", lines: int, records: int) -> None:
        """Append the blocks of a later part of the file."""
        self.offsets.extend(other.offsets)
        self.lines.extend(line + lines for line in other.lines)
        self.records.extend(number + records for number in other.records)
