"""Whether the loss moved at all over the whole run."""

from collections.abc import Iterator
from math import isfinite

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import loss_course, still_warming_up, supervised

FAST = 1.3
"""A first point this much above the first three tells of a model that fell within its first step."""


@rule("TP-DEAD-RUN", Severity.WARN, needs=("loss",), limits={"points": 20, "ratio": 0.95})
def loss_not_falling(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The training loss hardly fell over the whole run.

    Why: neither the median of the last fifth is below `ratio` of that of the first fifth, nor the end below `ratio` of the
    first three points: a run that learns falls, quickly at first or slowly throughout. (A model that falls within its first
    steps and then stays, as most fine-tuning does, is not dead.)
    With a learning rate or gradient norm that is 0 throughout it is a failure. Physics-informed and stock-return runs of
    hundreds of steps without movement taught it.

    Fix: compare with a run at ten times the learning rate; look at the gradient norms.

    Stands down: fewer than 20 points; a warm-up that goes on to the end; a run resumed, or trained further, at its floor; a loss below zero.
    """
    supervised(run)
    found = loss_course(run, limits["points"])
    fifth = found.size // 5
    start = median(found.values[:3])
    if found.values[0] > FAST * start:
        start = found.values[0]
    fell = found.tail < limits["ratio"] * start
    if fell and min(found.values[:fifth]) > 0:
        return
    first, last = median(found.values[:fifth]), median(found.values[-fifth:])
    if first <= 0:
        raise StandDown("the loss is not positive, so a ratio of it means nothing")
    if fell or last < limits["ratio"] * first or last > 1.2 * first:
        return
    if still_warming_up(run):
        raise StandDown("the learning rate is still warming up")
    if _begins_late(run) if run.segments == 1 else not _begins_anew(run, first / limits["ratio"]):
        raise StandDown("the log begins late in a run, which may have been at its floor")
    assert run.loss is not None
    dead = any(_never_positive(series.values) for series in (*run.gradients, *run.rates))
    yield Firing(
        f"the training loss hardly fell: {first:.4g} in the first fifth, {last:.4g} in the last",
        f"{last / first:.3g} x the first fifth over {found.size} points", f"below {limits['ratio']:g} x",
        run.places(run.loss, [found.where[-1]]), severity=Severity.FAIL if dead else None,
    )  # fmt: skip


def _begins_late(run: RunLog) -> bool:
    """Whether the first step, or epoch, is far from the start, measured in the distance between two."""
    assert run.loss is not None
    counted = run.loss.steps if run.loss.stepped else run.loss.epochs
    if not counted or not isfinite(counted[0]) or run.loss.size < 2:
        return False
    gap = (counted[-1] - counted[0]) / (run.loss.size - 1)
    return gap > 0 and counted[0] > 10 * gap


def _begins_anew(run: RunLog, level: float) -> bool:
    """Whether the segment that is judged counts from where the log begins, where the loss was no higher than `level`:
    a resume goes on, and what is trained further has learned before.
    """
    assert run.loss is not None
    columns = [run.series[name] for name in run.loss_columns]
    before = columns[0]
    at = before.places.index(run.loss.places[0])
    if at == 0 or any(counted[at] > counted[0] for counted in (before.steps, before.epochs) if counted):
        return False
    return median([sum(column.values[index] for column in columns) for index in range(3)]) <= level


def _never_positive(values: object) -> bool:
    assert hasattr(values, "__iter__")
    finite = [value for value in values if isfinite(value)]
    return len(finite) >= 5 and max(finite) <= 0
