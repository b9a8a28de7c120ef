"""Readers of a comparison: a run and its baseline, two training logs of any format, read into curves over equal steps."""

import os
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci.charts import positions
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Chart, Severity
from trainproof_ci.places import Location
from trainproof_ci.readers.comparison.curves import (
    FEWEST_POINTS,
    Curve,
    common_steps,
    curve,
    not_finite_at_the_end,
    part,
    why_not,
)
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.model import TargetReport
    from trainproof_ci.readers.run.facts import RunLog
    from trainproof_ci.readers.source import Head
    from trainproof_ci.registry import Rule


class Comparison(NamedTuple):
    """A run beside its baseline, from the step `first` to the step `last` that both have.

    `name` is what the baseline is called in reports; `faults` are the rules that fail it on its own.
    """

    run: "RunLog"
    baseline: "RunLog"
    name: str
    first: float
    last: float
    own: Curve
    base: Curve
    faults: tuple[str, ...] = ()
    asks: "tuple[Target, ...]" = ()
    """The baseline as a target, until it is judged on its own."""

    def answered(self, reports: "Sequence[TargetReport]") -> "Comparison":
        """The comparison with what fails its baseline on its own."""
        return self._replace(asks=(), faults=faults(reports[0]))

    def lacks(self, need: str) -> str | None:
        """Why `need` ("loss", "gradients") is missing, or None when it is there."""
        if need == "gradients" and (self.own.gradient is None or self.base.gradient is None):
            return "no gradient norms on the common steps of both runs"
        return None

    def summary(self) -> Mapping[str, object]:
        """The measurements for the report."""
        return {
            "baseline": self.name,
            "steps": f"{self.first:g} to {self.last:g}",
            "points": self.own.points,
            "end": _short(self.own.end),
            "baseline_end": _short(self.base.end),
            "improvement": _short(self.own.improvement),
            "baseline_improvement": _short(self.base.improvement),
        }

    def charts(self) -> tuple[Chart, ...]:
        """Both losses on the common steps."""
        assert self.run.loss is not None
        assert self.baseline.loss is not None
        pairs = (("loss of the run", self.run.loss, "loss"), ("loss of the baseline", self.baseline.loss, "baseline"))
        parts = [(name, part(series, self.first, self.last), role) for name, series, role in pairs]
        return tuple(
            Chart(n, tuple((p.steps[i], p.values[i]) for i in positions(p.values)), role=role) for n, p, role in parts
        )

    @property
    def end(self) -> Location:
        """The last point of the run that was compared."""
        assert self.run.loss is not None
        return self.run.location(self.run.loss, self.own.last)

    @property
    def baseline_end(self) -> Location:
        """The last point of the baseline that was compared."""
        assert self.baseline.loss is not None
        return self.baseline.location(self.baseline.loss, self.base.last, "the baseline at the same step")


def _short(value: float) -> float:
    """Six digits are more than any log is good for."""
    return float(f"{value:.6g}")


def recognise(head: "Head") -> str | None:  # noqa: ARG001 - the protocol of a reader
    """No file is a comparison."""
    return None


def targets(runs: "Iterable[Target]", settings: "Settings") -> "list[Target]":
    """A comparison for each run that the configuration gives a baseline."""
    found = []
    for target in runs:
        baseline = settings.run(target.path).baseline if target.kind == "run" else None
        if baseline is not None and baseline != target.path:
            found.append(pair(target, baseline))
    return found


