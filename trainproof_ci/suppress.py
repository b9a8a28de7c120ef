"""Findings set aside on purpose: ignores with a reason, and the baseline of known findings.

Both work on every place of a finding, not only on those that a report shows, and an entry that no longer
matches anything is reported, so that the list cannot rot.
"""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trainproof_ci.globs import matches
from trainproof_ci.model import Finding, Ignored, TargetReport

if TYPE_CHECKING:
    from trainproof_ci.config import Ignore, Settings


def sort_out(findings: Iterable[Finding], settings: "Settings") -> tuple[tuple[Finding, ...], tuple[Ignored, ...]]:
    """Split findings into those that count and those that an `ignore` entry sets aside, with its reason."""
    kept: list[Finding] = []
    aside: list[Ignored] = []
    for finding in findings:
        entry = next((entry for entry in settings.ignore if _covers(entry, finding)), None)
        if entry is None:
            kept.append(finding)
        else:
            aside.append(Ignored(finding, entry.reason))
    return tuple(kept), tuple(aside)


def _covers(entry: "Ignore", finding: Finding) -> bool:
    return entry.rule == finding.rule and matches(finding.location.path, entry.files)


def stale_entries(judged: Sequence[TargetReport], settings: "Settings") -> tuple[str, ...]:
    """A sentence for each `ignore` entry that set nothing aside although a file of its pattern was judged."""
    return tuple(
        f"stale ignore: {entry.rule} for {entry.files} set nothing aside; remove the entry"
        for entry in settings.ignore
        if any(matches(target.path, entry.files) for target in judged)
        and not any(_covers(entry, aside.finding) for target in judged for aside in target.ignored)
    )
