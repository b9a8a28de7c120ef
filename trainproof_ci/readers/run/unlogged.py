"""Gaps that are no faults: a row of its own for the evaluation, in which the training loss is null, and the other way."""

from itertools import groupby
from math import isfinite, isnan

from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainproof_ci.readers.run.facts import Series


NOTHING = (0.0, -1.0)
"""What some trainers write in place of an evaluation."""


def logged_evaluation(series: "Series") -> "Series":
    """Without the NaN and null of rows in which nothing was evaluated, and without the 0 or -1 that stands for it."""
    if isfinite(sum(series.values)):
        if not any(map(series.values.__contains__, NOTHING)):
            return series
        blank = [index for index, value in enumerate(series.values) if value in NOTHING]
        others = series.size - len(blank)
        positive = sum(value > 0 for value in series.values)
        return _without(series, blank) if positive == others else series
    return _without(series, [index for index, value in enumerate(series.values) if isnan(value)])


def logged_training(series: "Series", evals: "Iterable[Series]" = ()) -> "Series":
    """Without the nulls of rows in which nothing was logged: what is null in every row of an evaluation, or mostly."""
    if not series.nulls:
        return series
    nulls = sorted(series.nulls)
    evaluated = {place for one in evals for place, value in zip(one.places, one.values, strict=True) if isfinite(value)}
    trained = {place for index, place in enumerate(series.places) if index not in series.nulls}
    if evaluated.issuperset(series.places[index] for index in nulls) and not evaluated & trained:
        return _picked(series, series.nulls)
    return _without(series, nulls)


def _without(series: "Series", gaps: list[int]) -> "Series":
    """The series without its gaps, if it has more gaps than points, and none at the end is longer than those before."""
    if len(gaps) * 2 < series.size or len(gaps) == series.size:
        return series
    absent = set(gaps)
    runs = [(absent_, len(list(run))) for absent_, run in groupby(index in absent for index in range(series.size))]
    before = [length for absent_, length in runs[:-1] if absent_]
    if runs[-1][0] and (not before or runs[-1][1] > max(before)):
        return series
    return _picked(series, absent)


def _picked(series: "Series", absent: "Iterable[int]") -> "Series":
    return series.picked(sorted(set(range(series.size)).difference(absent)))
