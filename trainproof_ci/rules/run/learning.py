"""Whether the loss went where it should: down, and not up again."""

from collections.abc import Iterator
from itertools import pairwise

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import (
    Course,
    loss_course,
    noise,
    rate_rose_late,
    resolution,
    rolling_medians,
    supervised,
    uncertainty,
    unswept,
)  # fmt: skip

TRIPLED = 3
"""An end this much above the beginning is a leap: at a hundredfold learning rate the loss went from 0.86 to 6.0 in the
third step, and a scatter measured across that step hid the divergence for thirty more (evidence, lr-x100-1)."""
COARSE = 0.1
"""A loss below this that is printed as 0.01 in every row may move in the digits that are not printed."""
EDGE, OBVIOUS = 50, 0.1
"""Points at both ends, and the share of the higher by which they differ in a loss that moves beyond doubt."""
LAST = 10
"""Points at the end of a longer run: of ten that alternate between 1.2 and 9, the last three may be the low ones."""


@rule("TP-FLAT", Severity.FAIL, needs=("loss",), limits={"points": 10, "spread": 0.001})
def loss_flat(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The training loss does not move at all.

    Why: noise alone moves a loss that is learned from; one that stays within a thousandth is not connected to the weights.
    A stage of supervised fine-tuning that wrote 10.678 in every row, the entropy of a uniform guess over the vocabulary,
    taught it.

    Fix: check that parameters require gradients and that the optimiser holds them.

    Stands down: on objectives whose loss need not fall; where the loss falls steadily on a large constant offset.
    """
    supervised(run, "preference")
    found = loss_course(run, limits["points"])
    if _moves(found):
        return
    low, high = min(found.values), max(found.values)
    if high - low >= limits["spread"] * max(abs(low), abs(high)):
        return  # the median lies between them
    centre = abs(median(found.values))
    if centre == 0 or (high - low) >= limits["spread"] * centre:
        return
    if high == low and centre < COARSE and len(f"{centre:g}".lstrip("0.").replace(".", "")) <= 2:
        raise StandDown("the printed digits of the loss are too few to see it move")
    if high > low and _falls_steadily(found):
        raise StandDown("the loss falls steadily on a large constant offset, so ratios of it mean nothing")
    assert run.loss is not None
    yield Firing(
        "the training loss does not move", f"a spread of {(high - low) / centre:.2g} of its median over {found.size} points",
        f"at least {limits['spread']:g}", run.places(run.loss, [found.where[-1]]),
    )  # fmt: skip


def _moves(found: Course) -> bool:
    """Whether its first and last points alone show that it is anything but flat."""
    ends = (*found.values[:EDGE], *found.values[-EDGE:])
    low, high = min(ends), max(ends)
    return high - low > OBVIOUS * max(abs(low), abs(high))


def _falls_steadily(found: Course) -> bool:
    """Whether the medians of five parts lie each below the one before."""
    width = found.size // 5
    medians = [median(found.values[i * width : (i + 1) * width]) for i in range(5)]
    return sum(later < before for before, later in pairwise(medians)) >= 4


@rule(
    "TP-DIVERGE",
    Severity.FAIL,
    needs=("loss",),
    limits={"points": 10, "ratio": 1.2, "first": 1.5, "explosion": 10, "sigmas": 3},
)
def loss_diverged(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The run ended above where it began.

    Why: more training made it worse. The end (median of the last 5 %, at least 3 points) is held against the beginning
    (`ratio` times the median of the first 5 %, `first` times that of the first 3), never against the lowest point: on
    208 real logs the lowest point gave 35 false alarms, the beginning none.
    On objectives whose loss need not fall only an explosion counts: an end beyond `explosion` times the larger of the
    first value and the spread of the first half, in absolute terms.

    Fix: lower the learning rate, lengthen the warm-up, clip gradients; resume from the best checkpoint.

    Stands down: fewer than 10 points; in a search for the learning rate; just after the learning rate rose again; where
    the printed digits are too coarse, or the points of the beginning scatter so much that the end lies within `sigmas`
    standard errors of it (of 1,500 simulated healthy runs that scatter by up to 40 % from point to point, 30 ended above
    by chance alone).
    """
    found = loss_course(run, limits["points"])
    unswept(run)
    if run.objective is not None or found.head <= 0:
        yield from _explosion(run, found, limits)
        return
    start = median(found.values[:3])
    by_head, by_first = found.tail > limits["ratio"] * found.head, 0 < limits["first"] * start < found.tail
    if not by_head and not by_first:
        return
    if rate_rose_late(run) and not found.tail > limits["explosion"] * found.head:
        raise StandDown("the learning rate rose again just before the end")
    base, ratio = (found.head, limits["ratio"]) if by_head else (start, limits["first"])
    _told_apart(found, base, limits)
    assert run.loss is not None
    yield Firing(
        f"the training loss ended above where it began: {base:.4g} at first, {found.tail:.4g} at the end",
        f"{found.tail / base:.3g} x the beginning", f"at most {ratio:g} x",
        run.places(run.loss, found.where[-found.edge :]),
    )  # fmt: skip


def _told_apart(found: Course, base: float, limits: Limits) -> None:
    """Stand down where scatter or coarse digits alone may have lifted the end above the beginning, which is `base`."""
    scatter = noise(found.values[: max(found.size // 4, 5)])
    if found.tail > TRIPLED * base:  # the leap itself is no scatter
        scatter = min(scatter, noise(found.values[-max(found.size // 2, 5) :]))
    if found.tail - base < limits["sigmas"] * uncertainty(scatter, found.edge):
        raise StandDown("the points scatter too much for the end to be told from the beginning")
    coarse = 3 * resolution((*found.values[: found.edge], *found.values[-found.edge :]))
    if found.tail - base < coarse and found.tail <= limits["explosion"] * base:
        raise StandDown("the printed digits of the loss are too coarse for a ratio")


def _explosion(run: RunLog, found: Course, limits: Limits) -> Iterator[Firing]:
    half = found.values[: max(found.size // 2, 1)]
    reach = max(abs(found.values[0]), max(half) - min(half))
    if reach == 0 or abs(found.tail) <= limits["explosion"] * reach or found.tail < found.head:
        return
    assert run.loss is not None
    yield Firing(
        f"the training loss exploded: {found.values[0]:.4g} at first, {found.tail:.4g} at the end",
        f"{abs(found.tail) / reach:.3g} x the reach of the first half", f"at most {limits['explosion']:g} x",
        run.places(run.loss, found.where[-found.edge :]),
    )  # fmt: skip


@rule(
    "TP-REGRESS",
    Severity.WARN,
    needs=("loss",),
    limits={"points": 10, "ratio": 1.5, "lost": 0.5, "climb": 1.05, "sigmas": 4},
)
def loss_regressed(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The loss came down and went up again, or climbs throughout.

    Why: the model at the end is worse than one on the way. The end is held against the lowest stretch, and at least half
    of the whole fall must have been lost again: both together gave 2 false alarms on 208 real logs, either alone 5 and
    more. It must lie `sigmas` standard errors above, for the lowest of many stretches is low by chance. A resumed run
    that climbed by 15 % over two epochs while the rate decayed taught the second form: an end `climb` times the
    beginning that rises all along.

    Fix: keep the checkpoint of the best step that is named, and lower the learning rate from there.

    Stands down: fewer than 10 points; a loss not above zero or that need not fall; a rate that rose again at the end.
    """
    supervised(run)
    found = loss_course(run, limits["points"])
    if found.head <= 0 or found.tail <= 0:
        raise StandDown("the loss is not positive, so a ratio of it means nothing")
    if found.tail > 1.2 * found.head:
        return  # that is TP-DIVERGE
    if rate_rose_late(run):
        raise StandDown("the learning rate rose again just before the end")
    width = max(3, found.size // 20)
    assert run.loss is not None
    tail = found.tail
    end = max(tail, median(found.values[-LAST:])) if found.size >= 4 * LAST else tail
    if tail <= limits["climb"] * found.head and _hardly_below(found, end / limits["ratio"], width):
        return
    medians = rolling_medians(found.values, width)
    best = min(medians)
    if best <= 0:
        raise StandDown("the loss is not positive, so a ratio of it means nothing")
    lost = end > limits["ratio"] * best and end - best >= limits["lost"] * (found.head - best)
    if lost and end - best >= limits["sigmas"] * uncertainty(noise(found.values), min(width, found.edge)):
        lowest = found.where[min(medians.index(best) * max(1, width // 2) + width // 2, found.size - 1)]
        yield _lost_again(run, found, lowest, (best, end, limits["ratio"]))
    elif found.tail > limits["climb"] * found.head and _climbs(found):
        said = f"the training loss climbs: {found.head:.4g} at first, {found.tail:.4g} at the end"
        ratio, most = f"{found.tail / found.head:.3g} x the beginning", f"at most {limits['climb']:g} x"
        yield Firing(said, ratio, most, run.places(run.loss, found.where[-found.edge :]))


def _lost_again(run: RunLog, found: Course, lowest: int, levels: tuple[float, float, float]) -> Firing:
    """The firing about an end above the lowest stretch; `levels` are that stretch, the end and the ratio allowed."""
    assert run.loss is not None
    best, end, ratio = levels
    return Firing(
        f"the training loss regressed: {best:.4g} around step {run.loss.steps[lowest]:g}, {end:.4g} at the end",
        f"{end / best:.3g} x its lowest stretch", f"at most {ratio:g} x",
        run.places(run.loss, found.where[-found.edge :]), (run.location(run.loss, lowest, "the best step"),),
    )  # fmt: skip


def _hardly_below(found: Course, level: float, width: int) -> bool:
    """Whether so few points lie below a level that no median of `width` of them does."""
    return sum(map(level.__gt__, found.values)) < width // 2


def _climbs(found: Course) -> bool:
    """Whether the loss rises all along: the rank correlation of at most 40 medians with their order is above 0.7."""
    width = max(1, found.size // 40)
    medians = [median(found.values[at : at + width]) for at in range(0, found.size, width)]
    count = len(medians)
    ranks = {at: rank for rank, at in enumerate(sorted(range(count), key=medians.__getitem__))}
    apart = sum((at - rank) ** 2 for at, rank in ranks.items())
    return 1 - 6 * apart / (count * (count**2 - 1)) > 0.7
