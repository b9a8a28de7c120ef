"""Logged records, mappings of names to values, into rows: the shape of a record is looked at once."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan

from trainproof_ci.patterns import later
from trainproof_ci.readers.run.columns import EPOCH, STEP, Block, Columns
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, PHASE_KEYS, STEP_KEYS, in_phase, is_eval
from trainproof_ci.typed import Any, NamedTuple

NUMBER = re.compile(
    r"[-+]?(?:(?:\d{1,3}(?:_\d{3})+|\d+)\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|infinity)",
    re.IGNORECASE | re.ASCII,
)
_OF = re.compile(r"\s*\[?(\d+(?:\.\d+)?)\s*/\s*\d+\]?\s*", re.ASCII)
_TENSOR = later(r"(?:tf\.)?[tT]ensor\(\s*([-+.\w]+)")
"""A number that was printed with what holds it: `tensor(0.69, grad_fn=<NllLossBackward0>)`."""
LONGEST_NUMBER = 128
DEEPEST = 3
MOST_SHAPES = 4096


def number(value: object) -> float | None:
    """The number that `value` is or writes out ("0.91"; "10/438" counts as 10); None for anything else."""
    if isinstance(value, float):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    if isinstance(value, str) and len(value) < LONGEST_NUMBER:
        text = value.strip(" \t\r\n")
        if (tensor := _TENSOR.match(text)) is not None:
            text = tensor[1]
        if NUMBER.fullmatch(text):
            return float(text)
        part = _OF.fullmatch(text)
        return float(part[1]) if part else None
    return None


class _Shape(NamedTuple):
    """Rows whose values are all numbers go to `block` as they are; others, without one, value by value."""

    block: Block | None


_MIXED = _Shape(None)


class Records:
    """Adds records to columns."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._shapes: dict[tuple[tuple[str, ...], tuple[type, ...]], _Shape] = {}

    def add(self, record: Mapping[str, Any], place: int) -> None:
        """A row of the numbers of `record`; its step and epoch by the names that trainers give them."""
        values = record.values()
        key = tuple(record), tuple(map(type, values))
        shape = self._shapes.get(key) or self._new_shape(*key)
        if shape.block is not None:
            shape.block.flat.extend(values)
            shape.block.places.append(place)
        else:
            self._mixed(record, place)

    def add_alike(self, columns: Mapping[str, Sequence[Any]], places: Sequence[int]) -> None:
        """Rows of one shape, given column by column: each of numbers alone, or of texts and truth values alone."""
        numbers: dict[str, Sequence[float]] = {}
        odd: list[str] = []
        for name, values in columns.items():
            if isinstance(values[0], float):
                numbers[name] = values
                continue
            said = set(values)
            if name in PHASE_KEYS and any(isinstance(value, str) and is_eval(value) for value in said):
                self._one_by_one(columns, places)
                return
            written = {value: found for value in said if (found := number(value)) is not None}
            if not written:
                odd.append(name)
            elif len(written) == len(said):
                numbers[name] = [written[value] for value in values]
            else:  # some of the texts write out a number
                self._one_by_one(columns, places)
                return
        self._add_numbers(numbers, places, plain=all(isinstance(values[0], float) for values in columns.values()))
        for name in odd:
            self.columns.add_odd(name, places[0], len(places))

    def _one_by_one(self, columns: Mapping[str, Sequence[Any]], places: Sequence[int]) -> None:
        for row, place in zip(zip(*columns.values(), strict=True), places, strict=True):
            self._mixed(dict(zip(columns, row, strict=True)), place)

    def _add_numbers(self, numbers: Mapping[str, Sequence[float]], places: Sequence[int], *, plain: bool) -> None:
        names, none = tuple(numbers), [nan] * len(places)
        step, epoch = _first(names, STEP_KEYS), _first(names, EPOCH_KEYS)
        if plain:
            if (block := self.columns.block(names, step, epoch)) is not None:
                block.extend(list(numbers.values()), places)
            return
        hidden = [numbers[names[index]] if index >= 0 else none for index in (step, epoch)]
        block = self.columns.block((STEP, EPOCH, *names), 0, 1) if names else None
        if block is not None:
            block.extend([*hidden, *numbers.values()], places)

    def _new_shape(self, names: tuple[str, ...], types: tuple[type, ...]) -> _Shape:
        shape = _MIXED
        if names and set(types) == {float}:
            shape = _Shape(self.columns.block(names, _first(names, STEP_KEYS), _first(names, EPOCH_KEYS)))
        if len(self._shapes) < MOST_SHAPES:
            self._shapes[names, types] = shape
        return shape

    def _mixed(self, record: Mapping[str, Any], place: int) -> None:
        named = list(self._numbers(record, place, "", 0))
        phase = next(
            (value for name in PHASE_KEYS.intersection(record) if isinstance(value := record[name], str)), None
        )
        if phase is not None:
            named = [(in_phase(name, phase), value) for name, value in named]
        step, epoch = _value(record, STEP_KEYS), _value(record, EPOCH_KEYS)
        if named:
            self.columns.add(place, named, step, epoch)
        for name, inner in record.items():
            if isinstance(inner, list):
                self._inside(name, inner, place, (step, epoch))

    def _inside(self, name: str, inner: list[Any], place: int, at: tuple[float, float]) -> None:
        """The records of a list inside a record: rows of their own, called `outer/inner`."""
        for entry in inner:
            if isinstance(entry, dict) and (named := list(self._numbers(entry, place, f"{name}/", 1))):
                own = _value(entry, STEP_KEYS), _value(entry, EPOCH_KEYS)
                step, epoch = (its if isnan(mine) else mine for mine, its in zip(own, at, strict=True))
                self.columns.add(place, named, step, epoch)

    def _numbers(self, record: Mapping[str, Any], place: int, prefix: str, depth: int) -> Iterator[tuple[str, float]]:
        """The (name, number) pairs of `record`; a mapping inside counts by "outer/inner"."""
        for key, value in record.items():
            name = prefix + key
            if value is None:
                self.columns.add_null(name, place)
                yield name, nan
            elif isinstance(value, dict):
                if depth < DEEPEST:
                    yield from self._numbers(value, place, f"{name}/", depth + 1)
            elif (found := number(value)) is not None:
                yield name, found
            elif isinstance(value, (str, bool)):
                self.columns.add_odd(name, place)


def _first(names: Sequence[str], wanted: tuple[str, ...]) -> int:
    return next((names.index(name) for name in wanted if name in names), -1)


def _value(record: Mapping[str, Any], wanted: tuple[str, ...]) -> float:
    found = (number(record[name]) for name in wanted if name in record)
    return next((value for value in found if value is not None), nan)
