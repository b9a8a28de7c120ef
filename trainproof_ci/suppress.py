"""Findings set aside on purpose: ignores with a reason, and the baseline of known findings.

Both work on every place of a finding, not only on those that a report shows, and an entry that no longer
matches anything is reported, so that the list cannot rot. What could not be judged is never set aside.
"""

from collections.abc import Iterable, Sequence

from trainproof_ci.globs import matches
from trainproof_ci.model import Finding, Ignored, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Ignore, Settings

KNOWN = "a known finding"


class Usage(NamedTuple):
    """Whether an entry could have set something aside, whether it did, and what to say when it did not."""

    sentence: str
    applies: bool
    used: bool


def sort_out(findings: Iterable[Finding], settings: "Settings") -> tuple[tuple[Finding, ...], tuple[Ignored, ...]]:
    """Split findings into those that count and those that an `ignore` entry or the baseline sets aside."""
    kept: list[Finding] = []
    aside: list[Ignored] = []
    for finding in findings:
        entry = next((entry for entry in settings.ignore if _covers(entry, finding)), None)
        if entry is not None:
            aside.append(Ignored(finding, entry.reason))
            continue
        new, old = _divided(finding, settings)
        kept += [new] if new is not None else []
        aside += [Ignored(old, KNOWN)] if old is not None else []
    return tuple(kept), tuple(aside)


def _covers(entry: "Ignore", finding: Finding) -> bool:
    return (
        finding.severity is not Severity.NOT_CHECKED
        and entry.rule == finding.rule
        and matches(finding.location.path, entry.files)
    )


def _divided(finding: Finding, settings: "Settings") -> tuple[Finding | None, Finding | None]:
    """The part of a finding whose places are new, and the part whose places are known."""
    keys = settings.known.get((finding.rule, finding.location.path)) if settings.known else None
    if not keys or finding.severity is Severity.NOT_CHECKED:
        return finding, None
    known = [key in keys for key in finding.places.keys]
    if not any(known):
        return finding, None
    if all(known):
        return None, finding
    return _part(finding, known, wanted=False), _part(finding, known, wanted=True)


def _part(finding: Finding, known: list[bool], *, wanted: bool) -> Finding:
    places = Places()
    for index, is_known in enumerate(known):
        if is_known is wanted:
            shown = finding.places.shown
            line = finding.places.lines[index] or None
            places.add(shown[index] if index < len(shown) else Location(finding.location.path, line=line))
            places.keys[-1] = finding.places.keys[index]
    return finding._replace(places=places)


def usage(judged: Sequence[TargetReport], settings: "Settings") -> list[Usage]:
    """What became of each `ignore` entry, in the order of the configuration."""
    return [
        Usage(
            f"stale ignore: {entry.rule} for {entry.files} set nothing aside; remove the entry",
            any(target.judged and matches(target.path, entry.files) for target in judged),
            any(
                _covers(entry, aside.finding) for target in judged for aside in target.ignored if aside.reason != KNOWN
            ),
        )
        for entry in settings.ignore
    ]


def stale_known(judged: Sequence[TargetReport], settings: "Settings") -> list[str]:
    """A sentence for each rule and judged file of the baseline with places that no longer occur."""
    if not settings.known:
        return []
    seen: dict[tuple[str, str], set[int]] = {}
    for target in judged:
        for aside in target.ignored:
            seen.setdefault((aside.finding.rule, aside.finding.location.path), set()).update(aside.finding.places.keys)
    here = {target.path for target in judged if target.judged}
    return sorted(
        f"stale known findings: {len(gone)} of {rule} in {path} no longer occur; write the baseline again"
        for (rule, path), keys in settings.known.items()
        if path in here and (gone := keys - seen.get((rule, path), set()))
    )


def stale_entries(judged: Sequence[TargetReport], settings: "Settings") -> tuple[str, ...]:
    """A sentence for each entry that set nothing aside although a file of its pattern was judged."""
    ignores = [entry.sentence for entry in usage(judged, settings) if entry.applies and not entry.used]
    return (*ignores, *stale_known(judged, settings))
