"""The median, without `statistics`, whose import takes longer than a small file to judge."""

from collections.abc import Iterable


def median(values: Iterable[float]) -> float:
    """The middle value, or the mean of the two in the middle. Raises `ValueError` without any."""
    ordered = sorted(values)
    count = len(ordered)
    if not count:
        raise ValueError("no median of no values")
    middle = count // 2
    return ordered[middle] if count % 2 else (ordered[middle - 1] + ordered[middle]) / 2
