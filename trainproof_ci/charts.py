"""Series made small enough for a picture, with the steps at which a rule fired."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from trainproof_ci.model import Chart, Finding, Severity

MOST_POINTS = 200
MOST_MARKS = 10
"""Marks of one rule; a loss that is NaN for a thousand steps needs one line, not a thousand."""
DRAWN = frozenset({Severity.FAIL, Severity.WARN})

Points = tuple[tuple[float, float], ...]


def drawn(
    charts: Iterable[Chart], findings: Sequence[Finding], needs: Mapping[str, tuple[str, ...]]
) -> tuple[Chart, ...]:
    """The charts with their marks, thinned to at most 200 points; `needs` says which series each rule looked at."""
    return tuple(_drawn(chart, findings, needs) for chart in charts)


def _drawn(chart: Chart, findings: Sequence[Finding], needs: Mapping[str, tuple[str, ...]]) -> Chart:
    marks = [
        (place.step, finding.rule)
        for finding in findings
        if finding.severity in DRAWN and chart.role in _roles(needs.get(finding.rule))
        for place in (*finding.places.shown[:MOST_MARKS], *finding.related)
        if place.step is not None and place.path == finding.location.path
    ]
    return chart._replace(points=thinned(chart.points, [step for step, _ in marks]), marks=tuple(dict.fromkeys(marks)))


def _roles(needs: tuple[str, ...] | None) -> tuple[str, ...]:
    """The charts that a rule is marked in; a loss on an evaluation set is drawn as an evaluation."""
    return tuple("evals" if need == "validation" else need for need in needs or ("loss",))


def thinned(points: Points, kept_steps: Iterable[float] = ()) -> Points:
    """At most 200 of the points; those at `kept_steps` stay."""
    if len(points) <= MOST_POINTS:
        return tuple(points)
    wanted = set(kept_steps)
    kept = [i for i, (step, _) in enumerate(points) if step in wanted] if wanted else []
    return tuple(points[i] for i in positions([value for _, value in points], kept))


def positions(values: Sequence[float], kept: Sequence[int] = ()) -> Sequence[int]:
    """The positions of at most 200 values that show the series: of each stretch the lowest and the highest, so that no
    spike is lost, and the first that is not finite; the first and the last of all, and of `kept` as many as fit.
    """
    if len(values) <= MOST_POINTS:
        return range(len(values))
    chosen = {0, len(values) - 1, *kept[: MOST_POINTS // 4]}
    stretches = (MOST_POINTS - len(chosen)) // 3
    for stretch in range(stretches):
        first, end = stretch * len(values) // stretches, (stretch + 1) * len(values) // stretches
        chosen |= {first + i for i in _extremes(values[first:end])}
    return sorted(chosen)


def _extremes(values: Sequence[float]) -> set[int]:
    """The positions of the lowest and the highest value, and of the first that is not finite."""
    finite = [value for value in values if isfinite(value)]
    found = {values.index(min(finite)), values.index(max(finite))} if finite else set()
    return found if len(finite) == len(values) else {*found, next(i for i, v in enumerate(values) if not isfinite(v))}
