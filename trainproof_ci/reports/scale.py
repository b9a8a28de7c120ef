"""From values to a height between 0 and 1: linear, or logarithmic where a series spans more than a picture can show."""

from collections.abc import Iterable, Sequence
from math import isfinite, log10

from trainproof_ci.typed import NamedTuple

LOG_FROM = 50.0
"""Highest over lowest value from which on the scale is logarithmic."""


class Scale(NamedTuple):
    """The lowest and the highest value of a picture, and whether heights go by their logarithm."""

    low: float
    high: float
    logarithmic: bool

    def height(self, value: float) -> float:
        """0 for the lowest value, 1 for the highest; a flat series runs through the middle."""
        if self.low == self.high:
            return 0.5
        if self.logarithmic:
            return log10(value / self.low) / log10(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


def scale_of(values: Iterable[float], *, linear: bool = False) -> Scale | None:
    """The scale on which all finite values have their place; None without any. A schedule is drawn `linear`."""
    finite = [value for value in values if isfinite(value)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    if not isfinite(high - low):
        return Scale(low / 4, high / 4, logarithmic=False)
    return Scale(low, high, logarithmic=not linear and low > 0 and high / low > LOG_FROM)


def column_of(step: float, steps: Sequence[float], width: int) -> int:
    """In which of `width` columns of equal length the step lies; `steps` are first and last."""
    first, last = steps[0], steps[-1]
    if not (isfinite(first) and isfinite(last) and isfinite(step)) or last <= first:
        return 0
    share = min(1.0, max(0.0, (step - first) / (last - first)))  # steps that go back may lie far outside
    return min(width - 1, int(share * width))
