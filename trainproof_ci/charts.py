"""Series made small enough for a picture, with the steps at which a rule fired."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite

from trainproof_ci.model import Chart, Finding, Severity

MOST_POINTS = 200
MOST_MARKS = 10
"""Marks of one rule; a loss that is NaN for a thousand steps needs one line, not a thousand."""
DRAWN = frozenset({Severity.FAIL, Severity.WARN})

Points = Sequence[tuple[float, float]]


def drawn(
    charts: Iterable[Chart], findings: Sequence[Finding], needs: Mapping[str, tuple[str, ...]]
) -> tuple[Chart, ...]:
    """The charts with their marks, thinned to at most 200 points; `needs` says which series each rule looked at."""
    return tuple(_drawn(chart, findings, needs) for chart in charts)


def _drawn(chart: Chart, findings: Sequence[Finding], needs: Mapping[str, tuple[str, ...]]) -> Chart:
    marks = [
        (place.step, finding.rule)
        for finding in findings
        if finding.severity in DRAWN and chart.role in (needs.get(finding.rule) or ("loss",))
        for place in finding.places.shown[:MOST_MARKS]
        if place.step is not None
    ]
    return chart._replace(points=thinned(chart.points, [step for step, _ in marks]), marks=tuple(dict.fromkeys(marks)))


def thinned(points: Points, kept_steps: Iterable[float] = ()) -> tuple[tuple[float, float], ...]:
    """At most 200 of the points: of each stretch the lowest and the highest, so that no spike is lost; a point that is
    not finite, the first, the last, and those at `kept_steps` stay.
    """
    if len(points) <= MOST_POINTS:
        return tuple(points)
    wanted = set(kept_steps)
    kept = {0, len(points) - 1}
    kept |= set([i for i, (step, _) in enumerate(points) if step in wanted][: MOST_POINTS // 4])
    stretches = (MOST_POINTS - len(kept)) // 3
    for stretch in range(stretches):
        first, end = stretch * len(points) // stretches, (stretch + 1) * len(points) // stretches
        kept |= _extremes(points, first, end)
    return tuple(points[i] for i in sorted(kept))


def _extremes(points: Points, first: int, end: int) -> set[int]:
    """The positions of the lowest and the highest point of a stretch, and of the first that is not finite."""
    finite = [i for i in range(first, end) if isfinite(points[i][1])]
    kept = (
        {next((i for i in range(first, end) if not isfinite(points[i][1])), first)}
        if len(finite) < end - first
        else set()
    )
    if finite:
        kept |= {min(finite, key=lambda i: points[i][1]), max(finite, key=lambda i: points[i][1])}
    return kept
