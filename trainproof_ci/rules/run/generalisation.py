"""Whether what is learned holds on data that is not trained on."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.readers.run.vocabulary import shown_name
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import course

LEAST_MATTERS = 0.005
"""Share of the first evaluation loss below which a rise is not worth a word: 0.0009 after 0.0007, having begun at 1.5."""


@rule("TP-OVERFIT", Severity.WARN, needs=("loss", "validation"), limits={"evaluations": 4, "ratio": 1.2})
def evaluation_rises(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The evaluation loss rose above `ratio` times its own minimum while the training loss kept falling.

    Why: from the best step on the model learns the training set by heart. Minimum and end are medians over 3 evaluations,
    so that one lucky evaluation does not count (the step that is named is that of the single lowest one); parts that the trainer logs apart (box, class) are summed as the training
    loss is, for one part may rise while the whole falls, as in real detection runs.

    Fix: keep the checkpoint of the best step that is named, not only the last one; stop earlier, or regularise.

    Stands down: fewer than 4 evaluations; an evaluation loss at or below zero. A single evaluation that is worse than the best
    one before it convicts nobody.
    """
    assert run.loss is not None
    sets = [series for series in run.validation if course(series).size >= limits["evaluations"]]
    if not sets:
        raise StandDown(f"fewer than {limits['evaluations']:g} evaluations")
    if all(min(_smooth(course(series).values)) <= 0 for series in sets):
        raise StandDown("the evaluation loss is not positive, so a ratio of it means nothing")
    worst: tuple[float, Firing] | None = None
    for series in sets:
        found = _overfit(run, series, limits["ratio"])
        if found is not None and (worst is None or found[0] > worst[0]):
            worst = found
    if worst is not None:
        yield worst[1]


def _smooth(values: Sequence[float]) -> list[float]:
    """The medians of each value and its two neighbours."""
    return [median(values[max(0, i - 1) : i + 2]) for i in range(len(values))]


def _overfit(run: RunLog, series: Series, ratio: float) -> tuple[float, Firing] | None:
    found = course(series)
    values = found.values
    smooth = _smooth(values)
    best = min(range(found.size), key=smooth.__getitem__)
    single = min(range(found.size), key=values.__getitem__)
    last = median(values[-3:])
    low = smooth[best]
    if low <= 0 or last <= ratio * low or last - low < LEAST_MATTERS * abs(values[0]):
        return None
    if max(best, single) >= found.size - 2:  # a single evaluation that is worse convicts nobody
        return None
    assert run.loss is not None
    at_best = found.where[best]
    if not _train_fell(run.loss, series, at_best):
        return None
    places = run.places(series, [index for index in found.where[best:] if series.values[index] > ratio * low])
    lowest = found.where[single]  # no checkpoint is the median of three
    step = f"{series.steps[lowest]:g}"
    return last / low, Firing(
        f"{shown_name(series.name)} rises while the training loss falls: {series.values[lowest]:.4g} at step {step}, {last:.4g} at the end; "
        f"keep the checkpoint of step {step}, the last one is worse",
        f"{last / low:.3g} x its lowest median of 3", f"at most {ratio:g} x", places, (run.location(series, lowest, "the best evaluation"),),
    )  # fmt: skip


def _train_fell(loss: Series, series: Series, at: int) -> bool:
    """Whether the end of the training loss lies below what it was at the evaluation `at`.

    Where training and evaluations stand in lists of their own, one behind the other, the share of the evaluations counts.
    """
    found = course(loss)
    if found.size < 2:
        return False
    apart = loss.places[0] == loss.places[-1] or series.places[0] > loss.places[-1]
    place = 0 if apart else bisect_right(loss.places, series.places[at])
    share = place / loss.size if place else (at + 1) / series.size
    middle = min(max(round(share * found.size), 1), found.size)
    edge = max(1, min(found.edge, found.size // 4))
    return median(found.values[-edge:]) < median(found.values[max(0, middle - edge) : middle])
