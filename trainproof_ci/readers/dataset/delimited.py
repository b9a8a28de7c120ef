"""Rows of delimited text, each with the physical line and byte it begins at; a broken quote costs one line, not the rest."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator

from trainproof_ci.readers.dataset.jsonl import BOM, blocks
from trainproof_ci.readers.dataset.lines import Block
from trainproof_ci.typed import BinaryIO, NamedTuple

LONGEST_ROW = 8 << 20
"""Bytes; a longer row, or a quote that is open for longer, is not followed."""
MOST_LINES = 100_000
"""Lines of one row; the same."""
PATIENCE = 1
"""How often all of a file may be read once more to find that quotes never close; a file of such quotes alone ends."""


class Line(NamedTuple):
    """A physical line as it was read. `text` has no line end; bytes that are no UTF-8 are replaced in it."""

    number: int
    byte_offset: int
    data: bytes
    text: str
    undecodable: int | None = None
    """Where in `data` the first byte lies that is no UTF-8."""
    skipped: int = 0
    """The length of a line too long to hold."""


class Row(NamedTuple):
    """The fields of one row, and the physical lines it was read from.

    `problem` is what csv says against it. There are fields nevertheless where the row is one line and stays one for
    readers that are not strict: text follows a quote that is closed, and nothing else is touched.
    """

    fields: list[str]
    lines: list[Line]
    problem: str | None = None

    @property
    def first(self) -> Line:
        """The line that the row begins on."""
        return self.lines[0]

    @property
    def raw(self) -> bytes:
        """The bytes of the row."""
        return self.lines[0].data if len(self.lines) == 1 else b"".join([line.data for line in self.lines])


class Dialect(NamedTuple):
    """How fields are told apart; without `quoting` a quote is a character like any other."""

    delimiter: str
    quoting: bool = True


def physical_lines(stream: BinaryIO) -> Iterator[Line]:
    """The lines of a file, split on LF alone."""
    for block in blocks(stream):
        if block.skipped:
            yield Line(block.line, block.byte_offset, b"", "", skipped=block.skipped)
            continue
        offset = block.byte_offset
        for at, data in enumerate(block.lines):
            yield line_of(data, block.line + at, offset)
            offset += len(data)


class Physical:
    """The same lines, of which a run can be taken at once, and in which one can go back to a mark."""

    def __init__(self, stream: BinaryIO) -> None:
        self._blocks = blocks(stream)
        self._behind: deque[Block] = deque()
        self._since: list[Block] | None = None
        self._mark = (Block(1, 0, b""), 0, 0)
        self.block, self.at, self.offset = self._mark

    def __iter__(self) -> "Physical":
        return self

    def __next__(self) -> Line:
        if not self.more():
            raise StopIteration
        block, at = self.block, self.at
        if block.skipped:
            self.at, self.block = 0, Block(block.line + 1, block.byte_offset + block.skipped, b"")
            return Line(block.line, block.byte_offset, b"", "", skipped=block.skipped)
        data = block.lines[at]
        line = line_of(data, block.line + at, self.offset)
        self.at, self.offset = at + 1, self.offset + len(data)
        return line

    def more(self) -> bool:
        """Whether there is a line; `block.lines[at]` is the next one then, at byte `offset`, unless it is skipped."""
        while self.at >= len(self.block.lines) and not self.block.skipped:
            block = self._behind.popleft() if self._behind else next(self._blocks, None)
            if block is None:
                return False
            if self._since is not None:
                self._since.append(block)
            self.block, self.at, self.offset = block, 0, block.byte_offset
        return True

    def passed(self, count: int) -> None:
        """Take the next lines of the block as read."""
        self.offset += sum(map(len, self.block.lines[self.at : self.at + count]))
        self.at += count

    def mark(self) -> None:
        """Where to go back to; what follows is kept until `forget` or `back`."""
        self._mark, self._since = (self.block, self.at, self.offset), []

    def finds(self, what: bytes, most: int) -> bool:
        """Whether `what` stands in the lines ahead, within `most` bytes; they are passed on the way."""
        seen, many = 0, 4  # the next one is mostly near
        while seen <= most and self.more():
            data = b"".join(self.block.lines[self.at : self.at + many])
            if what in data or self.block.skipped:
                return True
            seen, many = seen + len(data), many * 4
            self.at = min(self.at + many // 4, len(self.block.lines))
        return False

    def forget(self) -> None:
        """Drop the mark."""
        self._since = None

    def back(self) -> None:
        """Go back to the mark and drop it."""
        self._behind.extendleft(reversed(self._since or ()))
        self.block, self.at, self.offset = self._mark
        self._since = None


def line_of(data: bytes, number: int, offset: int) -> Line:
    """One physical line, decoded."""
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    begin = len(BOM) if offset == 0 and body.startswith(BOM) else 0
    if begin:
        body = body[begin:]
    if b"\0" in body:
        body = body.replace(b"\0", b"?")  # the line's own data keeps it; csv refuses it before Python 3.11
    try:
        return Line(number, offset, data, body.decode())
    except UnicodeDecodeError as error:
        return Line(number, offset, data, body.decode("utf-8", "replace"), begin + error.start)


class Rows:
    """The rows of a stream of lines."""

    def __init__(self, lines: "Iterator[Line] | Physical", dialect: Dialect) -> None:
        self._lines, self._dialect = lines, dialect
        self._again: deque[Line] = deque()
        self._taken: list[Line] = []
        self._held = self._most = self._in_vain = 0

    def __iter__(self) -> Iterator[Row]:
        while (row := self.take()) is not None:
            yield row

    def take(self) -> Row | None:
        """The next row."""
        delimiter, quoting = self._dialect
        line = self._next()
        if line is None:
            return None
        text = line.text
        if not quoting or ('"' not in text and "\r" not in text):  # csv would say the same, and take longer
            return Row(text.split(delimiter) if text or not quoting else [], [line])
        return self._quoted(line)

    def _next(self) -> Line | None:
        return self._again.popleft() if self._again else next(self._lines, None)

    def _quoted(self, first: Line) -> Row:
        """One row, read by csv; of a row that it refuses only the first line is used up."""
        csv.field_size_limit(LONGEST_ROW)
        try:
            return Row(self._fields((_as_text(first),)), [first])
        except csv.Error as error:
            return self._longer(first) if "end of data" in str(error) else self._loose(first, str(error))

    def _loose(self, line: Line, problem: str) -> Row:
        """A line that csv refuses, with its fields where a reader that is not strict needs no other line for them."""
        try:
            reader = csv.reader((_as_text(line), ""), delimiter=self._dialect.delimiter)
            fields = next(reader)
        except csv.Error:
            return Row([], [line], problem)
        return Row(fields if reader.line_num == 1 else [], [line], problem)

    def _longer(self, first: Line) -> Row:
        """A row over several lines."""
        self._taken, self._held = [first], len(first.data)
        self._most = min(LONGEST_ROW, LONGEST_ROW + PATIENCE * first.byte_offset - self._in_vain)
        marked = self._lines if isinstance(self._lines, Physical) else None
        if marked is not None:
            marked.mark()
            found = marked.finds(b'"', self._most)
            marked.back()
            if not found:
                return Row([], [first], "no quote follows")
            marked.mark()
        try:
            row = Row(self._fields(self._fed()), self._taken)
        except csv.Error as error:
            self._in_vain += self._held
            if marked is not None:
                marked.back()
            else:
                self._again.extendleft(reversed(self._taken[1:]))
            return Row([], [first], str(error))
        if marked is not None:
            marked.forget()
        return row

    def _fields(self, texts: Iterable[str]) -> list[str]:
        return next(csv.reader(texts, delimiter=self._dialect.delimiter, strict=True))

    def _fed(self) -> Iterator[str]:
        yield _as_text(self._taken[0])
        while (line := self._next()) is not None:
            self._taken.append(line)
            self._held += len(line.data)
            if self._held > self._most or len(self._taken) > MOST_LINES:
                raise csv.Error("a quote is open for too long")
            yield _as_text(line)


def _as_text(line: Line) -> str:
    return "" if len(line.data) > LONGEST_ROW else line.text + "\n"
