"""A series as one line of block characters, with the steps at which rules fired below it. For any monospaced sink."""

from math import isfinite

from trainproof_ci.model import Chart, TargetReport
from trainproof_ci.reports.scale import Scale, column_of, scale_of

BLOCKS = "▁▂▃▄▅▆▇█"
NOT_FINITE, NOTHING, MARK = "\u00d7", " ", "▲"
WIDTH = 60
LONGEST_NAME = 32


def pictures(target: TargetReport) -> list[str]:
    """The charts of a target, two lines each where a rule fired, unescaped; names and numbers in columns."""
    drawn = [(_name(chart), chart) for chart in target.charts if chart.points]
    margin = max((len(name) for name, _ in drawn), default=0)
    shared = _shared_scale(target)
    lines = []
    for name, chart in drawn:
        lines.append(f"{name:{margin}}  {line(chart, shared)}  {span(chart)}")
        if chart.marks:
            lines.append(f"{'':{margin}}  {marks(chart)}  {MARK} {fired(chart)}")
    return lines


def _shared_scale(target: TargetReport) -> Scale | None:
    """One scale for a run and its baseline, which are there to be seen side by side."""
    if all(chart.role != "baseline" for chart in target.charts):
        return None
    return scale_of(value for chart in target.charts for _, value in chart.points)


def _scale(chart: Chart) -> Scale | None:
    return scale_of((value for _, value in chart.points), linear=chart.role == "rates")


def _name(chart: Chart) -> str:
    return chart.name if len(chart.name) <= LONGEST_NAME else chart.name[: LONGEST_NAME - 1] + "…"


def line(chart: Chart, shared: Scale | None = None, width: int = WIDTH) -> str:
    """The series in at most `width` characters: the highest value of each stretch of steps, a cross where one is not finite."""
    steps = [step for step, _ in chart.points]
    width = min(width, len(steps))
    columns: list[list[float]] = [[] for _ in range(width)]
    for step, value in chart.points:
        columns[column_of(step, steps, width)].append(value)
    scale = shared or _scale(chart)
    return "".join(_block(column, scale) for column in columns)


def _block(values: list[float], scale: Scale | None) -> str:
    if not values:
        return NOTHING
    if scale is None or not all(map(isfinite, values)):
        return NOT_FINITE
    height = min(1.0, max(0.0, scale.height(max(values))))
    return BLOCKS[round(height * (len(BLOCKS) - 1))]


def marks(chart: Chart, width: int = WIDTH) -> str:
    """A mark under each column in which a rule fired."""
    steps = [step for step, _ in chart.points]
    width = min(width, len(steps))
    columns = {column_of(step, steps, width) for step, _ in chart.marks}
    return "".join(MARK if column in columns else NOTHING for column in range(width))


def span(chart: Chart) -> str:
    """First and last value, the range, and the steps."""
    (first_step, first), (last_step, last) = chart.points[0], chart.points[-1]
    scale = _scale(chart)
    between = f", {scale.low:.4g} to {scale.high:.4g}{' (log)' if scale.logarithmic else ''}" if scale else ""
    return f"{first:.4g} → {last:.4g}{between}, steps {first_step:g} to {last_step:g}"


def fired(chart: Chart) -> str:
    """Which rules fired at which step: the first of each."""
    first: dict[str, float] = {}
    for step, rule in chart.marks:
        first.setdefault(rule, step)
    return ", ".join(f"{rule} at step {step:g}" for rule, step in first.items())