def pair(run: "Target", baseline: str) -> "Target":
    """The target that compares `run` with the log at `baseline`."""
    missing = Unreadable(
        "the baseline that the run is to be compared with is not there", rule="TP-FILE-NOT-FOUND",
        measured="0 files", limit="1 training log", location=Location(run.path, line=1),
    )  # fmt: skip
    absent = None if os.path.lexists(baseline) else missing
    return run._replace(kind="comparison", members=(baseline, *run.members), refusal=run.refusal or absent)


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> Comparison:  # noqa: ARG001 - judged later
    """Read both logs and lay them over each other. Raises `Unreadable` where they do not compare."""
    baseline, *members = target.members
    others = _runs_at(baseline, settings)
    if len(others) != 1:
        raise _uncomparable(
            target.path, f"{len(others)} runs lie at the baseline's path", f"{len(others)} runs", "1 run"
        )
    run = _log(target._replace(kind="run", members=tuple(members)), settings)
    return compared(run, _log(others[0], settings), baseline)._replace(asks=(others[0],))


def _runs_at(path: str, settings: "Settings") -> "list[Target]":
    """The training logs at `path`: the file itself, whatever it looks like, or those recognised in the folder."""
    from trainproof_ci.discovery import find

    found = find([path], settings._replace(exclude=(), runs=()), None if os.path.isdir(path) else "run")
    return [target for target in found if target.kind == "run"]


def _log(target: "Target", settings: "Settings") -> "RunLog":
    from trainproof_ci.readers.pointers import refuse_pointer
    from trainproof_ci.readers.run import read as read_run
    from trainproof_ci.readers.source import Head

    if target.refusal is not None:
        raise target.refusal
    refuse_pointer(Head.of(target.path))
    return read_run(target, settings, ())


def faults(report: "TargetReport") -> tuple[str, ...]:
    """The rules that fail a run on its own."""
    return tuple(dict.fromkeys(finding.rule for finding in report.findings if finding.severity is Severity.FAIL))


def compared(run: "RunLog", baseline: "RunLog", name: str, faults: tuple[str, ...] = ()) -> Comparison:
    """The two runs over their common steps. Raises `Unreadable` where nothing can be said."""
    if (why := why_not(run, baseline)) is not None:
        raise _uncomparable(run.path, why, "two quantities", "one quantity")
    assert run.loss is not None
    assert baseline.loss is not None
    first, last = common_steps(run.loss, baseline.loss)
    own, base = part(run.loss, first, last), part(baseline.loss, first, last)
    for who, log in (("run", run), ("baseline", baseline)):
        if (bad := not_finite_at_the_end(log, first, last)) > 0:
            raise _uncomparable(run.path, f"the loss of the {who} is not finite at the end", f"{bad} such values", "0")
    points = min(len(own.values), len(base.values))
    if points < FEWEST_POINTS:
        raise _uncomparable(
            run.path, "too few points at equal steps", f"{points} finite points", f"at least {FEWEST_POINTS}"
        )
    curves = curve(run, own, base, first, last), curve(baseline, base, own, first, last)
    for who, one in zip(("run", "baseline"), curves, strict=True):
        if min(one.start, one.floor) <= 0:
            raise _uncomparable(
                run.path,
                f"the loss of the {who} has no scale: it is not positive",
                f"{min(one.start, one.floor):.4g}",
                "more than 0",
            )
    return Comparison(run, baseline, name, first, last, *curves, faults)


def _uncomparable(path: str, why: str, measured: str, limit: str) -> Unreadable:
    return Unreadable(
        f"not compared: {why}",
        rule="TP-CMP-UNCOMPARABLE",
        measured=measured,
        limit=limit,
        location=Location(path, line=1),
    )


def recheck(facts: Comparison, rules: "Sequence[Rule]", target: "Target", settings: "Settings") -> Comparison:
    """The comparison without the damaged records that its findings rest on; the same where there is none."""
    from trainproof_ci.readers.run import recheck as recheck_run

    run = recheck_run(facts.run, rules, target._replace(kind="run", members=facts.run.reading.files), settings)
    other = target._replace(
        path=facts.baseline.path, format=facts.baseline.format, members=facts.baseline.reading.files
    )
    base = recheck_run(facts.baseline, rules, other, settings)
    if run is facts.run and base is facts.baseline:
        return facts
    return compared(run, base, facts.name, facts.faults)
