"""Rows in, series out: builds the columns of a log so that 125,000 rows stay cheap."""

from array import array
from math import isnan, nan
from typing import TYPE_CHECKING

from trainproof_ci.readers.run.facts import NO_NUMBERS, Odd, Series

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_COLUMNS = 4096
"""More distinct names than any trainer logs: what a file of free text could make up without end."""


class Columns:
    """Collects `row(place, step, epoch)` and, for that row, `add(name, value)`."""

    def __init__(self) -> None:
        self.places: array[int] = array("q")
        self.steps: array[float] = array("d")
        self.epochs: array[float] = array("d")
        self._rows: dict[str, array[int]] = {}
        self._values: dict[str, array[float]] = {}
        self._nulls: dict[str, list[int]] = {}
        self._odd: dict[str, Odd] = {}

    def row(self, place: int, step: float = nan, epoch: float = nan) -> None:
        """Begin a row at line or byte offset `place`; NaN says that no step or epoch is logged."""
        self.places.append(place)
        self.steps.append(step)
        self.epochs.append(epoch)

    def add(self, name: str, value: float) -> None:
        """A number in the current row."""
        values = self._values.get(name)
        if values is None:
            if len(self._values) >= MOST_COLUMNS:
                return
            values = self._values[name] = array("d")
            self._rows[name] = array("l")
        values.append(value)
        self._rows[name].append(len(self.places) - 1)

    def add_null(self, name: str) -> None:
        """A null in the current row: NaN from now on, remembered as null."""
        self.add(name, nan)
        if name in self._values:
            self._nulls.setdefault(name, []).append(len(self._values[name]) - 1)

    def add_odd(self, name: str) -> None:
        """A value in the current row that is no number."""
        before = self._odd.get(name)
        if before is not None:
            self._odd[name] = before._replace(values=before.values + 1)
        elif len(self._odd) < MOST_COLUMNS:
            self._odd[name] = Odd(1, self.places[-1])

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def __len__(self) -> int:
        return len(self.places)

    @property
    def odd(self) -> dict[str, Odd]:
        """The values that were no numbers, by column."""
        return self._odd

    def series(self) -> dict[str, Series]:
        """Every column with a number in it; columns that stand in the same rows share their arrays."""
        shared: dict[bytes, Series] = {}
        found = {}
        for name, rows in self._rows.items():
            nulls = frozenset(self._nulls.get(name, ()))
            if len(nulls) == len(rows):
                continue
            key = rows.tobytes()
            if key not in shared:
                shared[key] = self._gathered(rows)
            found[name] = shared[key]._replace(name=name, values=self._values[name], nulls=nulls)
        return found

    def _gathered(self, rows: "array[int]") -> Series:
        whole = len(rows) == len(self.places)
        places = self.places if whole else array("q", [self.places[i] for i in rows])
        steps = self.steps if whole else array("d", [self.steps[i] for i in rows])
        epochs = self.epochs if whole else array("d", [self.epochs[i] for i in rows])
        known = any(not isnan(e) for e in epochs)
        stepped = not any(map(isnan, steps))
        if not stepped:
            steps = _counted(steps, epochs)
        return Series("", NO_NUMBERS, steps, places, epochs if known else NO_NUMBERS, stepped=stepped)


def _counted(steps: "array[float]", epochs: "array[float]") -> "array[float]":
    """Steps for rows without one: the epoch where every row has it, else the number of the row."""
    if not any(map(isnan, epochs)):
        return epochs
    if all(map(isnan, steps)):
        return array("d", range(1, len(steps) + 1))
    return array("d", _filled(steps))


def _filled(steps: "array[float]") -> "Iterator[float]":
    """A row without a step stands at the step of the row before it."""
    last = 0.0
    for step in steps:
        last = last if isnan(step) else step
        yield last
