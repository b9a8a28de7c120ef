"""Runs held against a known-good one: each by its own rules first, then beside the baseline, and all ranked."""

import os
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci import engine, registry
from trainproof_ci.discovery import Target, find
from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.model import Report, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.readers.comparison import compared, faults, pair
from trainproof_ci.readers.run import read
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings


def compare(baseline: str, runs: Sequence[str], settings: "Settings") -> Report:
    """Judge the runs at these paths, and hold each against the run at `baseline`. No finding of a run is left out."""
    found = {target.path: target for path in runs for target in _runs_at(path, settings)}
    there = [target for target in found.values() if not _same(target.path, baseline)]
    if not there:
        raise UsageError("nothing to compare: the only run given is the baseline itself")
    report = engine.check([*there, *(pair(target, baseline) for target in there)], settings)
    return report._replace(targets=tuple(ranked(report.targets)))


def _runs_at(path: str, settings: "Settings") -> list[Target]:
    """The runs at `path`; where there is none, the target that says so."""
    found = find([path], settings, None if os.path.isdir(path) else "run")
    runs = [target for target in found if target.kind == "run"]
    missing = Unreadable(
        "no training log lies here", rule="TP-FILE-NOT-FOUND", measured="0 runs", limit="at least 1",
        location=Location(path, line=1),
    )  # fmt: skip
    return runs or [Target(path, "run", "missing", is_file=False, refusal=missing)]


def _same(path: str, baseline: str) -> bool:
    return os.path.normpath(path) == os.path.normpath(baseline)


def compare_with_copy(run: Target, copy: str, name: str, settings: "Settings") -> TargetReport:
    """Hold `run` against a copy of a baseline that lies outside the working directory, as the same file of another
    commit does; reports call it `name`. Never raises but for an interrupt.
    """
    target = pair(run, copy)
    try:
        if target.refusal is not None:
            raise target.refusal
        other = Target(copy, "run", run.format, Head.of(copy).size)
        base = read(other, settings, ())._replace(path=name)
        own = engine.judge(other, settings._replace(changed_lines=None))
        facts = compared(read(run, settings, ()), base, name, faults(own))
    except Unreadable as why:
        if why.location is not None and why.location.path == copy:  # it lies where nobody can look
            why = Unreadable(
                why.reason, rule=why.rule, measured=why.measured, limit=why.limit, location=Location(run.path, line=1)
            )
        return engine.not_judged(target, why, settings)
    return engine.judge_facts(target, facts, registry.rules_for("comparison"), settings)


def ranked(targets: Iterable[TargetReport]) -> Iterable[TargetReport]:
    """The same reports, each comparison with its rank: the lowest end relative to the baseline is the first."""
    known = list(targets)
    order = sorted((_ratio(t.facts), t.path) for t in known if t.kind == "comparison" and t.facts)
    ranks = {path: rank for rank, (_, path) in enumerate(order, 1)}
    for target in known:
        if target.kind == "comparison" and target.path in ranks and target.facts:
            yield target._replace(facts={"rank": ranks[target.path], **target.facts})
        else:
            yield target


def _ratio(facts: Mapping[str, object]) -> float:
    own, base = facts["end"], facts["baseline_end"]
    assert isinstance(own, float)
    assert isinstance(base, float)
    return own / base
