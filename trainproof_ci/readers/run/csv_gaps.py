"""Empty cells in which a table says that there is no loss any more, as pandas writes a NaN."""

from array import array
from bisect import bisect_right
from itertools import chain
from math import nan

from trainproof_ci.readers.run.vocabulary import is_loss
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trainproof_ci.readers.run.facts import Series

LEAST = 10
"""Rows in each of which a loss stood before its cells stay empty."""
FEWEST = 3
"""Rows at the end in which they stay empty; fewer are an end that was not yet written."""


def filled(series: "Mapping[str, Series]") -> "dict[str, Series]":
    """The columns; a loss that stood in every row, and then in none up to the end, goes on as null."""
    end = max((one.places[-1] for one in series.values()), default=0)
    if not any(is_loss(name) and one.size >= LEAST and one.places[-1] < end for name, one in series.items()):
        return dict(series)
    every = sorted(set(chain.from_iterable(one.places for one in series.values())))
    whole = next((one for one in series.values() if one.size == len(every)), None)
    if whole is None:
        return dict(series)
    return {name: _gone_on(one, every, whole) if is_loss(name) else one for name, one in series.items()}


def _gone_on(one: "Series", every: list[int], whole: "Series") -> "Series":
    before = bisect_right(every, one.places[-1]) if one.size >= LEAST else 0
    after = len(every) - before
    if before != one.size or after < FEWEST:
        return one
    return one._replace(
        values=one.values + array("d", [nan]) * after, places=array("q", every), steps=whole.steps, epochs=whole.epochs,
        nulls=one.nulls | frozenset(range(before, len(every))), stepped=whole.stepped,
    )  # fmt: skip
