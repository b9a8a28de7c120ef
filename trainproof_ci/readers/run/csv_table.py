"""CSV logs: Ultralytics, Lightning, Keras, Stable Baselines and everything else with a header and a loss."""

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from trainproof_ci.readers.run.csv_gaps import filled
from trainproof_ci.readers.run.csv_header import delimiter_of, header_names, names_of_columns
from trainproof_ci.readers.run.csv_rows import MISSING, Table, as_float
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, blocks_of, head_lines, is_text
from trainproof_ci.readers.run.names import bare_loss, named_after_losses, named_like_a_log, says_training
from trainproof_ci.readers.run.vocabulary import is_loss
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

SUFFIXES = (".csv", ".tsv", ".txt", ".log", "")
LONGEST_HEADER = 1 << 14
"""Characters; a progress bar that is redrawn in one endless line is no header."""
MOST_REMARKS = 32
"""Lines of remarks above a table."""


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
        return (is_loss(names[0]) or as_float(names[0]) is not None) and _mostly_numbers(rows[1:], rows[0])
    if len(names) < 2 or any(as_float(name) is not None for name in names):
        return False
    return says_training(names, head) and (len(rows) == 1 or _mostly_numbers(rows[1:], rows[0]))


def _header_at(rows: Sequence[str]) -> int:
    """Which row is the header: the first below remarks that begin with `#`, or the last of those, if numbers follow it."""
    at = next((at for at, row in enumerate(rows) if not row.startswith("#")), 0)
    return at - 1 if at and _is_of_numbers(rows[at]) else at


def _is_of_numbers(row: str) -> bool:
    return all(as_float(cell.strip()) is not None for cell in row.split(delimiter_of(row)))


def _mostly_numbers(rows: Sequence[str], header: str) -> bool:
    plain = (row.replace("\0", "") for row in rows)
    try:
        cells = [cell.strip() for row in csv.reader(plain, delimiter=delimiter_of(header)) for cell in row]
    except csv.Error:
        return False
    known = [cell for cell in cells if cell.lower() not in MISSING]
    return sum(as_float(cell) is not None for cell in known) * 2 >= len(known)


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
    nameless = len(names) == 1 and as_float(names[0]) is not None
    table, delimiter = Table([bare_loss(target.path)] if nameless else names), delimiter_of(header)
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
    series = filled(table.columns.series())
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
