"""What the cells and the header of a table show: names, missing values, fields too long for a reader, swallowed rows."""

from trainproof_ci.readers.dataset.delimited import Dialect, Line, Row
from trainproof_ci.readers.dataset.faults import append
from trainproof_ci.readers.dataset.headers import data_in, is_number, is_sentence
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

FIELD_LIMIT = 131072
"""Characters: the default limit of Python's csv module."""
NA = frozenset(
    {
        "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA", "NULL",
        "NaN", "None", "n/a", "nan", "null",
    }
)  # fmt: skip
"""What pandas reads as a missing value, but for the empty cell."""
MOST_LABELS = 200
COUNTED = 1000
"""Rows that tell columns of numbers from columns of text."""
NAMES = {",": "a comma", "\t": "a tab", ";": "a semicolon", "|": "a vertical bar"}


class Cells:
    """Measures header and cells of one table, in the order of its rows."""

    def __init__(self, survey: "Survey") -> None:
        self.survey = survey
        self.width = 0
        self.below: str | None = None
        """What says of the first row, beside its cells, that it is a record; known before the header is measured."""
        self.texts: list[int] = []
        self.numbers: list[int] = []
        self.last_cells: set[str] = set()
        self.names: list[str] = []
        self.swallowed: list[tuple[Row, list[str]]] = []
        self.delimiter = ","

    def header(self, names: list[str], line: Line, dialect: Dialect, expected: str) -> None:
        """Measure the header."""
        survey, self.width, self.names, self.delimiter = self.survey, len(names), names, dialect.delimiter
        self.texts, self.numbers = [0] * self.width, [0] * self.width
        survey.extra["delimiter"] = NAMES[dialect.delimiter].removeprefix("a ")
        survey.extra["columns"] = self.width
        if dialect.delimiter not in {expected, "|"}:
            survey.sight("delimiter", line.number, measured=NAMES[dialect.delimiter], content=NAMES[expected].encode())
        for name in survey.options.columns:
            if name not in names:
                survey.sight("column", line.number, measured="a configured column", content=name.encode())
        if (data := data_in(names) or self.below) is not None:
            survey.sight("no-header", line.number, measured=data)
        elif not any(map(is_sentence, names)):  # else the first row is a record, whose cells may well be equal
            self._repeated(names, line)

    def _repeated(self, names: list[str], line: Line) -> None:
        seen: set[str] = set()
        column = 1
        for name in names:
            if name in seen and name:
                self.survey.sight(
                    "dup-column", line.number, column=column, measured="a column name twice", content=line.data
                )
            seen.add(name)
            column += len(name) + 1

    def row(self, row: Row) -> None:
        """Measure the cells of one row."""
        line, survey = row.first, self.survey
        counting = survey.records < COUNTED
        for at, cell in enumerate(row.fields):
            if len(cell) > FIELD_LIMIT:
                survey.sight(
                    "field-limit", line.number, byte_offset=line.byte_offset, content=row.raw,
                    record=survey.records + 1, measured=f"{len(cell)} characters",
                )  # fmt: skip
            if cell in NA:
                survey.sight(
                    f"na-{at}", line.number, byte_offset=line.byte_offset, content=row.raw, record=survey.records + 1
                )
            elif counting and cell:
                (self.numbers if is_number(cell) else self.texts)[at] += 1
        if len(row.lines) == 1:
            self.last(row.fields[-1])
        elif len(self.swallowed) < MOST_LABELS:
            self.swallowed.append((row, self._inner_ends(row)))

    def last(self, cell: str) -> None:
        """Note what stands in the last cell of a row of one line."""
        if len(self.last_cells) <= MOST_LABELS:
            self.last_cells.add(cell)

    def _inner_ends(self, row: Row) -> list[str]:
        """Where each inner line of a row could be a row of its own: what its last field would be; else nothing."""
        parts = [line.text.split(self.delimiter) for line in row.lines[:-1]]
        if not all(len(part) == self.width for part in parts) or self.width < 2:
            return []
        return [part[-1] for part in parts]

    def finish(self) -> None:
        """Missing values count in columns of text and in labels; numbers have NaN for their own."""
        survey = self.survey
        label = survey.shape.label if survey.shape is not None else None
        for at in range(self.width):
            seen = survey.faults.sightings.pop(f"na-{at}", None)
            if seen is None or (
                self.numbers[at] >= self.texts[at] and self.names[at] != label and self.numbers[at] > 0
            ):
                continue
            kept = survey.faults.sightings.setdefault("na", seen)
            if kept is not seen:
                append(kept.places, seen.places, 0, 0, 0)
        for row, ends in self.swallowed:
            if ends and set(ends) <= self.last_cells and len(self.last_cells) <= MOST_LABELS:
                survey.sight(
                    "swallowed", row.first.number, column=row.first.text.find('"') + 1, byte_offset=row.first.byte_offset,
                    content=row.raw, measured=f"{len(row.lines)} lines in one row",
                )  # fmt: skip
