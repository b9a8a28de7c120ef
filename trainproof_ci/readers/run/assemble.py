"""From the columns of a reading to a run: roles, the summed loss, the last segment."""

from array import array
from typing import TYPE_CHECKING

from trainproof_ci.readers.run.facts import Reading, RunLog, Series
from trainproof_ci.readers.run.roles import find_roles
from trainproof_ci.readers.run.segments import last_segment

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target


def run_log(target: "Target", reading: Reading, loss_key: str | None = None) -> RunLog:
    """The run that a reading tells of."""
    series = reading.series
    roles = find_roles(series, loss_key)
    loss = last_segment(summed([series[name] for name in roles.loss])) if roles.loss else None
    return RunLog(
        target.path, target.format, reading, series, loss.series if loss else None, roles.loss,
        evals=tuple(last_segment(series[name]).series for name in roles.evals),
        rates=tuple(last_segment(series[name]).series for name in roles.rates),
        gradients=tuple(last_segment(series[name]).series for name in roles.gradients),
        segments=loss.segments if loss else 1,
    )  # fmt: skip


def summed(parts: list[Series]) -> Series:
    """One series whose values are the sums of parts of equal length."""
    if len(parts) == 1:
        return parts[0]
    values = array("d", map(sum, zip(*(part.values for part in parts), strict=True)))
    return parts[0]._replace(name="+".join(part.name for part in parts), values=values)
