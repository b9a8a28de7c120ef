"""Datasets that are as a whole not what they should be: empty, another format, merged badly, too large or too few."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, reason, rule
from trainproof_ci.rules.dataset.sighted import fired

NOT_DATA = reason(
    "TP-FILE-NOT-DATA",
    Severity.FAIL,
    """The bytes are something else than the name says.

    Why: a download that failed saves a web page, a compressed file keeps its old name; a loader crashes or, worse,
    trains on it.
    Fix: fetch the file again, or give it the suffix of what it is.
    """,
)


@rule("TP-FILE-EMPTY", Severity.FAIL)
def no_records(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file holds no record.

    Why: a trainer that finds no data stops late or divides by zero; most loaders say nothing.
    Fix: write the data again, or remove the file.
    Stands down: when another fault already says why no record could be read.
    """
    if data.records:
        return
    if data.faults.sightings.keys() - {"blank-inside", "blank-end", "no-eol", "bom"}:
        raise StandDown("another fault says why no record could be read")
    yield Firing(
        "the file holds no record", f"{data.size} bytes, 0 records", "at least 1 record", Places(data.location())
    )


@rule("TP-FILE-CONFLICT", Severity.FAIL)
def merge_conflict(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Git merge-conflict markers stand between the records.

    Why: the merge was committed unresolved; both sides of it and the markers are in the data.
    Fix: resolve the conflict and commit again. Markers inside a JSON string are text and do not fire.
    """
    yield from fired(data, "conflict", "merge-conflict markers stand in the file", "{n} marker lines", "0 marker lines")


@rule("TP-FILE-SIZE", Severity.FAIL)
def too_large(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file is larger than the target takes.

    Why: services reject the upload: OpenAI takes 512 MB a file, Vertex AI 1 GB.
    Fix: split the file, or raise `max-bytes` in the configuration.
    Stands down: without `max-bytes` and without a `target` that has a limit.
    """
    limit = data.options.max_bytes or MOST_BYTES.get(data.options.target or "")
    if limit is None:
        raise StandDown("no max-bytes configured, and no target that has a limit")
    if data.size > limit:
        yield Firing(
            "the file is larger than allowed", f"{data.size} bytes", f"≤ {limit} bytes", Places(data.location())
        )


@rule("TP-FILE-FEW", Severity.FAIL)
def too_few(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file holds fewer records than it must.

    Why: services reject small files (OpenAI wants 10 examples, Fireworks 3), and a cut export looks like a short one.
    Fix: add records, or lower `min-records` in the configuration.
    Stands down: without `min-records` and without a `target` that has a minimum; when the file is empty.
    """
    limit = data.options.min_records or FEWEST_RECORDS.get(data.options.target or "")
    if limit is None:
        raise StandDown("no min-records configured, and no target that has a minimum")
    if 0 < data.records < limit and data.options.split in {None, "train"}:
        yield Firing("the file holds too few records", f"{data.records} records", f"≥ {limit}", Places(data.location()))


MOST_BYTES = {"openai": 512 << 20, "azure-openai": 512 << 20, "vertex": 1 << 30, "together": 25 << 30}
FEWEST_RECORDS = {"openai": 10, "fireworks": 3}
