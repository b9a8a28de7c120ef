"""Logs that are cut off or damaged: judged as far as they can be read, and said."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.registry import Limits, rule


def _place(run: RunLog, place: int, file: int) -> Location:
    path = run.reading.files[file] if run.reading.files else run.path
    if run.reading.located_by == "byte":
        return Location(path, byte_offset=place)
    return Location(path, line=place)


@rule("TP-TRUNCATED", Severity.WARN)
def log_cut_off(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The log ends in the middle of a record.

    Why: the process was killed while it wrote, or the copy is incomplete: what came after is not known. The log is judged
    up to the cut.

    Fix: copy the whole file; if the run was killed, find out by what.

    Stands down: never.
    """
    cut = run.reading.cut
    if cut is not None:
        where = _place(run, cut.place, cut.file)
        at = f"line {where.line}" if where.line is not None else f"byte {where.byte_offset}"
        yield Firing(
            f"the log is cut off: {cut.what}",
            f"a record that begins at {at} and does not end",
            "whole records",
            Places(where),
        )


@rule("TP-BAD-RECORD", Severity.NOT_CHECKED)
def record_damaged(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """Records of the log cannot be read, so what they held is not known.

    Why: a value that a checksum, a length or the syntax belies may be anything; it is not turned into a number, and
    the run is not called fine without it. Merge conflict markers mean that rows of two runs are mixed.

    Fix: fetch the log again, or write it again; resolve the conflict.

    Stands down: never.
    """
    damage = run.reading.damage
    if not damage:
        return
    count = sum(one.records for one in damage)
    lost = ", and nothing behind it can be read" if any(one.rest_lost for one in damage) else ""
    places = Places(*(_place(run, one.place, one.file) for one in damage))
    yield Firing(f"{damage[0].what}{lost}", f"{count} damaged records", "0", places)
