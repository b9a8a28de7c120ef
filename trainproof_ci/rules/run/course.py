"""Numbers about the course of a series: its beginning, its end, its lowest stretch, whether it fell."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isfinite, sqrt
from operator import sub

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.typed import NamedTuple

SHARE = 0.05
LEAST = 3
SWEEP = 1e4


class Course(NamedTuple):
    """The finite values of a series, with the positions they have in it."""

    values: Sequence[float]
    where: Sequence[int]

    @property
    def size(self) -> int:
        """The number of finite values."""
        return len(self.values)

    @property
    def edge(self) -> int:
        """How many points the beginning and the end are: 5 %, and at least 3."""
        return min(max(LEAST, round(SHARE * self.size)), self.size)

    @property
    def head(self) -> float:
        """The median of the beginning."""
        return median(self.values[: self.edge])

    @property
    def tail(self) -> float:
        """The median of the end."""
        return median(self.values[-self.edge :])


def course(series: Series) -> Course:
    """The finite part of a series."""
    values = series.values
    if isfinite(sum(values)):
        return Course(values, range(len(values)))
    where = [index for index, value in enumerate(values) if isfinite(value)]
    if len(where) == len(values):
        return Course(values, range(len(values)))
    return Course([values[index] for index in where], where)


def loss_course(run: RunLog, least: float) -> Course:
    """The course of the training loss; stands down with fewer than `least` finite points."""
    assert run.loss is not None
    found = course(run.loss)
    if found.size < least:
        raise StandDown(f"{found.size} points of the loss are too few to judge its course (at least {least:g})")
    return found


def supervised(run: RunLog, *also: str) -> None:
    """Stand down where the loss is not expected to fall; `also` names objectives that are judged all the same."""
    if run.objective is not None and run.objective not in also:
        raise StandDown(f"the {run.objective} objective does not ask for a falling loss")


def improved(found: Course, share: float = 0.05) -> bool:
    """Whether the end lies below the beginning by `share` of it and by more than chance.

    A run at learning rate 0 whose batches spread by 15 % ended 6 % below its beginning: that is no improvement. From
    ten points on the fall of the edges, or of the last third, must exceed three times what the spread of neighbours does
    to a difference of two medians.
    """
    if found.size < 2 * LEAST + 4:
        return found.size >= 2 and found.head - found.tail > share * abs(found.head)
    spread = scatter(found.values)
    for width in (found.edge, found.size // 3):
        first, last = median(found.values[:width]), median(found.values[-width:])
        if first - last > max(share * abs(first), 3 * 1.77 * spread / sqrt(width)):
            return True
    return False


def scatter(values: Sequence[float]) -> float:
    """The standard deviation around the course, from second differences: a straight fall, however steep, has none."""
    bends = [
        abs(after - 2 * here + before) for before, here, after in zip(values, values[1:], values[2:], strict=False)
    ]
    return 1.4826 * median(bends) / sqrt(6)


def noise(values: Sequence[float]) -> float:
    """The spread of single points around their course: from the differences between neighbours, so that a trend counts little."""
    steps = list(map(abs, map(sub, values[1:], values)))
    return 1.4826 * median(steps) / sqrt(2) if steps else 0.0


def uncertainty(spread: float, points: int) -> float:
    """How far the difference of two medians of so many points is off, as a standard error."""
    return 1.2533 * spread * sqrt(2 / max(points, 1))


def resolution(values: Iterable[float]) -> float:
    """The smallest step between two different values: what the printed digits can tell apart."""
    ordered = sorted(set(values))
    return min((after - before for before, after in pairwise(ordered)), default=0.0)


def rolling_medians(values: Sequence[float], width: int) -> list[float]:
    """Medians of windows of `width` points, each half overlapping the one before; the last ends with the series."""
    hop = max(1, width // 2)
    values = list(values)
    if width == 1 or len(values) <= width:
        return values if width == 1 else [median(values)]
    starts = range(0, len(values) - width, hop)
    halves = [sorted(values[start : start + hop]) for start in (*starts, len(starts) * hop)]  # merged, not sorted twice
    windows = (
        median(halves[at] + halves[at + 1] + values[start + 2 * hop : start + width]) for at, start in enumerate(starts)
    )
    return [*windows, median(values[-width:])]


def rate_rose_late(run: RunLog, share: float = 0.1) -> bool:
    """Whether the learning rate rose again in the last `share` of the run: a warm restart lifts the loss for a while."""
    for rates in run.rates:
        late = course(rates).values[-max(2, round(share * rates.size)) :]
        if len(late) >= 2 and max(late) > 0 and max(late) > 2 * max(min(late[:1]), 0.0) and max(late) > late[0]:
            return True
    return False


def unswept(run: RunLog) -> None:
    """Stand down where the learning rate grows throughout by four decades, as in a search for one."""
    for rates in run.rates:
        values = course(rates).values
        if len(values) >= LEAST and 0 < values[0] * SWEEP <= values[-1] and list(values) == sorted(values):
            raise StandDown("the learning rate is swept over four decades, which ends in an explosion by design")


def still_warming_up(run: RunLog) -> bool:
    """Whether the learning rate rose to the very end."""
    for rates in run.rates:
        values = course(rates).values
        if len(values) >= LEAST and values[-1] > 0 and values[-1] == max(values) and values[-1] > 1.5 * median(values):
            return True
    return False
