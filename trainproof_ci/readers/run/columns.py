"""Rows in, series out: rows of one shape go into one flat array, so that 125,000 of them stay cheap."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import isfinite, isnan, nan

from trainproof_ci.readers.run.facts import NO_NUMBERS, Odd, Series
from trainproof_ci.typed import NamedTuple

MOST_COLUMNS = 4096
"""More distinct names than any trainer logs: what a file of free text could make up without end."""
STEP, EPOCH = "\0step", "\0epoch"
"""Names of the hidden columns in which a reader hands over the step and epoch that hold for a row."""


class Block:
    """The rows of one shape: `flat` holds them one after the other, `places` the line of each.

    Rows that come column by column are kept so, behind those that `flat` held before.
    """

    __slots__ = ("_columns", "epoch", "flat", "names", "places", "step")

    def __init__(self, names: Sequence[str], step: int, epoch: int) -> None:
        self.names, self.step, self.epoch = tuple(names), step, epoch
        self.flat: array[float] = array("d")
        self.places: array[int] = array("q")
        self._columns: list[array[float]] = []

    def extend(self, columns: "Sequence[Sequence[float]]", places: Iterable[int]) -> None:
        """Add rows that are given column by column."""
        self._columns = self._columns or [array("d") for _ in self.names]
        self._settle()
        for mine, more in zip(self._columns, columns, strict=True):
            mine.extend(more)
        self.places.extend(places)

    def _settle(self) -> None:
        if self.flat:
            for index, mine in enumerate(self._columns):
                mine.extend(self.flat[index :: len(self.names)])
            del self.flat[:]

    def column(self, index: int) -> "array[float]":
        """The values of one column; NaN throughout for the index -1."""
        if index < 0:
            return array("d", [nan]) * len(self.places)
        if not self._columns:
            return self.flat[index :: len(self.names)]
        self._settle()
        return self._columns[index]


class _Frame(NamedTuple):
    """What columns that stand in the same blocks share; `order` is None where the rows are in order already."""

    steps: "array[float]"
    places: "array[int]"
    epochs: "array[float]"
    stepped: bool
    order: "list[int] | None"


class Columns:
    """All blocks of one log, and what was null or no number in it."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[tuple[str, ...], int, int], Block] = {}
        self._names: dict[str, None] = {}
        self._nulls: dict[str, set[int]] = {}
        self.odd: dict[str, Odd] = {}
        self.missing: dict[str, Odd] = {}

    def block(self, names: Sequence[str], step: int = -1, epoch: int = -1) -> Block | None:
        """The block for rows of these columns, of which `step` and `epoch` say where they are; None for too many."""
        key = tuple(names), step, epoch
        found = self._blocks.get(key)
        if found is None:
            self._names.update(dict.fromkeys(names))
            if len(self._names) > MOST_COLUMNS or len(self._blocks) > MOST_COLUMNS:
                return None
            found = self._blocks[key] = Block(*key)
        return found

    def has(self, name: str) -> bool:
        """Whether there are rows with this column."""
        return name in self._names

    def add(self, place: int, named: Sequence[tuple[str, float]], step: float = nan, epoch: float = nan) -> None:
        """One row, its step and epoch apart."""
        block = self.block((STEP, EPOCH, *(name for name, _ in named)), 0, 1)
        if block is not None:
            block.flat.extend((step, epoch, *(value for _, value in named)))
            block.places.append(place)

    def add_null(self, name: str, place: int) -> None:
        """Remember that the NaN in the row at `place` was written as null."""
        self._nulls.setdefault(name, set()).add(place)

    def add_odd(self, name: str, place: int, values: int = 1) -> None:
        """Count values that are no numbers."""
        _count(self.odd, name, place, values)

    def add_missing(self, name: str, place: int) -> None:
        """Count a cell that says that there is no value: `-`, `None`."""
        _count(self.missing, name, place, 1)

    def series(self) -> dict[str, Series]:
        """Every column with a number in it, in the order of the file; columns of the same rows share their arrays."""
        standing: dict[str, list[tuple[Block, int]]] = {}
        for block in self._blocks.values():
            for index, name in enumerate(block.names):
                if not name.startswith("\0"):
                    standing.setdefault(name, []).append((block, index))
        frames: dict[tuple[int, ...], _Frame] = {}
        found = {name: self._one(name, parts, frames) for name, parts in standing.items()}
        return {name: series for name, series in found.items() if len(series.nulls) < series.size}

    def _one(self, name: str, parts: list[tuple[Block, int]], frames: dict[tuple[int, ...], _Frame]) -> Series:
        key = tuple(id(block) for block, _ in parts)
        if key not in frames:
            frames[key] = _frame([block for block, _ in parts])
        frame = frames[key]
        values = _ordered([block.column(index) for block, index in parts], frame.order)
        written = self._nulls.get(name)
        nulls: frozenset[int] = frozenset()
        if written:
            nulls = frozenset(i for i, at in enumerate(frame.places) if at in written and isnan(values[i]))
        return Series(name, values, frame.steps, frame.places, frame.epochs, nulls=nulls, stepped=frame.stepped)


def _count(counts: dict[str, Odd], name: str, place: int, values: int) -> None:
    before = counts.get(name)
    if before is not None:
        counts[name] = before._replace(values=before.values + values)
    elif len(counts) < MOST_COLUMNS:
        counts[name] = Odd(values, place)


def _ordered(parts: "list[array[float]]", order: list[int] | None) -> "array[float]":
    if len(parts) == 1:
        return parts[0]
    joined = array(parts[0].typecode, chain.from_iterable(parts))
    return joined if order is None else array(joined.typecode, [joined[i] for i in order])


def _frame(blocks: list[Block]) -> _Frame:
    """Steps, places and epochs of the rows of these blocks, in the order of the file."""
    order = None
    if len(blocks) > 1:
        at = list(chain.from_iterable(block.places for block in blocks))
        order = sorted(range(len(at)), key=at.__getitem__)
        places = array("q", [at[i] for i in order])
    else:
        places = blocks[0].places
    steps = _ordered([block.column(block.step) for block in blocks], order)
    epochs = _ordered([block.column(block.epoch) for block in blocks], order)
    known, stepped = _any_number(epochs), not _any_nan(steps)
    if not stepped:
        steps = _counted(steps, epochs)
    return _Frame(steps, places, epochs if known else NO_NUMBERS, stepped, order)


def _any_nan(values: "array[float]") -> bool:
    return not isfinite(sum(values)) and any(map(isnan, values))


def _any_number(values: "array[float]") -> bool:
    return isfinite(sum(values)) or not all(map(isnan, values))


def _counted(steps: "array[float]", epochs: "array[float]") -> "array[float]":
    """Steps for rows without one: the epoch where every row has it, else the number of the row."""
    if not _any_nan(epochs):
        return epochs
    if not _any_number(steps):
        return array("d", range(1, len(steps) + 1))
    return array("d", _filled(steps))


def _filled(steps: "array[float]") -> Iterator[float]:
    """A row without a step stands at the step of the row before it."""
    last = 0.0
    for step in steps:
        last = last if isnan(step) else step
        yield last
