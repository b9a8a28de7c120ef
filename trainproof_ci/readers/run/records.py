"""One logged record, a mapping of names to values, into a row of columns."""

import re
from collections.abc import Mapping
from math import nan
from typing import Any

from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS

NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
_OF = re.compile(r"\s*\[?(\d+(?:\.\d+)?)\s*/\s*\d+\]?\s*")
DEEPEST = 3


def number(value: object) -> float | None:
    """The number that `value` is or writes out ("0.91", "10/438" counts as 10); None for anything else."""
    if isinstance(value, float):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        try:
            return float(value)
        except OverflowError:
            return float("inf") if value > 0 else float("-inf")
    if isinstance(value, str) and len(value) < 64:
        text = value.strip()
        if NUMBER.fullmatch(text):
            return float(text)
        part = _OF.fullmatch(text)
        return float(part[1]) if part else None
    return None


def add_record(columns: Columns, record: Mapping[str, Any], place: int) -> None:
    """A row of the numbers of `record`; its step and epoch by the names that trainers give them."""
    columns.row(place, _first(record, STEP_KEYS), _first(record, EPOCH_KEYS))
    add_values(columns, record)


def add_values(columns: Columns, record: Mapping[str, Any], prefix: str = "", depth: int = 0) -> None:
    """The values of `record` into the current row; a mapping inside counts by "outer/inner"."""
    for name, value in record.items():
        if type(value) is float:
            columns.add(prefix + name, value)
        elif value is None:
            columns.add_null(prefix + name)
        elif isinstance(value, dict):
            if depth < DEEPEST:
                add_values(columns, value, f"{prefix}{name}/", depth + 1)
        elif (found := number(value)) is not None:
            columns.add(prefix + name, found)
        elif isinstance(value, str):
            columns.add_odd(prefix + name)


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> float:
    for name in names:
        if name in record:
            found = number(record[name])
            if found is not None:
                return found
    return nan
