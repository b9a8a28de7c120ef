"""Many rows of a CSV log taken apart at once: where each cell is a plain number or empty, no row needs a look of its own."""

from array import array
from itertools import compress

from trainproof_ci.typed import NamedTuple

MOST_MASKS = 8
"""Different sets of filled cells in one block; rows that are filled at random are read one by one."""


class Rows(NamedTuple):
    """The rows in which the same cells are filled: which, the numbers in them by column, and where they stand."""

    filled: tuple[bool, ...]
    columns: "list[array[float]]"
    at: list[int]


def rows_of(text: str, delimiter: str, width: int) -> list[Rows] | None:
    """The rows of a text of whole lines, counted from 0; None where they need a closer look."""
    text = text.replace("\r\n", "\n").removesuffix("\r")
    if not text or '"' in text or "\r" in text or "\0" in text or "_" in text:
        return None
    count = text.count("\n") + 1
    cells = text.replace("\n", f"{delimiter}\n{delimiter}").split(delimiter)
    if len(cells) != count * (width + 1) - 1 or cells[width :: width + 1].count("\n") != count - 1:
        return None
    columns = [cells[at :: width + 1] for at in range(width)]
    try:
        if not any("" in column for column in columns):
            return [Rows((True,) * width, [_numbers(column) for column in columns], list(range(count)))]
        return _by_mask(columns)
    except ValueError:
        return None


def _by_mask(columns: list[list[str]]) -> list[Rows] | None:
    masks = list(zip(*(map(bool, column) for column in columns), strict=True))
    kinds = set(masks)
    if len(kinds) > MOST_MASKS:
        return None
    found = []
    for kind in kinds:
        chosen = list(map(kind.__eq__, masks))
        kept = [_numbers(list(compress(column, chosen))) for column in compress(columns, kind)]
        found.append(Rows(kind, kept, list(compress(range(len(masks)), chosen))))
    return found


def _numbers(cells: list[str]) -> "array[float]":
    return array("d", list(map(float, cells)))
