"""The rows of a CSV log under the header in force, and what did not fit it."""

import re
from collections.abc import Sequence

from trainproof_ci.readers.run.columns import Block, Columns
from trainproof_ci.readers.run.console_lines import SIGNS
from trainproof_ci.readers.run.csv_block import rows_of
from trainproof_ci.readers.run.facts import Cut
from trainproof_ci.readers.run.records import number
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, PHASE_KEYS, STEP_KEYS, in_phase

LONGEST_FOOTER = 16
"""Lines of remarks below a table."""
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[^\W\d_]+")
MISSING = frozenset({"", "-", "--", "none", "null", "n/a", "na"})


def as_float(cell: str) -> float | None:
    """The number that a cell holds or writes out; None where it holds none."""
    try:
        return plain_float(cell)
    except ValueError:
        return number(cell)


def plain_float(cell: str) -> float:
    """The number in a cell. Raises ValueError, also for `12_0.5`, which Python would take for 120.5."""
    if "_" in cell:
        raise ValueError
    return float(cell)


class Table:
    """Adds rows under the header in force; counts what does not fit it."""

    def __init__(self, header: Sequence[str]) -> None:
        self.columns = Columns()
        self.ragged: list[int] = []
        self._latest: dict[int, Sequence[str]] = {}
        """The last rows that did not fit, by their lines."""
        self._fitting: Sequence[str] = ()
        """The last row that was no row of plain numbers."""
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
            block.flat.extend(map(plain_float, filter(None, row)))
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
        if behind and self._begins_a_row(self._latest[behind[-1]]):
            return Cut("the last row is cut", self.ragged.pop())
        if behind and all(_is_remark(self._latest.get(line, ())) for line in behind):
            del self.ragged[-len(behind) :]
        return None

    def _begins_a_row(self, row: Sequence[str]) -> bool:
        """Whether a row is the beginning of one that would fit: it has too few cells, written like those of the others."""
        if len(row) >= len(self.header):
            return False
        like = self._fitting or ("0",) * len(self.header)
        *whole, last = (_written(cell) for cell in row)
        return whole == [_written(cell) for cell in like[: len(whole)]] and _written(like[len(whole)]).startswith(last)

    def _is_header(self, row: Sequence[str]) -> bool:
        return [cell.strip() for cell in row[:2]] == self.header[:2]

    def _mixed(self, row: Sequence[str], line: int) -> None:
        """A row with cells that are no plain numbers."""
        if self._is_header(row):
            return
        self._fitting = row
        named = []
        for name, cell in zip(self.header, row, strict=True):
            value = as_float(cell)
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


def _written(cell: str) -> str:
    """How a cell is written: as a number, or with what its digits and letters stand between."""
    return "0" if as_float(cell) is not None else _LETTERS.sub("a", _DIGITS.sub("0", cell.strip()))


def _is_remark(row: Sequence[str]) -> bool:
    """Whether a row is one cell of words, and no error: `f1 score on the test set: 0.78`."""
    return len(row) == 1 and as_float(row[0]) is None and not any(sign in row[0] for sign in SIGNS)


def _index(header: Sequence[str], names: Sequence[str]) -> int:
    return next((header.index(name) for name in names if name in header), -1)


def _cell(row: Sequence[str], index: int) -> float:
    value = as_float(row[index]) if 0 <= index < len(row) else None
    return float("nan") if value is None else value
