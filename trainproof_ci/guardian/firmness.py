"""Whether a FAIL is firm: it held five points ago already. Only then is a run stopped for it."""

from math import isfinite

from trainproof_ci import registry
from trainproof_ci.engine import judge_facts
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Finding, Severity, TargetReport
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.run.facts import RunLog, Series

HOLDS_FOR = 5
"""Points over which a rule must have fired before a run is stopped for it. A shape rule begins to speak at ten
points, and ten points may look like anything; a run that is broken is still broken five points later."""


def firm_fail(target: "Target", report: TargetReport, settings: "Settings") -> Finding | None:
    """The first FAIL of `report` by a rule that fails on the log without its last points too, or None."""
    failing = {finding.rule: finding for finding in report.findings if finding.severity is Severity.FAIL}
    if not failing:
        return None
    rules = [rule for rule in registry.rules_for("run") if rule.id in failing]
    try:
        run: RunLog = registry.facts_module("run").read(target, settings, rules)
    except Unreadable:  # it changed in between: the next look will tell
        return None
    before = earlier(run, HOLDS_FOR)
    if before is None:
        return None
    held = {f.rule for f in judge_facts(target, before, rules, settings).findings if f.severity is Severity.FAIL}
    return next((f for rule, f in failing.items() if rule in held and not _recovered(rule, run)), None)


def _recovered(rule: str, run: "RunLog") -> bool:
    """Whether the numbers are finite again. One NaN in 36 points is a FAIL that the hundredth point takes back."""
    watched = {"TP-NAN": (run.loss,), "TP-NAN-GRAD": run.gradients}.get(rule, ())
    return any(series is not None and series.size and isfinite(series.values[-1]) for series in watched)


def earlier(run: "RunLog", points: int) -> "RunLog | None":
    """The run as it stood when its loss (or, without one, its longest series) had so many points fewer."""
    known = [s for s in (run.loss, *run.rates, *run.gradients, *run.evals) if s is not None]
    clock = run.loss or max(known, key=lambda series: series.size, default=None)
    if clock is None or clock.size <= points:
        return None
    last = _moment(clock, clock.size - points - 1)
    return run._replace(
        loss=_until(run.loss, last) if run.loss is not None else None,
        evals=_all_until(run.evals, last), rates=_all_until(run.rates, last), gradients=_all_until(run.gradients, last),
        series={name: _until(series, last) for name, series in run.series.items()},
        reading=run.reading._replace(cut=None, damage=(), stop=None),
    )  # fmt: skip


def _moment(series: "Series", index: int) -> tuple[int, int]:
    return (series.files[index] if series.files else 0), series.places[index]


def _until(series: "Series", last: tuple[int, int]) -> "Series":
    kept = [index for index in range(series.size) if _moment(series, index) <= last]
    return series if len(kept) == series.size else series.picked(kept)


def _all_until(many: "tuple[Series, ...]", last: tuple[int, int]) -> "tuple[Series, ...]":
    return tuple(cut for series in many if (cut := _until(series, last)).size)
