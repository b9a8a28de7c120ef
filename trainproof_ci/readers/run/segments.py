"""Segments: where the step goes back, another run or a resume begins; a counter within epochs and two writers do not."""

from array import array
from itertools import pairwise
from math import isfinite

from trainproof_ci.readers.run.facts import Series
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INTERLEAVED = 0.05
"""Share of points that step back from which on it is two writers in one file: two DDP ranks of a LLaMA-Factory run
stepped back 416 times in 1,360 rows, a resume steps back once."""
ENOUGH = 10
"""Points from which on a segment can be judged."""
SHORTEST = 3
"""Points, on average, of runs that were written one behind the other and begin at the same epoch."""
LONG = 5
"""The same of runs that begin at different epochs, some of them resumed."""
SAWTOOTH = 0.02
"""Segments that begin at one step and end within this share of another are epochs of one run, counted from 0."""


class Segment(NamedTuple):
    """The last segment of a series, or the last that can be judged (`earlier`), in step order, and what was left out."""

    series: Series
    segments: int = 1
    interleaved: bool = False
    earlier: bool = False


def last_segment(series: Series) -> Segment:
    """The points from the last step back on; where steps go back again and again, all points put in step order."""
    if series.epochs and series.size > 1 and isfinite(series.steps[0]) and min(series.steps) == max(series.steps):
        series = series._replace(steps=series.epochs)  # `Train Epoch: 5 [0/60000]`, once an epoch
    if _goes_on(series):
        return Segment(series)
    series = _continued(series)
    backs = _step_backs(series.steps)
    if not backs:
        return Segment(series)
    if len(backs) >= 3 and len(backs) > INTERLEAVED * series.size and not _are_runs(series, backs):
        order = sorted(range(series.size), key=series.steps.__getitem__)
        return Segment(series.picked(order), 1, interleaved=True)
    last = series.part(backs[-1], series.size)
    judged = _long_enough(series, backs, last)
    return Segment(judged, len(backs) + 1, earlier=judged is not last)


def _goes_on(series: Series) -> bool:
    """Whether no step goes back, and none stays where it is while an epoch begins."""
    ahead = series.steps.tolist()
    if ahead != sorted(ahead):
        return False
    return not series.epochs or series.epochs is series.steps or len(set(ahead)) == len(ahead)


def _long_enough(series: Series, backs: list[int], last: Series) -> Series:
    """The last segment; if it has just begun, and well, the one before it that can be judged."""
    if last.size >= ENOUGH or not all(map(isfinite, last.values)):
        return last
    bounds = [0, *backs]
    longer = [(first, end) for first, end in pairwise(bounds) if end - first >= ENOUGH]
    return series.part(*longer[-1]) if longer else last


def _step_backs(steps: "Sequence[float]") -> list[int]:
    return [i for i, (before, now) in enumerate(pairwise(steps), 1) if now < before]


def _continued(series: Series) -> Series:
    """The series with steps that count on from epoch to epoch, if they began anew in each."""
    steps, epochs = series.steps, series.epochs
    rolled = _rolled(steps, epochs) if epochs and epochs is not steps else []
    backs = [] if rolled else _step_backs(steps)
    if len(backs) >= 2 and _is_sawtooth(steps, backs) and not _are_runs(series, backs):
        rolled = backs
    if not rolled:
        return series
    starts, shift = set(rolled), 0.0
    counted = array("d")
    for index, step in enumerate(steps):
        if index in starts:
            shift = counted[-1]
        counted.append(step + shift)
    return series._replace(steps=counted)


def _rolled(steps: "Sequence[float]", epochs: "Sequence[float]") -> list[int]:
    """Where a new epoch begins and the step does not go on: `100/100` at the end of every epoch, or 1 after 600.

    A progress bar that is reset before it is renamed says `Epoch 8: 0/32` once more (Lightning): the epoch began there.
    """
    rolled, anew = [], 0
    pairs = zip(pairwise(steps), pairwise(epochs), strict=True)
    for index, ((step, next_step), (epoch, next_epoch)) in enumerate(pairs, 1):
        if next_step < step:
            anew = index
        if next_step <= step and next_epoch > epoch:
            waited = anew and steps[anew] == step == next_step
            rolled.append(anew if waited else index)
    return rolled


def _is_sawtooth(steps: "Sequence[float]", backs: list[int]) -> bool:
    ends = [steps[i - 1] for i in backs]
    begins = [steps[0], *(steps[i] for i in backs)]
    if not all(map(isfinite, (*ends, *begins))):
        return False
    room = SAWTOOTH * max(map(abs, ends))
    return max(ends) - min(ends) <= room and max(begins) - min(begins) <= room and steps[-1] <= max(ends) + room


def _are_runs(series: Series, backs: list[int]) -> bool:
    """Whether the epochs of each run stand together: runs in one file, or folds. Two writers go back again and again."""
    by_epoch = series.epochs is series.steps or series.epochs == series.steps
    begins = [series.steps[at] for at in (0, *backs)]
    afresh = set(begins) == {begins[0]}
    resumed = not afresh and begins == sorted(begins)
    return by_epoch and not resumed and series.size >= (SHORTEST if afresh else LONG) * len(begins)


_RANKS = ("rank", "local_rank", "global_rank", "process_index", "proc_rank")


def first_rank(series: "Mapping[str, Series]") -> "tuple[Mapping[str, Series], tuple[str, ...]]":
    """The series without the points of other ranks than the lowest, where each record names its rank; and a note of it."""
    ranks = next((series[name] for name in _RANKS if name in series), None)
    if ranks is None or len(set(ranks.values)) < 2:
        return series, ()
    lowest = min(ranks.values)
    others = {place for place, rank in zip(ranks.places, ranks.values, strict=True) if rank != lowest}
    kept = {
        name: one.picked(i for i, place in enumerate(one.places) if place not in others) for name, one in series.items()
    }
    note = f"{len(set(ranks.values))} ranks write this log: rank {lowest:g} is judged"
    return {name: one for name, one in kept.items() if one.size}, (note,)
