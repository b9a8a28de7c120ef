"""CSV logs: Ultralytics, Lightning, Keras, Stable Baselines and everything else with a header and a loss."""

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from trainproof_ci.readers.run.columns import Block, Columns
from trainproof_ci.readers.run.csv_block import rows_of
from trainproof_ci.readers.run.csv_header import delimiter_of, header_names, names_of_columns
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, blocks_of, head_lines, is_text
from trainproof_ci.readers.run.names import named_after_losses, named_like_a_log, says_training
from trainproof_ci.readers.run.records import number
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, PHASE_KEYS, STEP_KEYS, in_phase, is_loss

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

SUFFIXES = (".csv", ".tsv", ".txt", ".log", "")
LONGEST_HEADER = 1 << 14
"""Characters; a progress bar that is redrawn in one endless line is no header."""
LONGEST_FOOTER = 16
"""Lines of remarks below a table."""
MOST_REMARKS = 32
"""Lines of remarks above a table."""
MISSING = frozenset({"", "-", "--", "none", "null", "n/a", "na"})


def recognise(head: "Head") -> bool:
    """A header that speaks of training, and numbers below it."""
    if head.suffix not in SUFFIXES or not is_text(head):
        return False
    rows = head_lines(head, MOST_REMARKS + 6)
    rows = rows[_header_at(rows) :][:6]
    if len(rows) < (1 if named_like_a_log(head) else 2):
        return False
    names = header_names(rows[0]) if len(rows[0]) <= LONGEST_HEADER and "\r" not in rows[0] else []
    names = names_of_columns(names, head.name)
    if len(names) == 1 and named_after_losses(head.name):
        return (is_loss(names[0]) or _float(names[0]) is not None) and _mostly_numbers(rows[1:], rows[0])
    if len(names) < 2 or any(_float(name) is not None for name in names):
        return False
    return says_training(names, head) and (len(rows) == 1 or _mostly_numbers(rows[1:], rows[0]))


def _header_at(rows: Sequence[str]) -> int:
    """Which row is the header: the first below remarks that begin with `#`, or the last of those, if numbers follow it."""
    at = next((at for at, row in enumerate(rows) if not row.startswith("#")), 0)
    return at - 1 if at and _is_of_numbers(rows[at]) else at


def _is_of_numbers(row: str) -> bool:
    return all(_float(cell.strip()) is not None for cell in row.split(delimiter_of(row)))


def _mostly_numbers(rows: Sequence[str], header: str) -> bool:
    plain = (row.replace("\0", "") for row in rows)
    try:
        cells = [cell.strip() for row in csv.reader(plain, delimiter=delimiter_of(header)) for cell in row]
    except csv.Error:
        return False
    known = [cell for cell in cells if cell.lower() not in MISSING]
    return sum(_float(cell) is not None for cell in known) * 2 >= len(known)


