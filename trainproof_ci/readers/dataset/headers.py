"""The first row of a table: its names, whether they are names, and whether the row comes once more further down."""

from collections.abc import Sequence

LONGEST_NAME = 64
"""Characters; what is longer in a first row is no name of a column."""
MARK = "\ufeff"
FEWEST_BELOW = 2
"""Rows; once a cell may be called like its column by chance."""


class Header:
    """The header of a table. Where two tables were joined it stands again as a row, perhaps after a byte-order mark."""

    def __init__(self, fields: list[str], delimiter: str) -> None:
        self.columns = [field.strip() for field in fields]
        """The names of the columns, without the blanks around them."""
        asked = len(fields) > 1 and data_in(self.columns) is None  # a record may well come twice
        self._fields = fields if asked else []
        self._text = delimiter.join(fields).encode()

    def again(self, fields: list[str]) -> bool:
        """Whether a row is the header once more."""
        known = self._fields
        return known[-1:] == fields[-1:] and known[1:] == fields[1:] and known[0] == fields[0].removeprefix(MARK)

    def is_in(self, data: bytes) -> bool:
        """Whether the header may stand in some of these lines, which hold no quotes."""
        return bool(self._fields) and self._text in data


def data_in(names: list[str]) -> str | None:
    """What says that names are data: they are numbers or sentences; None where they may be names."""
    numbers, statements = sum(map(is_number, names)), sum(map(_is_statement, names))
    if numbers * 2 >= len(names) > 1:
        return f"{numbers} of {len(names)} names are numbers"
    return f"{statements} of {len(names)} names are sentences" if statements * 2 >= len(names) > 1 else None


def found_below(rows: Sequence[Sequence[str]]) -> str | None:
    """What says that the first row is a record as the others: one of its cells stands in its column again and again."""
    names, others = rows[0], [row for row in rows[1:] if row != rows[0]]  # which is where two tables were joined
    for at, name in enumerate(names):
        below = sum(len(row) == len(names) and row[at] == name for row in others)
        if below >= FEWEST_BELOW and name.strip() and len(names) > 1:
            return f"the name of column {at + 1} in {below} of the first rows"
    return None


def is_sentence(name: str) -> bool:
    """Whether a name is longer than names are, or ends as a sentence does."""
    return len(name) > LONGEST_NAME or (" " in name and name.endswith((".", "!", "?")))


def _is_statement(name: str) -> bool:
    """Whether a name is a sentence but no question, as the columns of a survey are."""
    return " " in name and name.endswith((".", "!"))


def is_number(cell: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True
