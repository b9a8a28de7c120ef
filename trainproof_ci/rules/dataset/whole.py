"""Datasets that are as a whole not what they should be: empty, another format, merged badly, too large or too few."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.profiles import Profile, profile_of
from trainproof_ci.rules.dataset.sighted import fired


@rule("TP-FILE-NOT-DATA", Severity.FAIL)
def other_bytes(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The bytes are something else than the name says.

    Why: a download that failed saves a web page or the error of the server, a compressed file keeps its old name; a
    loader crashes or, worse, trains on it. An image that is a page or empty is left out, with the labels that belong to it.
    Fix: fetch the file again, or give it the suffix of what it is.
    """
    yield from fired(data, "not-data", "a file holds something else than its name says", "{first}, {n} files", "text")
    yield from fired(data, "no-image", "an image is empty or a web page", "{first} in the first of {n}", "an image")


@rule("TP-FILE-EMPTY", Severity.FAIL)
def no_records(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file holds no record.

    Why: a trainer that finds no data stops late or divides by zero; most loaders say nothing.
    Fix: write the data again, or remove the file. A folder of labels for background images alone is a warning.
    Stands down: when another fault already says why no record could be read.
    """
    if data.records:
        return
    if data.faults.sightings.keys() - {"blank-inside", "blank-end", "no-eol", "bom"}:
        raise StandDown("another fault says why no record could be read")
    yield Firing(
        "the file holds no record",
        f"{data.size} bytes, 0 records",
        "at least 1 record",
        Places(data.location()),
        severity=Severity.WARN if data.format == "yolo-labels" else None,
    )


@rule("TP-FILE-CONFLICT", Severity.FAIL)
def merge_conflict(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Git merge-conflict markers stand between the records.

    Why: the merge was committed unresolved; both sides of it and the markers are in the data.
    Fix: resolve the conflict and commit again. Markers inside a JSON string are text and do not fire; in
    parallel texts only one that opens a conflict does, and what follows it.
    """
    yield from fired(data, "conflict", "merge-conflict markers stand in the file", "{n} marker lines", "0 marker lines")


@rule("TP-FILE-SIZE", Severity.FAIL)
def too_large(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file is larger than the target takes.

    Why: services reject the upload: OpenAI takes 512 MB a file, Vertex AI 1 GB, Fireworks 3 million examples. Where
    the number depends on the model (20,000 examples for Amazon Nova, 5,000 to validate with Gemini) it only warns.
    Fix: split the file, or raise `max-bytes` in the configuration.
    Stands down: without `max-bytes` and without a `target` that has a limit.
    """
    profile, evaluated = _profile(data), data.split == "eval"
    most, many = data.options.max_bytes or profile.bytes, profile.evaluated if evaluated else profile.many
    if most is None and many is None:
        raise StandDown("no max-bytes configured, and no target that has a limit")
    if most is not None and data.size > most:
        yield Firing(
            "the file is larger than allowed", f"{data.size} bytes", f"≤ {most} bytes", Places(data.location())
        )
    if many is not None and data.records > many:
        what = "the file holds more records than the target takes"
        severity = Severity.WARN if profile.by_model else None
        yield Firing(what, f"{data.records} records", f"≤ {many}", Places(data.location()), severity=severity)


@rule("TP-FILE-FEW", Severity.FAIL)
def too_few(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The file holds fewer records than it must.

    Why: services reject small files (OpenAI wants 10 examples, Fireworks 3; Amazon Nova wants 8, which depends on the
    model and only warns), and a cut export looks like a short one.
    Fix: add records, or lower `min-records` in the configuration.
    Stands down: without `min-records` and without a `target` that has a minimum; when the file is empty.
    """
    profile = _profile(data)
    limit = data.options.min_records or profile.few
    if limit is None:
        raise StandDown("no min-records configured, and no target that has a minimum")
    if 0 < data.records < limit and data.options.split in {None, "train"}:
        mild = profile.by_model and data.options.min_records is None
        yield Firing(
            "the file holds too few records", f"{data.records} records", f"≥ {limit}", Places(data.location()),
            severity=Severity.WARN if mild else None,
        )  # fmt: skip


@rule("TP-SCHEMA-TARGET", Severity.FAIL, needs=("shape",))
def other_shape(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The records are not of a shape that the target takes.

    Why: a service looks the keys of its own format up and rejects the file, hours after it was queued or at the upload.
    Fix: convert the records, or name the target that they are meant for.
    Stands down: without a `target`, and for targets that take records of any keys.
    """
    assert data.shape is not None
    shapes = _profile(data).shapes
    if not shapes:
        raise StandDown("no target configured that asks for certain keys")
    if data.shape.name not in shapes:
        yield Firing(
            "the target takes no records of this shape", data.shape.name, f"one of {', '.join(sorted(shapes))}",
            Places(data.location()),
        )  # fmt: skip


def _profile(data: Survey) -> Profile:
    return profile_of(data.options.target, data.shape.name if data.shape else None)
