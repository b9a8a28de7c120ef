"""Tables whose first row has no names that datasets have: what their other rows, and the splits beside them, say of them."""

import os

from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.dataset.dialects import first_lines, first_rows
from trainproof_ci.readers.dataset.headers import data_in, found_below
from trainproof_ci.readers.dataset.known_columns import RUN_COLUMNS, SPLITS, is_dataset
from trainproof_ci.readers.source import Head
from trainproof_ci.readers.suffixes import SOUNDS

TRUSTED = ("train", "val")
"""The names of splits that a table without a header is known by; a `test.csv` is many things."""
WITH_LENGTH = 2
"""Fields of a line that names a sound and says how many frames it has."""
Rows = list[list[str]]


def is_split(head: Head, rows: Rows) -> bool:
    """Whether a table that is named for a split is a dataset, though its first row does not say so."""
    return _is_headerless(head, rows) or _has_twin(head, rows)


def _is_headerless(head: Head, rows: Rows) -> bool:
    """Whether the first row is a record as the others, of a split that such tables are known by."""
    records = len(rows[0]) > 1 and (data_in(rows[0]) is not None or found_below(rows) is not None)
    return records and _stem(head).startswith(TRUSTED)


def _has_twin(head: Head, rows: Rows) -> bool:
    """Whether another split that is a dataset lies beside a table and has as many columns; a lone line may have lost all."""
    if not RUN_COLUMNS.isdisjoint(name.strip().lower() for name in rows[0]):
        return False
    for word in sorted(SPLITS - {_stem(head)}):
        if not head.beside(word + head.suffix):
            continue
        try:
            other = Head.of(os.path.join(os.path.dirname(head.path), word + head.suffix))
        except Unreadable:
            continue
        theirs = first_rows(other)
        alike = len(rows) == 1 or len(theirs[0]) == len(rows[0])
        if alike and (is_dataset(theirs[0], other.path) or _is_headerless(other, theirs)):
            return True
    return False


def _stem(head: Head) -> str:
    return head.name.rpartition(".")[0].lower()


def is_list_of_sounds(head: Head) -> bool:
    """Whether the first line is a folder and all others name a sound in it and say how long it is: no table."""
    folder, *others = [line.text.strip().split("\t") for line in first_lines(head)] or [[]]
    sounds = (len(row) == WITH_LENGTH and row[0].lower().endswith(SOUNDS) and row[1].isdecimal() for row in others)
    return len(folder) == 1 and bool(others) and all(sounds)