def _float(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:
        return number(cell)


class _Table:
    """Adds rows under the header in force; counts what does not fit it."""

    def __init__(self, header: Sequence[str]) -> None:
        self.columns = Columns()
        self.ragged: list[int] = []
        self._latest: dict[int, Sequence[str]] = {}
        """The last rows that did not fit, by their lines."""
        self._blocks: dict[tuple[bool, ...], Block] = {}
        self.use(header)

    def use(self, header: Sequence[str]) -> None:
        """Let `header` be in force from here on."""
        self.header = [name.strip() for name in header]
        while self.header and not self.header[-1]:
            self.header.pop()
        self._blocks.clear()
        self.step = _index(self.header, STEP_KEYS)
        self.epoch = _index(self.header, EPOCH_KEYS)
        self.phase = next((at for at, name in enumerate(self.header) if name.lower() in PHASE_KEYS), -1)

    def take(self, text: str, delimiter: str, line: int) -> bool:
        """Whether the rows of a whole text, which begins at `line`, were plain enough to be taken at once."""
        found = rows_of(text, delimiter, len(self.header))
        for rows in found or ():
            block = self._blocks.get(rows.filled) or self._new_block(rows.filled)
            if block is not None:
                block.extend(rows.columns, [line + at for at in rows.at])
        return found is not None

    def add(self, row: Sequence[str], line: int) -> None:
        """One row of cells."""
        width = len(self.header)
        if len(row) != width:
            if len(row) < width or any(cell.strip() for cell in row[width:]):
                self._misfit(row, line)
                return
            row = row[:width]
        mask = tuple(map(bool, row))
        block = self._blocks.get(mask) or self._new_block(mask)
        if block is None:
            return
        size = len(block.flat)
        try:
            block.flat.extend(map(float, filter(None, row)))
        except ValueError:
            del block.flat[size:]
            self._mixed(row, line)
        else:
            block.places.append(line)

    def _new_block(self, mask: tuple[bool, ...]) -> Block | None:
        """The block of the rows in which these cells are filled."""
        kept = [name for name, filled in zip(self.header, mask, strict=True) if filled]
        block = self.columns.block(kept, _index(kept, STEP_KEYS), _index(kept, EPOCH_KEYS)) if kept else None
        if block is not None:
            self._blocks[mask] = block
        return block

    def _misfit(self, row: Sequence[str], line: int) -> None:
        """A row of another width: a header that begins another part, or a row that is ragged."""
        if self._is_header(row):
            self.use(row)
        else:
            self.ragged.append(line)
            self._latest[line] = row
            if len(self._latest) > LONGEST_FOOTER:
                del self._latest[next(iter(self._latest))]

    def cut(self, last: int) -> Cut | None:
        """What stands behind the row at line `last`, the last that fits: remarks are no damage, a row may be cut."""
        behind = [line for line in self.ragged if line > last]
        if behind and all(_is_remark(self._latest.get(line, ())) for line in behind):
            del self.ragged[-len(behind) :]
        elif behind and self._begins_a_row(self._latest[behind[-1]]):
            return Cut("the last row is cut", self.ragged.pop())
        return None

    def _begins_a_row(self, row: Sequence[str]) -> bool:
        """Whether a row is the beginning of one that would fit: it has too few cells, and all but the last are numbers."""
        return len(row) < len(self.header) and all(_float(cell) is not None for cell in row[:-1] or row)

    def _is_header(self, row: Sequence[str]) -> bool:
        return [cell.strip() for cell in row[:2]] == self.header[:2]

    def _mixed(self, row: Sequence[str], line: int) -> None:
        """A row with cells that are no plain numbers."""
        if self._is_header(row):
            return
        named = []
        for name, cell in zip(self.header, row, strict=True):
            value = _float(cell)
            if value is not None:
                named.append((name, value))
            elif cell.strip(" -:").lower() not in MISSING:
                self.columns.add_odd(name, line)
            elif cell.strip():
                self.columns.add_missing(name, line)
        if self.phase >= 0:
            named = [(in_phase(name, row[self.phase].strip()), value) for name, value in named]
        if named:
            self.columns.add(line, named, _cell(row, self.step), _cell(row, self.epoch))


def _is_remark(row: Sequence[str]) -> bool:
    """Whether a row is one cell of words: `f1 score on the test set: 0.78`."""
    return len(row) == 1 and _float(row[0]) is None


def _index(header: Sequence[str], names: Sequence[str]) -> int:
    return next((header.index(name) for name in names if name in header), -1)


def _cell(row: Sequence[str], index: int) -> float:
    value = _float(row[index]) if 0 <= index < len(row) else None
    return float("nan") if value is None else value


def read(source: "Source", target: "Target") -> Reading:
    """Read the rows under the header; a repeated header begins another part."""
    blocks, lines = blocks_of(source), _Numbered(iter(()))
    first: list[str] = []
    for line in _first_lines(blocks, lines):
        first += [line] if line.strip() else []
        if first and (not line.startswith("#") or len(first) > MOST_REMARKS):
            break
    if not first:
        raise not_a_log(target.path, "the file is empty")
    at = _header_at(first)
    header, names = first[at], names_of_columns(header_names(first[at]), target.path)
    nameless = len(names) == 1 and _float(names[0]) is not None
    table, delimiter = _Table(["loss"] if nameless else names), delimiter_of(header)
    damage: list[Damage] = []
    rest = [*first[at + (not nameless) :], *lines.lines]
    lines.number -= len(first) - at - (not nameless)
    for block in chain(["\n".join(rest)] if rest else (), blocks):
        if table.take(block, delimiter, lines.number + 1):
            lines.pass_over(block.count("\n") + 1)
            continue
        more = chain.from_iterable(map(_split, blocks)) if '"' in block else ()  # a quoted cell may go on in the next
        lines.lines = chain(_split(block), more)
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        damage += _read_rows(rows, table.add, lines)
    series = table.columns.series()
    cut = table.cut(max((one.places[-1] for one in series.values()), default=0))
    if table.ragged:
        damage.append(Damage("a row has another number of cells than the header", table.ragged[0], len(table.ragged)))
    if lines.conflicts:
        damage.append(Damage("merge conflict markers stand in the log", lines.conflicts[0], len(lines.conflicts)))
    columns = table.columns
    return Reading(series, columns.odd, cut=cut, damage=tuple(damage), missing=columns.missing)


def _first_lines(blocks: Iterator[str], lines: "_Numbered") -> Iterator[str]:
    """The lines of the file, block by block; those behind the last one asked for are left in `lines`."""
    for block in blocks:
        lines.lines = iter(_split(block))
        yield from lines


def _split(block: str) -> list[str]:
    return block.split("\n")


def _read_rows(
    rows: Iterator[list[str]], add: Callable[[Sequence[str], int], None], lines: "_Numbered"
) -> Iterator[Damage]:
    while True:
        try:
            for row in rows:
                if row:
                    add(row, lines.number)
        except csv.Error:
            yield Damage("a row is no valid CSV", lines.number)
            continue
        return


class _Numbered:
    """The lines for `csv.reader`, cleaned and counted; merge conflict markers are set aside."""

    def __init__(self, lines: Iterator[str]) -> None:
        self.lines = lines
        self.number = 0
        self.conflicts: list[int] = []

    def pass_over(self, count: int) -> None:
        """Count lines that were read elsewhere."""
        self.number += count

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            self.number += 1
            if line.startswith(CONFLICT_MARKS) or line.rstrip("\r") == "=======":
                self.conflicts.append(self.number)
                continue
            if line.strip():
                yield line.replace("\0", "") if "\0" in line else line

    def __next__(self) -> str:
        return next(iter(self))
