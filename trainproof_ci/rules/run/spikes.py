"""Points far above their surroundings, in the loss and in the gradient norm."""

from collections.abc import Iterator, Sequence

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import Course, course, loss_course, unswept

WINDOW = 24
"""Points before a spike that it is held against."""
STRETCH = 64 * WINDOW
"""Points that are looked at together first: most runs have no spike anywhere."""
SIGMAS = 10
NEGLIGIBLE = 0.1
"""A loss below which a jump far below the beginning is not worth a word."""


def spikes(found: Course, ratio: float, skip: float) -> list[int]:
    """The positions of the points above `ratio` times the median of the points before and beyond their spread."""
    values, size = found.values, found.size
    hits = []
    for first in range(max(round(skip * size), 3), size, STRETCH):
        last = min(first + STRETCH, size)
        if _may_spike(values, first, last, ratio):
            for start in range(first, last, WINDOW):
                end = min(start + WINDOW, last)
                if _may_spike(values, start, end, ratio):
                    hits += [index for index in range(start, end) if _is_spike(values, index, ratio)]
    return hits


def _may_spike(values: Sequence[float], start: int, end: int, ratio: float) -> bool:
    """Whether any of these points is above `ratio` times the lowest of them and of those before."""
    around = values[max(0, start - WINDOW) : end]
    return max(values[start:end]) > ratio * min(around)


def _is_spike(values: Sequence[float], index: int, ratio: float) -> bool:
    before = values[max(0, index - WINDOW) : index]
    centre = median(before)
    return centre > 0 and values[index] > ratio * centre and values[index] - centre > SIGMAS * _spread(before, centre)


def _spread(values: Sequence[float], centre: float) -> float:
    return median([abs(value - centre) for value in values])


@rule("TP-LOSS-SPIKE", Severity.WARN, needs=("loss",), limits={"points": 20, "ratio": 10, "start": 0.1, "height": 0.02})
def loss_spiked(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The training loss jumped to more than ten times its surroundings.

    Why: one such step can throw the weights far off; the batch behind it, or the learning rate, is worth a look. Jumps in
    the first tenth of a run are normal: one real run went 21, 215, 37 and ended at 0.76.

    Fix: look at the batch of that step; clip gradients; lower the learning rate.

    Stands down: fewer than 20 points; on reinforcement, adversarial and negative objectives. Jumps that stay below 2 % of
    what the loss began with, and below 0.1, do not count: a model that fits all it was given may go from 1e-7 to 0.05 and back.
    """
    if run.objective not in {None, "preference"}:
        raise StandDown(f"the loss of a run with {run.objective} objective jumps by nature")
    unswept(run)
    found = loss_course(run, limits["points"])
    least = min(limits["height"] * median(found.values[:3]), NEGLIGIBLE)
    hits = [hit for hit in spikes(found, limits["ratio"], limits["start"]) if found.values[hit] >= least]
    if not hits:
        return
    assert run.loss is not None
    worst = max(hits, key=found.values.__getitem__)
    yield Firing(
        f"the training loss spiked, to {found.values[worst]:.4g} at step {run.loss.steps[found.where[worst]]:g}",
        f"{found.values[worst] / median(found.values[max(0, worst - WINDOW) : worst]):.3g} x the median before",
        f"at most {limits['ratio']:g} x", run.places(run.loss, [found.where[hit] for hit in hits]),
    )  # fmt: skip


@rule(
    "TP-GRAD-SPIKE",
    Severity.WARN,
    needs=("gradients", "loss"),
    limits={"points": 20, "ratio": 10, "start": 0.1, "reaction": 1.5},
)
def gradient_spiked(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The gradient norm jumped to more than ten times its surroundings, and the loss reacted.

    Why: alone it is common (of 74 real logs with gradient norms, 19 start above five times their median, and GRPO runs
    show 70-fold spikes without consequence); with a loss that rises after it, it is the moment to look at.

    Fix: clip gradients, look at the batch of that step.

    Stands down: fewer than 20 points. The first tenth of a run does not count, nor does a spike to which the loss does not
    react.
    """
    assert run.loss is not None
    series = max(run.gradients, key=lambda one: one.size)
    found = course(series)
    if found.size < limits["points"]:
        raise StandDown(f"fewer than {limits['points']:g} gradient norms")
    hits = [
        hit
        for hit in spikes(found, limits["ratio"], limits["start"])
        if _reacts(run.loss, series.places[found.where[hit]], limits["reaction"])
    ]
    if not hits:
        return
    worst = max(hits, key=found.values.__getitem__)
    yield Firing(
        f"the gradient norm spiked, to {found.values[worst]:.4g} at step {series.steps[found.where[worst]]:g}, and the loss rose after it",
        f"{found.values[worst] / median(found.values[max(0, worst - WINDOW) : worst]):.3g} x the median before",
        f"at most {limits['ratio']:g} x", run.places(series, [found.where[hit] for hit in hits]),
    )  # fmt: skip


def _reacts(loss: Series, place: int, ratio: float) -> bool:
    """Whether the median of the five losses from that place on is `ratio` times that of the ten before."""
    found = course(loss)
    at = next((i for i, where in enumerate(found.where) if loss.places[where] >= place), found.size)
    before, after = found.values[max(0, at - 10) : at], found.values[at : at + 5]
    return bool(len(before)) and len(after) >= 2 and median(before) > 0 and median(after) > ratio * median(before)
