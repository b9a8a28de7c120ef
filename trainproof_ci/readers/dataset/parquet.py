"""Parquet: schema, row count and the same record rules, through pyarrow where it is installed."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

MAGIC = b"PAR1"
SMALLEST = 12
BATCH = 256
SAMPLED = 64
RAW = 4096
"""Characters of a row that its content key is made of."""
DAMAGED = (
    "deserialize thrift",
    "end of stream",
    "corrupt",
    "decompression failed",
    "codec failed",
    "invalid page header",
)
"""What pyarrow says of bytes that no reader can make sense of."""
BOUNDED = ("limit", "maxmessagesize")
"""What it says where a file is only larger than it will read."""


def recognise(head: Head) -> str | None:
    """Parquet by its suffix, or by its magic number under a name without one."""
    return "parquet" if head.suffix in {".parquet", ".pq"} else None


def scan(source: Source, survey: "Survey") -> None:
    """Measure all rows; a record of a binary file has a number and no line."""
    survey.settle(_samples(source))
    for value in _rows(source):
        survey.take(value, repr(value)[:RAW].encode("utf-8", "surrogatepass"), line=0, byte_offset=0)
    survey.extra["columns"] = len(survey.columns.named()) if not survey.columns.varied else 0


def records(path: str) -> Iterator[Record]:
    """The rows again."""
    with Source(path) as source:
        for number, value in enumerate(_rows(source), 1):
            yield Record(number, 0, 0, value, repr(value)[:RAW].encode("utf-8", "surrogatepass"))


def _samples(source: Source) -> list[Mapping[str, Any]]:
    return [value for value, _ in zip(_rows(source), range(SAMPLED), strict=False)]


def _rows(source: Source) -> Iterator[dict[str, Any]]:
    """The rows as records, a batch at a time. Raises `Unreadable` for a file that is cut or damaged."""
    _refuse_cut(source)
    arrow, parquet = _arrow(source)
    source.file.seek(0)
    opened = None
    try:
        opened = parquet.ParquetFile(source.file)
        for batch in opened.iter_batches(batch_size=BATCH, use_threads=False):
            yield from batch.to_pylist()
    except (arrow.ArrowException, OSError, ValueError, OverflowError) as error:
        rule = "TP-FILE-UNREADABLE" if opened is None else _rule(error)
        raise Unreadable(
            f"pyarrow cannot read the file ({type(error).__name__})", rule=rule, measured=type(error).__name__,
            limit="a whole Parquet file", location=Location(source.path, byte_offset=0),
        ) from None  # fmt: skip


def _rule(error: Exception) -> str:
    """The rule that explains an error in rows behind a footer that is whole: they are damaged, or pyarrow does not read them."""
    if isinstance(error, UnicodeDecodeError):
        return "TP-ENC-UTF8"
    said = str(error).lower()
    damaged = any(words in said for words in DAMAGED) and not any(words in said for words in BOUNDED)
    return "TP-FILE-NOT-DATA" if damaged else "TP-FILE-UNREADABLE"


def _refuse_cut(source: Source) -> None:
    """A file whose footer was never written has the magic number at its beginning only."""
    source.file.seek(0)
    start = source.file.read(4)
    source.file.seek(max(0, source.size - 8))
    footer = source.file.read(8)
    whole = source.size >= SMALLEST and start == MAGIC and footer[4:] == MAGIC
    length = int.from_bytes(footer[:4], "little")
    if not whole:
        what = "no footer at the end" if start == MAGIC else "no Parquet magic number"
        raise Unreadable(
            "the Parquet file is cut: its footer was never written" if start == MAGIC else "the file is no Parquet file",
            rule="TP-FILE-NOT-DATA", measured=f"{what}, {source.size} bytes", limit="PAR1 at both ends",
            location=Location(source.path, byte_offset=max(0, source.size - 4)),
        )  # fmt: skip
    if length + SMALLEST > source.size:
        raise Unreadable(
            "the footer claims to be longer than the file", measured=f"{length} bytes", limit=f"≤ {source.size - SMALLEST} bytes",
            location=Location(source.path, byte_offset=source.size - 8),
        )  # fmt: skip


def _arrow(source: Source) -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise Unreadable(
            "Parquet needs an extra: pip install 'trainproof-ci[parquet]'",
            rule="TP-FILE-UNSUPPORTED", measured="a Parquet file, pyarrow not installed", limit="pyarrow",
            location=Location(source.path, byte_offset=0),
        ) from None  # fmt: skip
