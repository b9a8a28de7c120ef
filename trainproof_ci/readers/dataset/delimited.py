"""Rows of delimited text, each with the physical line and byte it begins at; a broken quote costs one line, not the rest."""

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from trainproof_ci.readers.dataset.jsonl import BOM, blocks

LONGEST_ROW = 8 << 20
"""Bytes; a longer row, or a quote that is open for longer, is not followed."""
SNIFFED_ROWS = 40
DELIMITERS = (",", "\t", ";", "|")


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
    """The fields of one row, and the physical lines it was read from; `problem` says why there are no fields."""

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


def line_of(data: bytes, number: int, offset: int) -> Line:
    """One physical line, decoded."""
    body = data.removesuffix(b"\n").removesuffix(b"\r")
    if offset == 0:
        body = body.removeprefix(BOM)
    if b"\0" in body:
        body = body.replace(b"\0", b"?")  # the line's own data keeps it; csv refuses it before Python 3.11
    try:
        return Line(number, offset, data, body.decode())
    except UnicodeDecodeError as error:
        return Line(number, offset, data, body.decode("utf-8", "replace"), data.find(body[:1]) + error.start)


class Rows:
    """The rows of a stream of lines."""

    def __init__(self, lines: Iterator[Line], dialect: Dialect) -> None:
        self._lines, self._dialect = lines, dialect
        self._again: deque[Line] = deque()
        self._taken: list[Line] = []
        self._held = 0

    def __iter__(self) -> Iterator[Row]:
        csv.field_size_limit(LONGEST_ROW)
        delimiter, quoting = self._dialect
        while (line := self._next()) is not None:
            text = line.text
            if not quoting or ('"' not in text and "\r" not in text):  # csv would say the same, and take longer
                yield Row(text.split(delimiter) if text or not quoting else [], [line])
            else:
                self._again.appendleft(line)
                yield self._quoted()

    def _next(self) -> Line | None:
        return self._again.popleft() if self._again else next(self._lines, None)

    def _quoted(self) -> Row:
        """One row, read by csv; of a row that it refuses only the first line is used up."""
        self._taken, self._held = [], 0
        try:
            return Row(next(csv.reader(self._fed(), delimiter=self._dialect.delimiter, strict=True)), self._taken)
        except csv.Error as error:
            first, *rest = self._taken
            self._again.extendleft(reversed(rest))
            return Row([], [first], str(error))

    def _fed(self) -> Iterator[str]:
        while (line := self._next()) is not None:
            self._taken.append(line)
            self._held += len(line.data)
            if self._held > LONGEST_ROW and len(self._taken) > 1:
                raise csv.Error("a quote is open for too long")
            yield "" if len(line.data) > LONGEST_ROW else line.text + "\n"


def sniff(lines: Sequence[Line], expected: str) -> tuple[Dialect, list[list[str]]] | None:
    """The dialect in which the first lines make a table, and their rows; `expected` is preferred. None without any."""
    best: tuple[Dialect, list[list[str]]] | None = None
    for delimiter in sorted(DELIMITERS, key=lambda each: each != expected):
        for quoting in (True, False) if delimiter in "\t|" else (True,):
            dialect = Dialect(delimiter, quoting)
            rows = [row.fields for row in Rows(iter(lines), dialect) if row.fields and row.problem is None]
            if not rows or len(rows[0]) < 2:
                continue
            if best is None or _fit(rows, lines) > _fit(best[1], lines):
                best = dialect, rows
    return best


def _fit(rows: list[list[str]], lines: Sequence[Line]) -> tuple[float, float]:
    """How much of the lines is in rows as wide as the first; a table that uses up all lines and has most columns wins."""
    width = len(rows[0])
    whole = sum(len(row) == width for row in rows)
    return round(whole / max(1, len(rows)), 1), min(1.0, len(rows) / max(1, len(lines))) + width / 1e6
