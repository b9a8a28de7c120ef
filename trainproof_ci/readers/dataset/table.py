"""Tables: CSV and TSV with a header, whatever the delimiter; each row is a record from column to cell."""

from collections.abc import Iterator

from trainproof_ci.readers.dataset.cells import Cells
from trainproof_ci.readers.dataset.delimited import Dialect, Physical, Row, Rows
from trainproof_ci.readers.dataset.dialects import dialect_of, first_lines, first_rows, unmarked
from trainproof_ci.readers.dataset.headers import Header, found_below
from trainproof_ci.readers.dataset.known_columns import SPLITS, is_dataset, shape_of
from trainproof_ci.readers.dataset.plain_lines import Ends, is_marker
from trainproof_ci.readers.dataset.quick_rows import MARKS, QuickRows, texts_of
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.whole import is_hollow
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import TABLES
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

MOST_COLUMNS = 4096
"""A table with more columns is judged as text alone: no record of ours has that many fields."""


def recognise(head: Head) -> str | None:
    """A table by its suffix and by columns that say that it is a dataset, or by the name of a split and what goes with it."""
    if head.suffix not in TABLES:
        return None
    rows = [] if is_hollow(head) else first_rows(head)
    if rows and is_dataset(rows[0], head.path):
        return _name(head)
    if head.name.rpartition(".")[0].lower() not in SPLITS:
        return None
    from trainproof_ci.readers.dataset.unnamed_tables import is_split  # few tables are called so

    return _name(head) if not rows or is_split(head, rows) else None


def admit(head: Head) -> str | None:
    """A table that was named on purpose, whatever its columns."""
    if head.suffix not in TABLES:
        return None
    from trainproof_ci.readers.dataset.unnamed_tables import is_list_of_sounds

    return None if is_list_of_sounds(head) else _name(head)


def _name(head: Head) -> str:
    return "tsv" if TABLES.get(head.suffix) == "\t" else "csv"


def scan(source: Source, survey: "Survey") -> None:
    """Measure a whole table."""
    head = source.head()
    dialect = dialect_of(source)
    reading = _Reading(survey, dialect, TABLES.get(head.suffix, ","))
    samples = [row.fields for row in Rows(iter(unmarked(first_lines(head))), dialect) if row.fields]
    columns = Header(samples[0], dialect.delimiter).columns if samples else []
    values = (named(columns, row) for row in samples[1:] if len(row) == len(columns))
    shape = shape_of(columns)
    reading.cells.below = found_below(samples) if samples and shape is None else None
    survey.settle(values, shape)
    lines = Physical(source.file)
    rows = Rows(lines, dialect)
    while (row := reading.next(lines, rows)) is not None:
        reading.take(row)
    reading.finish()


def records(path: str) -> Iterator[Record]:
    """The records of a table again, without their faults."""
    header: Header | None = None
    number = 0
    with Source(path) as source:
        dialect = dialect_of(source)
        lines = Physical(source.file)
        rows = Rows(lines, dialect)
        while (row := rows.take()) is not None:
            if (
                not row.raw.strip()
                or not row.fields
                or is_marker(row.first.data)
                or (header is not None and _damaged(row))
            ):
                continue
            if header is None:
                header = Header(row.fields, dialect.delimiter)
            elif len(row.fields) == len(header.columns) and not header.again(row.fields):
                number += 1
                value = named(header.columns, row.fields)
                yield Record(number, row.first.number, row.first.byte_offset, value, row.raw)
            while texts := _texts(lines, header):  # whole blocks without a quote
                for record in _plain(lines, texts, dialect.delimiter, header.columns, number):
                    number = record.number
                    yield record


def _texts(lines: Physical, header: Header) -> list[str]:
    """The lines of the block that begins here, where csv would read each of them as a row by itself."""
    if not lines.more() or lines.at or lines.block.skipped:
        return []
    data = b"".join(lines.block.lines)
    plain = b'"' not in data and not header.is_in(data) and not any(mark in data for mark in MARKS)
    texts = texts_of(data)[0] if plain else []
    return texts if len(texts) == len(lines.block.lines) else []


