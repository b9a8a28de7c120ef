"""Tables: rows, quotes, columns and delimiters that readers do not agree on."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired


@rule("TP-CSV-RAGGED", Severity.FAIL, needs=("rows",))
def ragged_row(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A row has more or fewer fields than the header, or than speech metadata must have.

    Why: pandas fills what is missing with NaN and fails on what is too much; `csv.DictReader` files the surplus under
    None. An unquoted delimiter inside a text is the usual cause.
    Fix: quote the field, or add what is missing.
    """
    yield from fired(
        data, "ragged", "a row has another number of fields than the header", "{first} in the first of {n} rows",
        f"{data.extra.get('columns')} fields",
    )  # fmt: skip
    yield from fired(
        data, "fields", "a line has another number of fields than the others", "{first} in the first of {n} lines",
        f"{data.extra.get('columns')} fields",
    )  # fmt: skip


@rule("TP-CSV-QUOTE", Severity.FAIL, needs=("table",))
def broken_quote(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A quote swallows what follows it.

    Why: a stray quote at the beginning of a field runs on over line ends to the next one, and several rows become one
    record. Where the rows inside could stand for themselves but the quotes do match, it is a warning; so is text after
    a closing quote in a row that is whole: readers keep the text, strict ones raise.
    Fix: double quotes inside a quoted field, and quote fields that begin with one.
    """
    yield from fired(data, "quote", "a quote swallows what follows it", "{first}, {n} lines", "balanced quotes")
    yield from fired(
        data, "swallowed", "lines inside a quoted field look like rows of their own", "{first}, {n} rows", "1 row a line",
        Severity.WARN,
    )  # fmt: skip
    yield from fired(
        data, "loose", "a quoted field goes on after its closing quote", "{first}, {n} rows", "a delimiter after it",
        Severity.WARN,
    )  # fmt: skip


@rule("TP-CSV-COLUMN", Severity.FAIL, needs=("table",))
def column_missing(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A column that the configuration asks for is missing.

    Why: the trainer will ask for it by name and raise.
    Fix: add or rename the column, or correct `columns` in the configuration.
    Stands down: without `columns`.
    """
    if not data.options.columns:
        raise StandDown("no columns configured")
    asked = len(data.options.columns)
    yield from fired(
        data,
        "column",
        "a column that must be there is missing",
        "{n} of " + f"{asked} columns missing",
        f"{asked} columns",
    )


@rule("TP-CSV-DUP-COLUMN", Severity.FAIL, needs=("table",))
def column_twice(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Two columns have one name.

    Why: pandas renames the second, `csv.DictReader` keeps the last, datasets refuses the file.
    Fix: rename or remove one.
    """
    yield from fired(data, "dup-column", "two columns have one name", "{n} names twice", "each name once")


@rule("TP-CSV-DELIMITER", Severity.WARN, needs=("table",))
def other_delimiter(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The delimiter is not the one that the suffix promises.

    Why: a reader with default settings finds one column with everything in it. With `columns` in the configuration,
    which a reader would look for in vain, it is a failure.
    Fix: write commas in `.csv` and tabs in `.tsv`, or tell the reader the delimiter.
    """
    severity = Severity.FAIL if data.options.columns else None
    wanted = "a tab" if data.format == "tsv" else "a comma"
    yield from fired(
        data, "delimiter", "the delimiter is another than the suffix promises", "{first}", wanted, severity
    )


@rule("TP-CSV-NA", Severity.WARN, needs=("table",))
def missing_value(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A cell of text or label reads NA, null, nan, None or the like.

    Why: pandas, and datasets through it, turns these words into missing values: the word "null" in a dictionary, the
    label "None" and the country code "NA" are lost.
    Fix: read with `keep_default_na=False`, or spell the value otherwise. Columns of numbers, where NaN is a number's
    own missing value, do not fire.
    """
    yield from fired(data, "na", "a cell that readers turn into a missing value", "{n} cells", "0 cells")


@rule("TP-CSV-FIELD-LIMIT", Severity.WARN, needs=("table",))
def huge_field(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A field is longer than Python's csv module reads by default.

    Why: `csv.Error: field larger than field limit (131072)` stops the reader in the middle of the file.
    Fix: shorten it, or raise `csv.field_size_limit`.
    """
    yield from fired(
        data,
        "field-limit",
        "a field is longer than the csv module's limit",
        "{first}, {n} fields",
        "≤ 131072 characters",
    )


@rule("TP-CSV-HEADER", Severity.WARN, needs=("rows",))
def no_header(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The first row does not look like names, or the names stand again among the rows.

    Why: a table without a header loses its first record to the column names. A header in the middle, where two tables
    were joined, is read as a record: "label" becomes a class, and a column of numbers one of texts. Speech metadata between
    vertical bars has none but Coqui's, `audio_file|text`: other names are read as a clip.
    Fix: add a header row, or tell the reader that there is none; remove the second header, or the one of speech metadata.
    """
    yield from fired(data, "no-header", "the first row looks like data, not like column names", "{first}", "names")
    yield from fired(
        data, "header-again", "the header stands again among the rows", "{first}, {n} times", "the header once"
    )
    yield from fired(
        data, "header-unknown", "the first line names the fields, where readers expect a clip or other names", "{first}",
        "a clip, or audio_file|text",
    )  # fmt: skip
