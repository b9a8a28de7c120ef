"""A series as an inline SVG picture that stretches to any width, its labels and marks as HTML that keeps its size."""

from collections.abc import Iterator, Sequence
from math import isfinite

from trainproof_ci.model import Chart
from trainproof_ci.reports.escape import html
from trainproof_ci.reports.scale import Scale, scale_of
from trainproof_ci.typed import NamedTuple

WIDTH, HEIGHT, MARGIN = 1000, 300, 12
CLOSEST = 1.0
"""Per cent of the width; of marks closer together, one is drawn."""


class Frame(NamedTuple):
    """Where values and steps lie in the picture."""

    scale: Scale
    first: float
    last: float

    def x(self, step: float) -> float:
        """Units from the left."""
        if not isfinite(step) or self.last <= self.first:
            return WIDTH / 2
        return min(1.0, max(0.0, (step - self.first) / (self.last - self.first))) * WIDTH

    def y(self, value: float) -> float:
        """Units from the top."""
        return MARGIN + (1 - min(1.0, max(0.0, self.scale.height(value)))) * (HEIGHT - 2 * MARGIN)


def frame(charts: Sequence[Chart]) -> Frame | None:
    """One frame for all of `charts`; None when not one value is finite."""
    values = (value for chart in charts for _, value in chart.points)
    scale = scale_of(values, linear=charts[0].role == "rates")
    steps = [step for chart in charts for step, _ in chart.points if isfinite(step)]
    return Frame(scale, min(steps), max(steps)) if scale is not None and steps else None


def picture(charts: Sequence[Chart], seen: Frame, label: str) -> str:
    """The SVG element: a grid, a line for each of `charts`, and crosses at the top where a value is not finite."""
    grid = "".join(f'<path class="grid" d="M0 {y:.0f}H{WIDTH}"/>' for y in (MARGIN, HEIGHT / 2, HEIGHT - MARGIN))
    lines = "".join(f'<path class="line line{i}" d="{_path(chart, seen)}"/>' for i, chart in enumerate(charts))
    crosses = "".join(_crosses(charts[0], seen))
    marks = "".join(f'<path class="at" d="M{seen.x(step):.1f} 0V{HEIGHT}"/>' for step, _ in spread(charts[0], seen))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label="{html(label)}">'
        f"{grid}{marks}{lines}{crosses}</svg>"
    )


def _path(chart: Chart, seen: Frame) -> str:
    """The line, broken where a value is not finite; a point alone is drawn as a short dash."""
    parts: list[str] = []
    pen_down = False
    for step, value in chart.points:
        if isfinite(value):
            parts.append(
                f"{'L' if pen_down else 'M'}{seen.x(step):.1f} {seen.y(value):.1f}" + ("" if pen_down else "h1")
            )
        pen_down = isfinite(value)
    return "".join(parts)


def _crosses(chart: Chart, seen: Frame) -> Iterator[str]:
    drawn = -WIDTH
    for step, value in chart.points:
        x = seen.x(step)
        if not isfinite(value) and x - drawn >= WIDTH * CLOSEST / 100:
            drawn = int(x)
            yield f'<path class="cross" d="M{x - 5:.1f} 2l10 10m0 -10l-10 10"/>'


def spread(chart: Chart, seen: Frame) -> list[tuple[float, str]]:
    """The marks of a chart without those that would lie on top of another of the same rule."""
    kept: list[tuple[float, str]] = []
    for step, rule in sorted(chart.marks, key=lambda mark: (mark[1], seen.x(mark[0]))):
        near = kept and kept[-1][1] == rule and seen.x(step) - seen.x(kept[-1][0]) < WIDTH * CLOSEST / 100
        if not near:
            kept.append((step, rule))
    return kept
