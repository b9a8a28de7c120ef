"""How the fields of a table are told apart: which delimiter parts them, and whether quotes hold them together."""

from collections.abc import Sequence
from itertools import islice

from trainproof_ci.readers.dataset.delimited import Dialect, Line, Physical, Row, Rows, line_of
from trainproof_ci.readers.dataset.plain_lines import is_marker
from trainproof_ci.readers.dataset.whole import legible
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import TABLES
from trainproof_ci.typed import BinaryIO

SNIFFED_ROWS = 40
DELIMITERS = (",", "\t", ";", "|")
UNQUOTED = frozenset("\t|")
"""Delimiters that stand in no text, so that many tables with them are written without quoting anything."""
MOST_HEARD = 256
"""Rows with quotes that say whether quotes hold fields together."""


def first_lines(head: Head) -> list[Line]:
    """The first lines of the file that are whole and hold something."""
    found, offset = [], 0
    start = head.start if head.whole else head.start[: head.start.rfind(b"\n") + 1]
    for number, data in enumerate(start.split(b"\n")[: SNIFFED_ROWS * 2], 1):
        if data.strip():
            found.append(line_of(data + b"\n", number, offset))
        offset += len(data) + 1
    return found[:SNIFFED_ROWS]


def unmarked(lines: list[Line]) -> list[Line]:
    """Lines without those that mark a merge conflict."""
    return [line for line in lines if not is_marker(line.data)]


def first_rows(head: Head) -> list[list[str]]:
    """The first rows of a table, at least one; of what is no table its first lines."""
    lines = unmarked(first_lines(legible(head)))
    table = sniff(lines, TABLES[head.suffix])
    return table[1] if table is not None else [[line.text] for line in lines] or [[]]


def dialect_of(source: Source) -> Dialect:
    """The dialect of a table; its first lines tell the delimiter, else the suffix does. The next byte is its first again."""
    head = source.head()
    expected = TABLES.get(head.suffix, ",")
    table = sniff(first_lines(head), expected)
    delimiter = table[0].delimiter if table is not None else expected
    quoting = delimiter not in UNQUOTED or is_quoted(source.file, delimiter)
    source.file.seek(0)
    return Dialect(delimiter, quoting)


def sniff(lines: Sequence[Line], expected: str) -> tuple[Dialect, list[list[str]]] | None:
    """The dialect in which the first lines make a table, and their rows; `expected` is preferred. None without any."""
    best: tuple[Dialect, list[list[str]]] | None = None
    for delimiter in sorted(DELIMITERS, key=lambda each: each != expected):
        for quoting in (True, False) if delimiter in UNQUOTED else (True,):
            dialect = Dialect(delimiter, quoting)
            rows = [row.fields for row in Rows(iter(lines), dialect) if row.fields and row.problem is None]
            if not rows or len(rows[0]) < 2:
                continue
            if best is None or _fit(rows, lines) > _fit(best[1], lines):
                best = dialect, rows
    return best


def _fit(rows: list[list[str]], lines: Sequence[Line]) -> tuple[float, float]:
    """How much of the lines is in rows as wide as the first; a table that uses up all lines and has most columns wins."""
    width = len(rows[0])
    whole = sum(len(row) == width for row in rows)
    return round(whole / max(1, len(rows)), 1), min(1.0, len(rows) / max(1, len(lines))) + width / 1e6


def is_quoted(stream: BinaryIO, delimiter: str) -> bool:
    """Whether quotes hold fields together, by all rows with quotes: one that is broken must not change how the others are read.

    Where no row contradicts, it is so. Else fields that had to be quoted speak for it, and quotes around fields that
    did not need them if most rows have such: a text that is a quotation is written with quotes of its own.
    """
    lines = Physical(stream)
    rows = Rows(lines, Dialect(delimiter))
    header = rows.take()
    width = len(header.fields) if header is not None else 0
    heard = {"against": 0, "needed": 0, "adorned": 0, "nothing": 0}
    while sum(heard.values()) < MOST_HEARD and _goes_to_quote(lines, delimiter.encode() + b'"'):
        row = rows.take()
        heard[_says(row, delimiter, width) if row is not None else "nothing"] += 1
    most = heard["adorned"] * 2 > lines.block.line + lines.at - 2
    return not heard["against"] or heard["needed"] + (heard["adorned"] if most else 0) > heard["against"]


def _goes_to_quote(lines: Physical, inside: bytes) -> bool:
    """Whether there is a line with a field that begins with a quote, its first or one `inside`; it is the next one then."""
    while lines.more():
        block, at = lines.block, lines.at
        if block.skipped:
            next(lines)
        elif at == 0 and b'"' not in block.data:
            lines.passed(len(block.lines))
        else:
            ahead = islice(block.lines, at, None)
            found = next((n for n, line in enumerate(ahead) if inside in line or line[:1] == b'"'), None)
            lines.passed(len(block.lines) - at if found is None else found)
            if found is not None:
                return True
    return False


def _says(row: Row, delimiter: str, width: int) -> str:
    """What a row with quotes says about them: nothing where it reads the same with and without."""
    if row.problem is not None:
        return "against"
    apart = [line.text.split(delimiter) for line in row.lines if line.text]
    if len(row.lines) > 1:  # lines that are rows each were swallowed by the quotes of two texts
        return "needed" if len(row.fields) == width and any(len(part) != width for part in apart) else "against"
    if apart[0] == row.fields or len(row.fields) != width:
        return "nothing"
    doubled = '""' in row.first.text and any('"' in field for field in row.fields)
    return "needed" if doubled or len(apart[0]) != width else "adorned"
