"""A series of any length as points enough for a picture."""

from collections.abc import Sequence
from math import isfinite

from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from array import array

MOST_STRETCHES = 512


def points(steps: Sequence[float], values: "array[float]") -> tuple[tuple[float, float], ...]:
    """(step, value) pairs for a picture: of a long series the lowest and highest of each of 512 stretches, its first
    value that is not finite, and the ends.
    """
    size = len(values)
    if size <= 4 * MOST_STRETCHES:
        return tuple(zip(steps, values, strict=True))
    kept, finite = {0, size - 1}, isfinite(sum(values))
    for stretch in range(MOST_STRETCHES):
        first, end = stretch * size // MOST_STRETCHES, (stretch + 1) * size // MOST_STRETCHES
        part = values[first:end].tolist()
        if finite or isfinite(sum(part)):
            kept |= {first + part.index(min(part)), first + part.index(max(part))}
        else:
            kept |= {first, end - 1, next((i for i in range(first, end) if not isfinite(values[i])), first)}
    return tuple((steps[i], values[i]) for i in sorted(kept))
