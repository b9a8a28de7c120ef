"""Two training losses laid over each other: the steps that both have, and where each began, went and ended on them."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from math import isfinite

from trainproof_ci.median import median
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.readers.run.vocabulary import LOSS_WORDS, TRAIN_WORDS, words
from trainproof_ci.typed import NamedTuple

FEWEST_POINTS = 10
"""Points of each run on the common steps; fewer make no curve."""
FEWEST_GRADIENTS = 6
WINDOW = 0.1
"""Share of the common steps that is the start, and that is the end."""
FEWEST_IN_WINDOW = 3
ROLLING = 5
SAME = TRAIN_WORDS | LOSS_WORDS | {"total", "avg", "mean", "average", "step", "epoch", "batch", "running", "global"}
"""Words that do not tell one training loss from another: `loss` in one format is `train_loss` in the next."""


class Curve(NamedTuple):
    """A loss on the common steps: medians of its start and end, its lowest rolling median, how many points, the
    position of the last of them in `RunLog.loss`, and the median gradient norm after the first tenth.
    """

    start: float
    end: float
    floor: float
    points: int
    last: int
    gradient: float | None

    @property
    def improvement(self) -> float:
        """The share of the first loss that was taken off."""
        return 1 - self.end / self.start


def why_not(run: RunLog, baseline: RunLog) -> str | None:
    """Why the two losses are not of one kind, or None."""
    for name, log in (("run", run), ("baseline", baseline)):
        if log.loss is None:
            return f"the {name} has no training loss"
        if log.objective is not None:
            return f"the loss of the {name} has no scale to compare on: {log.objective}"
    assert run.loss is not None
    assert baseline.loss is not None
    if _quantity(run) != _quantity(baseline):
        return "the two losses are not the same quantity"
    if run.loss.stepped != baseline.loss.stepped:
        return "only one of the two logs its steps"
    return None


def _quantity(log: RunLog) -> frozenset[tuple[str, ...]]:
    """What the loss is made of; all the names of a whole training loss are one."""
    said = frozenset(tuple(word for word in words(name) if word not in SAME) for name in log.loss_columns)
    return said if len(log.loss_columns) > 1 else said - {()}


class Part(NamedTuple):
    """The finite points of a series on the common steps, and their positions in it."""

    steps: Sequence[float]
    values: Sequence[float]
    positions: Sequence[int]


def part(series: Series, first: float, last: float) -> Part:
    """The finite points from step `first` to step `last`."""
    inside = range(bisect_left(series.steps, first), bisect_right(series.steps, last))
    kept = array("q", [i for i in inside if isfinite(series.values[i])])
    return Part([series.steps[i] for i in kept], [series.values[i] for i in kept], kept)


def common_steps(run: Series, baseline: Series) -> tuple[float, float]:
    """The first and the last step that both series reach."""
    return max(run.steps[0], baseline.steps[0]), min(run.steps[-1], baseline.steps[-1])


def not_finite_at_the_end(log: RunLog, first: float, last: float) -> int:
    """How many values of the last tenth of the common steps are NaN or infinite."""
    assert log.loss is not None
    until = bisect_left(log.loss.steps, last - WINDOW * (last - first))
    return sum(not isfinite(value) for value in log.loss.values[until : bisect_right(log.loss.steps, last)])


def curve(log: RunLog, own: Part, other: Part, first: float, last: float) -> Curve:
    """The curve of `own`, whose start and end are as many steps long as those of `other`."""
    width = WINDOW * (last - first)
    begin = max(first + width, own.steps[FEWEST_IN_WINDOW - 1], other.steps[FEWEST_IN_WINDOW - 1])
    until = min(last - width, own.steps[-FEWEST_IN_WINDOW], other.steps[-FEWEST_IN_WINDOW])
    rolling = [median(own.values[i : i + ROLLING]) for i in range(len(own.values) - ROLLING + 1)]
    return Curve(
        median(own.values[: bisect_right(own.steps, begin)]),
        median(own.values[bisect_left(own.steps, until) :]),
        min(rolling),
        len(own.values),
        own.positions[-1],
        _gradient(log, first + width, last),
    )


def _gradient(log: RunLog, first: float, last: float) -> float | None:
    norms = part(log.gradients[0], first, last).values if log.gradients else ()
    return median(norms) if len(norms) >= FEWEST_GRADIENTS else None
