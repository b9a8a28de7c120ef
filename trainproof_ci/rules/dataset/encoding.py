"""Bytes that are not the UTF-8 they should be."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired


@rule("TP-ENC-UTF16", Severity.FAIL)
def wide_text(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file is UTF-16 or UTF-32.

    Why: every reader of datasets expects UTF-8; Windows PowerShell 5 writes UTF-16 with `>`.
    Fix: convert it, for example with `iconv -f UTF-16 -t UTF-8`.
    """
    yield from fired(data, "wide", "a file is not UTF-8", "{first}, {n} files", "UTF-8")


@rule("TP-ENC-UTF8", Severity.FAIL, needs=("text",))
def not_utf8(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Bytes that are not UTF-8.

    Why: Python readers raise UnicodeDecodeError there, others read on with the text destroyed.
    Fix: find out the real encoding (often cp1252) and convert the file; do not drop the bytes.
    """
    yield from fired(data, "utf8", "bytes that are not valid UTF-8", "{first}, {n} lines in all", "UTF-8 throughout")


@rule("TP-ENC-BOM", Severity.FAIL)
def byte_order_mark(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file begins with a byte-order mark.

    Why: `json.loads` raises on the first line of a JSON Lines file, and the first key or clip id of a table gets an
    invisible character in front.
    Fix: save as UTF-8 without BOM. For `target: azure-openai` the mark is asked for and does not fire.
    """
    if data.options.target != "azure-openai":
        severity = Severity.WARN if data.format in {"csv", "tsv"} else None
        yield from fired(data, "bom", "the file begins with a byte-order mark", "{first}", "no mark", severity)


@rule("TP-ENC-BOM-MID", Severity.FAIL, needs=("text",))
def mark_inside(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A line inside the file begins with a byte-order mark.

    Why: files with a mark were joined with `cat`; a JSON reader raises on that line.
    Fix: remove the three bytes EF BB BF at the line start.
    """
    yield from fired(data, "bom-inside", "a line begins with a byte-order mark", "{n} marks", "0")


@rule("TP-ENC-NUL", Severity.FAIL, needs=("text",))
def nul_bytes(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Raw NUL bytes stand in the file.

    Why: a crash while appending, or space that was reserved and never written; the records there are lost.
    Fix: write the file again from its source.
    """
    yield from fired(data, "nul", "raw NUL bytes stand in the file", "{first} on the first of {n} lines", "0")


@rule("TP-ENC-SURROGATE", Severity.FAIL, needs=("json",))
def lone_surrogate(data: Survey, limits: Limits) -> Iterator[Firing]:
    r"""An escaped surrogate stands without its other half.

    Why: `\ud83d` alone parses, but raises "surrogates not allowed" when the text is encoded; Arrow and orjson reject it.
    Fix: a text was cut in the middle of an emoji; cut by characters, not by UTF-16 units.
    """
    yield from fired(data, "surrogate", "half of an escaped surrogate pair", "{n} records", "whole characters")
