"""A short series as a Mermaid chart, which GitHub draws in a summary: the line, and a bar where a rule fired."""

from math import isfinite

from trainproof_ci.model import Chart
from trainproof_ci.places import safe_key
from trainproof_ci.reports.scale import scale_of

MOST_POINTS = 60
FEWEST_POINTS = 5
TITLES = {"loss": "training loss", "evals": "evaluation loss", "rates": "learning rate", "gradients": "gradient norm"}
"""For a series whose own name might be more than a name to Mermaid."""


def chart(series: Chart) -> list[str]:
    """The lines of a fenced Mermaid block; empty where the series is too short, too long or not finite.

    A bar of full height stands at each point where a rule fired; all others have none.
    """
    scale = scale_of(value for _, value in series.points)
    if scale is None or not FEWEST_POINTS <= len(series.points) <= MOST_POINTS or scale.low == scale.high:
        return []
    if not all(isfinite(step) and isfinite(value) for step, value in series.points):
        return []
    steps = [step for step, _ in series.points]
    marked = {min(range(len(steps)), key=lambda i: abs(steps[i] - step)) for step, _ in series.marks}
    line = ", ".join(_number(value) for _, value in series.points)
    bars = ", ".join(_number(scale.high if i in marked else scale.low) for i in range(len(steps)))
    return [
        "```mermaid",
        "xychart-beta",
        f'  title "{series.name if safe_key(series.name) == series.name else TITLES.get(series.role, "series")}"',
        f'  x-axis "step" {_number(steps[0])} --> {_number(steps[-1])}',
        f"  y-axis {_number(scale.low)} --> {_number(scale.high)}",
        *([f"  bar [{bars}]"] if marked else []),
        f"  line [{line}]",
        "```",
    ]


def _number(value: float) -> str:
    """Mermaid's grammar knows no exponents."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return text if text not in {"", "-0"} else "0"
