"""JSON that a mainstream reader refuses, or reads otherwise than the next one."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, reason, rule
from trainproof_ci.rules.dataset.sighted import fired

ARRAY = reason(
    "TP-JSON-ARRAY",
    Severity.FAIL,
    """A JSON array stands in a file of JSON Lines.

    Why: a reader of JSON Lines meets `[` where a record should begin.
    Fix: write one record a line (`jq -c '.[]'`), or name the file `.json`.
    """,
)


@rule("TP-JSON-PRETTY", Severity.FAIL, needs=("json",))
def over_several_lines(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Records are spread over several lines.

    Why: JSON Lines is one record a line; a pretty-printed record raises on its first line.
    Fix: write each record on one line (`jq -c .`).
    """
    yield from fired(data, "pretty", "records are spread over several lines", "{n} records", "one record a line")


@rule("TP-JSON-SYNTAX", Severity.FAIL, needs=("json",))
def not_json(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A line is not JSON.

    Why: a strict reader stops there, a lenient one drops the record.
    Fix: the place names the first character that does not belong; write the line with a JSON library.
    """
    yield from fired(data, "syntax", "not valid JSON", "{first} in the first of {n} lines", "JSON (RFC 8259)")


@rule("TP-JSON-EXTRA", Severity.FAIL, needs=("json",))
def more_than_one(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Something follows the value on its line.

    Why: two records glued together (a shard without final newline was appended), or the commas of an array without
    its brackets; strict readers raise "extra data".
    Fix: one value a line and nothing after it.
    """
    yield from fired(
        data,
        "extra",
        "something follows the value on its line",
        "{first} in the first of {n} lines",
        "one value a line",
    )


@rule("TP-JSON-NOT-OBJECT", Severity.FAIL, needs=("json",))
def no_object(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A record is valid JSON but no object.

    Why: trainers look fields up by name; a string, null or an array has none.
    Fix: write `{"text": …}` or whatever keys the trainer reads.
    """
    yield from fired(data, "not-object", "a record is no object", "{first} in the first of {n} lines", "an object")


@rule("TP-JSON-DUPKEY", Severity.FAIL, needs=("json",))
def repeated_key(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A key stands twice in one object.

    Why: Python keeps the last value, others the first, Arrow rejects the file: nobody knows what was trained on.
    Fix: keep one.
    """
    yield from fired(data, "duplicate-key", "a key stands twice in one object", "{n} records", "each key once")


@rule("TP-JSON-NONFINITE", Severity.FAIL, needs=("json",))
def not_finite(data: Survey, limits: Limits) -> Iterator[Firing]:
    """NaN or Infinity stands as a value.

    Why: JSON has neither. Python reads them, strict parsers stop, and a NaN in a weight or label poisons the loss.
    Fix: write null, or leave the record out.
    """
    yield from fired(
        data, "nonfinite", "a number that JSON does not have", "{first} in the first of {n} records", "finite numbers"
    )


@rule("TP-JSON-NUMBER", Severity.WARN, needs=("json",))
def huge_number(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A number is beyond what 64 bits hold.

    Why: `1e400` silently becomes infinity, an integer past 64 bits becomes a rounded double or an error in Arrow and pandas.
    Fix: write large ids as strings.
    """
    yield from fired(
        data, "number", "a number is beyond 64 bits", "{first} in the first of {n} records", "64-bit numbers"
    )


@rule("TP-JSON-DEPTH", Severity.NOT_CHECKED, needs=("json",))
def too_deep(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A record is nested deeper than the parser goes; it was not judged.

    Why: Python's parser gives up near 1,000 levels, some others crash, and no trainer reads 256.
    Fix: flatten the record.
    """
    yield from fired(
        data,
        "depth",
        "a record is nested too deeply to be judged",
        "{first}, {n} lines",
        "at most 256 levels",
    )
