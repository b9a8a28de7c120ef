"""Segments: where the step goes back, another run or a resume begins; two writers interleaved are one run."""

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from trainproof_ci.readers.run.facts import Series

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERLEAVED = 0.05
"""Share of points that step back from which on it is two writers in one file: two DDP ranks of a LLaMA-Factory run
stepped back 416 times in 1,360 rows, a resume steps back once."""


class Segment(NamedTuple):
    """The last segment of a series, in step order, and what was left out."""

    series: Series
    segments: int = 1
    interleaved: bool = False


def step_backs(steps: "Sequence[float]") -> list[int]:
    """The positions at which the step is lower than just before."""
    return [i for i, (before, now) in enumerate(pairwise(steps), 1) if now < before]


def last_segment(series: Series) -> Segment:
    """The points from the last step back on; where steps go back again and again, all points put in step order."""
    backs = step_backs(series.steps)
    if not backs:
        return Segment(series)
    if len(backs) >= 3 and len(backs) > INTERLEAVED * series.size:
        order = sorted(range(series.size), key=series.steps.__getitem__)
        return Segment(series.picked(order), 1, interleaved=True)
    return Segment(series.part(backs[-1], series.size), len(backs) + 1)
