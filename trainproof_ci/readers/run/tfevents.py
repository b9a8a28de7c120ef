"""TensorBoard event files: every scalar of every tag, from the wire format alone. A folder is a run, as for TensorBoard.

The files of one folder are read in the order of their names as one run; a file in which a tag begins anew, at or
before the step it began with in an earlier file, is another run and is judged on its own.
"""

import os
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.run.facts import NO_FILES, Cut, Damage, Reading, Series
from trainproof_ci.readers.run.tfevents_checksum import WORTH_AN_IMPORT, accelerator, crc32c, masked
from trainproof_ci.readers.run.tfevents_framing import CHECKSUM, FOOTER, HEADER, LENGTH
from trainproof_ci.readers.run.tfevents_scan import Column, Scan
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainproof_ci.discovery import Target

EVERY_CHECKSUM = 2 << 20
"""Bytes; in a file up to this size the checksum of every record's content is computed even without an accelerator."""
MOST_TAGS = 4096
"""Tags that become series: more than any trainer logs."""
_NAME = re.compile(r"(?:^|\.)tfevents(?:\.|$)")
_NOT_EVENTS = (".profile-empty", ".csv", ".json", ".txt", ".md", ".png", ".py")


def recognise(head: Head) -> bool:
    """The first record says so, or the name does."""
    if head.name.endswith(_NOT_EVENTS):
        return False
    return b"brain.Event:" in head.start[12:48] or _NAME.search(head.name) is not None


def gather(targets: "Iterable[Target]") -> "list[Target]":
    """Join the files of a folder that are one run; the target stands at the first of them."""
    runs: list[tuple[Target, dict[bytes, float] | None]] = []
    for target in sorted(targets, key=lambda target: target.path):
        begins = _first_steps(target) if target.refusal is None else None
        first, begun = runs[-1] if runs else (target, None)
        if begins is not None and begun is not None and _continues(target, begins, first, begun):
            members = (*(first.members or (first.path,)), target.path)
            runs[-1] = first._replace(members=members, size=first.size + target.size), {**begins, **begun}
        else:
            runs.append((target, begins))
    return [target for target, _ in runs]


def _continues(target: "Target", begins: dict[bytes, float], first: "Target", begun: dict[bytes, float]) -> bool:
    """Whether the file goes on with the run of `first`: no tag begins anew in it."""
    if os.path.dirname(first.path) != os.path.dirname(target.path):
        return False
    return all(step > begun[tag] for tag, step in begins.items() if tag in begun)


def _first_steps(target: "Target") -> dict[bytes, float] | None:
    """The step at which each tag begins, as far as the head of the file tells; None for no event file."""
    from io import BytesIO

    head = Head.of(target.path)
    scan = Scan(BytesIO(head.start), len(head.start), None, {})
    scan.run()
    return {tag: column.steps[0] for tag, column in scan.columns.items()} if scan.records else None


def read(source: Source, target: "Target") -> Reading:
    """Read the files of a run into a series a tag. Raises `Unreadable` where the first holds no record."""
    files = target.members or (target.path,)
    columns: dict[bytes, Column] = {}
    damage: list[Damage] = []
    cut: Cut | None = None
    scans = []
    for number, (path, opened) in enumerate(_opened(source, files)):
        scan = Scan(opened.file, opened.size, _checksum(opened.size), columns)
        scan.run()
        if not scan.records:
            raise _no_event_file(path, opened.size, scan)
        if scan.bad and scan.bad[-1].rest_lost:
            raise _rest_lost(path, opened.size, scan.bad[-1].place)
        scans.append(scan)
        damage += [bad._replace(file=number) for bad in scan.bad]
        if scan.cut is not None:
            cut = Cut("the event file ends in the middle of a record", scan.cut, number)
        for column in columns.values():
            column.files.extend([number] * (len(column.places) - len(column.files)))
    several = len(files) > 1
    series, notes = _series(columns, several)
    return Reading(
        series, located_by="byte", files=files if several else (), damage=tuple(damage), cut=cut,
        notes=notes, measurements=_measurements(scans, files),
        verify=None if all(scan.checksum for scan in scans) else partial(_damaged, files),
    )  # fmt: skip


def _opened(source: Source, files: tuple[str, ...]) -> Iterator[tuple[str, Source]]:
    """The first file is open already."""
    yield files[0], source
    for path in files[1:]:
        with Source(path) as other:
            yield path, other


def _checksum(size: int) -> "Callable[[bytes], int] | None":
    """What computes the checksum of every record's content, None where that would take too long."""
    fast = accelerator() if size > WORTH_AN_IMPORT else None
    return fast or (crc32c if size <= EVERY_CHECKSUM else None)


def _no_event_file(path: str, size: int, scan: Scan) -> Unreadable:
    """Why a file without a single record is none of ours, or nothing at all."""
    if not size:
        why, measured = "the event file is empty: the writer died before its first record", "0 bytes"
    elif scan.cut is not None:
        why, measured = "the event file ends before its first record is whole", f"{size} bytes"
    else:
        why, measured = "named like an event file, but its first record is none", "a wrong checksum at byte 0"
    return Unreadable(
        why,
        rule="TP-RUN-NOT-A-LOG",
        measured=measured,
        limit="at least 1 whole record",
        location=Location(path, byte_offset=0),
    )


def _rest_lost(path: str, size: int, place: int) -> Unreadable:
    """A run whose second half is lost is not judged by its first."""
    return Unreadable(
        "a record whose length cannot be trusted, and nothing behind it can be read",
        rule="TP-BAD-RECORD", measured=f"the last {size - place} of {size} bytes lost", limit="intact records",
        location=Location(path, byte_offset=place),
    )  # fmt: skip


def _series(columns: dict[bytes, Column], several: bool) -> tuple[dict[str, Series], tuple[str, ...]]:
    """The columns as series, and what was left out."""
    names = (
        sorted(columns, key=lambda tag: -len(columns[tag].places))[:MOST_TAGS] if len(columns) > MOST_TAGS else columns
    )
    series = {}
    for tag in names:
        column = columns[tag]
        if min(column.steps) >= 0:
            name = tag.decode("utf-8", "replace")
            values = column.values if column.code == "d" else array("d", column.values)
            series[name] = Series(
                name, values, column.steps, column.places, files=column.files if several else NO_FILES
            )
    negative, more = len(names) - len(series), len(columns) - len(names)
    notes = [f"{negative} tags log negative steps, which tell no order: not judged"] if negative else []
    notes += [f"{more} of {len(columns)} tags, those with the fewest values, were left out"] if more else []
    return series, tuple(notes)


def _measurements(scans: list[Scan], files: tuple[str, ...]) -> dict[str, object]:
    found: dict[str, object] = {
        "records": sum(scan.records for scan in scans),
        "checksums": "every record"
        if all(scan.checksum for scan in scans)
        else "framing of every record, content of the records that findings rest on",
    }
    if len(files) > 1:
        found["files"] = len(files)
    if unread := sum(scan.unread for scan in scans):
        found["records_too_large_to_parse"] = unread
    return found


def _damaged(files: tuple[str, ...], number: int, places: Sequence[int]) -> list[int]:
    """Those of the records at `places` whose content does not fit its checksum."""
    compute = accelerator() or crc32c
    found = []
    with Source(files[number]) as source:
        for place in places:
            source.file.seek(place)
            length = LENGTH.unpack(source.file.read(HEADER)[:8])[0]
            content = source.file.read(length + FOOTER)
            if masked(compute(content[:length])) != CHECKSUM.unpack_from(content, length)[0]:
                found.append(place)
    return found