def _plain(lines: Physical, texts: list[str], delimiter: str, header: list[str], number: int) -> Iterator[Record]:
    """The records of such a block, after `number` others."""
    block, offset, width = lines.block, lines.offset, len(header)
    lines.passed(len(texts))
    for at, (text, raw) in enumerate(zip(texts, block.lines, strict=True), block.line):
        fields = text.split(delimiter)
        if len(fields) == width and text.strip():
            number += 1
            yield Record(number, at, offset, dict(zip(header, fields, strict=False)), raw)
        offset += len(raw)


def named(header: list[str], fields: list[str]) -> dict[str, str]:
    """A row as a record; of columns with one name the last one counts, as for `csv.DictReader`."""
    return dict(zip(header, fields, strict=True))


def _damaged(row: Row) -> bool:
    if len(row.lines) == 1:
        return row.first.undecodable is not None or b"\0" in row.first.data
    return any(line.undecodable is not None or b"\0" in line.data for line in row.lines)


class _Reading:
    """Looks at one row after the other and tells the survey what it is."""

    def __init__(self, survey: "Survey", dialect: Dialect, expected: str) -> None:
        self.survey, self.dialect, self.expected = survey, dialect, expected
        self.header: Header | None = None
        self.columns: list[str] = []
        self.cells = Cells(survey)
        self.ends = Ends(survey)
        self.quick: QuickRows | None = None

    def next(self, lines: Physical, rows: Rows) -> Row | None:
        """The next row that must be looked at; those before it are counted."""
        if self.quick is not None:
            self.quick.run(lines)
        return rows.take()

    def take(self, row: Row) -> None:
        """Judge one row."""
        line = row.first
        for each in row.lines[:-1]:
            self.ends.take(each, blanks=False, ends_row=False)
        self.ends.take(row.lines[-1], blanks=False)
        if is_marker(line.data):
            self._sight("conflict", row, "conflict markers")
        elif row.problem is not None and not self._stands(row):
            self._problem(row)
        elif not row.fields or not row.raw.strip():
            if not line.skipped:
                self.ends.blanks.append(line)
        elif self.header is None or not _damaged(row):  # a damaged header still has names, which no other row has
            self.ends.told("blank-inside")
            self._fields(row)

    def _stands(self, row: Row) -> bool:
        """Whether a row is one though text follows a quote that is closed; more fields than columns are the quote's fault."""
        width = len(self.columns or row.fields)
        stands = 0 < len(row.fields) <= width
        if stands and len(row.fields) == width:
            self._sight("loose", row, "text after a closing quote", column=row.first.text.find('"') + 1)
        return stands

    def _problem(self, row: Row) -> None:
        """A row that csv cannot read: a quote that never closes, or is followed by something else."""
        if "new-line" in str(row.problem):
            self._sight("cr", row, "a lone CR")
            return
        inside = "expected after" in str(row.problem)
        why = "a quote that is closed inside a text" if inside else "a quote that never closes"
        self._sight("quote", row, why, column=row.first.text.find('"') + 1)

    def _fields(self, row: Row) -> None:
        line = row.first
        if self.header is None:
            self.header = Header(row.fields, self.dialect.delimiter)
            self.columns = self.header.columns
            self.cells.header(self.columns, line, self.dialect, self.expected)
            self.quick = QuickRows(self.survey, self.header, self.dialect, self.cells, self.ends)
        elif len(row.fields) != len(self.columns):
            self._sight("ragged", row, f"{len(row.fields)} fields")
        elif self.header.again(row.fields):
            self._sight("header-again", row, "the column names as a row")
        else:
            self.cells.row(row)
            self._record(row)

    def _record(self, row: Row) -> None:
        assert self.quick is not None
        if len(self.columns) > MOST_COLUMNS:
            self.survey.records += 1
        elif not self.quick.accept(row, raw := row.raw):
            value, line = named(self.columns, row.fields), row.first
            self.survey.take(value, raw, line=line.number, byte_offset=line.byte_offset)
            self.quick.learn()

    def _sight(self, name: str, row: Row, measured: str, column: int | None = None) -> None:
        self.survey.sight(
            name, row.first.number, column=column, byte_offset=row.first.byte_offset, content=row.raw, measured=measured
        )

    def finish(self) -> None:
        """What only the end of the file decides."""
        self.ends.finish()
        self.cells.finish()
