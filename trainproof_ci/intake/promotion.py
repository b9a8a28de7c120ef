"""Promotion: copy aside, verify what arrived, and only then put it in its place."""

import os

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.intake.artifact import Artifact, block_bytes, measure
from trainproof_ci.intake.local_store import LocalPlace
from trainproof_ci.intake.remote_store import RemotePlace, is_url
from trainproof_ci.model import Finding, Severity, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.readers.manifest.entries import Entry
from trainproof_ci.readers.source import Source
from trainproof_ci.registry import rules_in
from trainproof_ci.rules.manifest import promote as rules
from trainproof_ci.typed import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target


class _Teed:
    """What is read from `source` is written to `copy`."""

    def __init__(self, source: BinaryIO, copy: BinaryIO) -> None:
        self.source, self.copy = source, copy

    def read(self, length: int, /) -> bytes:
        """The next bytes, on their way."""
        chunk = self.source.read(length)
        self.copy.write(chunk)
        return chunk


def promote(source: str, destination: str, recorded: Entry | None, settings: "Settings") -> list[TargetReport]:
    """Promote the file `source` to `destination`: the report of the promotion and, where it was judged, of the copy.

    The destination is replaced only when nothing failed and nothing was left unjudged.
    """
    from trainproof_ci.discovery import Target, classify
    from trainproof_ci.engine import not_judged

    target = Target(destination, "manifest", "promotion", is_file=False)
    try:
        known = classify(source, os.sep)
        if not os.path.isfile(source):
            raise UsageError("promote takes one file")
        if recorded is not None:
            offered = _offered(source, recorded)
            judged = _judged(rules.Copy(source, offered, offered, recorded, None), destination, settings)
            if judged.verdict is Severity.FAIL:
                return [judged]
        place = _place(source, destination)
        with place.opened():
            return _through(place, source, known, recorded, settings)
    except Unreadable as why:
        return [not_judged(target, why, settings)]


def _place(source: str, destination: str) -> LocalPlace | RemotePlace:
    local = destination.removeprefix("file://")
    if is_url(local):
        return RemotePlace(destination, _digest(source))
    if local.endswith("/") or os.path.isdir(local):
        local = os.path.join(local, os.path.basename(source))
    if os.path.lexists(local) and os.path.samefile(source, local):
        raise UsageError("source and destination are the same file")
    return LocalPlace(local)


def _digest(path: str) -> str:
    with Source(path) as source:
        return measure(source.file, block_bytes(source.size)).sha256


def _through(
    place: LocalPlace | RemotePlace, source: str, known: "Target | None", recorded: Entry | None, settings: "Settings"
) -> list[TargetReport]:
    """Copy, verify, and commit if all is well."""
    sent = _sent(place, source)
    with place.arrived() as local:
        with Source(local) as copied:
            arrived = measure(copied.file, block_bytes(sent.bytes))
        verdict = _verdict(local, place.destination, known, settings) if arrived == sent else None
    judged = _judged(rules.Copy(source, sent, arrived, recorded, verdict), place.destination, settings)
    accepted = judged.verdict in {Severity.PASS, Severity.WARN}
    passed_over = judged.verdict is Severity.NOT_CHECKED and settings.policy.not_checked == "pass"
    if accepted or passed_over:
        place.commit()
    return [judged, *([verdict] if verdict is not None else [])]


def _judged(copy: rules.Copy, destination: str, settings: "Settings") -> TargetReport:
    from trainproof_ci.discovery import Target
    from trainproof_ci.engine import judge_facts

    return judge_facts(Target(destination, "manifest", "promotion"), copy, rules_in((rules,)), settings)


def _offered(path: str, recorded: Entry) -> Artifact:
    """The file as it is, in the blocks of the one that was recorded."""
    with Source(path) as source:
        return measure(source.file, block_bytes(source.size if recorded.bytes is None else recorded.bytes))


def _sent(place: LocalPlace | RemotePlace, path: str) -> Artifact:
    """Copy the file to its temporary place and measure it on the way."""
    with Source(path) as source, place.writing() as copy:
        return measure(_Teed(source.file, copy), block_bytes(source.size))


def _verdict(local: str, destination: str, known: "Target | None", settings: "Settings") -> TargetReport | None:
    """What the copy is judged to be, told as if it lay at its destination; None when it is nothing we judge."""
    from trainproof_ci.discovery import classify
    from trainproof_ci.engine import judge

    target = classify(local, os.sep) or (known._replace(path=local) if known is not None else None)
    if target is None or target.kind == "manifest":
        return None
    report = judge(target, settings)
    findings = tuple(_told_at(finding, local, destination) for finding in report.findings)
    return report._replace(path=destination, findings=findings)


def _told_at(finding: Finding, local: str, destination: str) -> Finding:
    def moved(place: Location) -> Location:
        return place._replace(path=destination) if place.path == local else place

    finding.places.shown[:] = [moved(place) for place in finding.places.shown]
    return finding._replace(related=tuple(moved(place) for place in finding.related))
