"""Why a run in which no rule fired is still not judged: no loss, too few points, steps that say nothing."""

from collections.abc import Iterator, Sequence
from math import isfinite

from trainproof_ci.errors import Unreadable
from trainproof_ci.median import median
from trainproof_ci.places import Location
from trainproof_ci.readers.run.objective import rewards
from trainproof_ci.readers.run.roles import ENOUGH
from trainproof_ci.readers.run.vocabulary import shown_name
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.run.facts import RunLog, Series

SHOWN = 24
ODD = 0.01
"""Share of values that are no numbers from which on the column is not judged by the others."""


def shortfall(run: "RunLog") -> Unreadable | None:
    """The first reason, or None."""
    return next(_reasons(run), None)


def _reasons(run: "RunLog") -> Iterator[Unreadable]:
    loss = run.loss
    if loss is None:
        yield _no_loss(run)
        return
    finite = loss.size if isfinite(sum(loss.values)) else sum(map(isfinite, loss.values))
    odd = sum(run.reading.odd[name].values for name in run.loss_columns if name in run.reading.odd)
    if odd > ODD * (odd + finite):
        place = min(run.reading.odd[name].place for name in run.loss_columns if name in run.reading.odd)
        yield Unreadable(
            "values of the loss are no numbers, so the others do not tell the whole run",
            rule="TP-RUN-ODD-VALUES", measured=f"{odd} values that are no numbers beside {finite} numbers",
            limit="numbers", location=Location(run.path, line=place),
        )  # fmt: skip
    if loss.size < ENOUGH and not _validation_fell(run):
        yield Unreadable(
            "too few points of the training loss to judge its course; nothing else was wrong",
            rule="TP-RUN-TOO-SHORT", measured=f"{loss.size} points", limit=f"at least {ENOUGH}",
            location=run.location(loss, loss.size - 1),
        )  # fmt: skip
    if loss.stepped and loss.size > 1 and _is_one_step(loss.steps):
        yield Unreadable(
            "the steps do not tell the points apart, so their order is not known",
            rule="TP-RUN-STEPS", measured="the same or no finite step on every point", limit="steps that go on",
            location=run.location(loss, 0),
        )  # fmt: skip
    if run.objective in {"reinforcement", "adversarial"} and not _reward_rose(rewards(run.series)):
        yield Unreadable(
            f"the loss of a run with {_AN[run.objective]} objective does not say whether it learns; nothing else was wrong",
            rule="TP-RUN-OBJECTIVE", measured=f"{run.objective} objective", limit="a supervised objective, or a rising reward",
            location=run.location(loss, loss.size - 1),
        )  # fmt: skip


def _is_one_step(steps: "Sequence[float]") -> bool:
    return not isfinite(sum(steps)) or (steps[0] == steps[-1] and min(steps) == max(steps))


_AN = {"reinforcement": "a reinforcement", "adversarial": "an adversarial"}


def _reward_rose(reward: "Series | None") -> bool:
    """Whether the reward rose by three times its early noise and stayed up: over the last two fifths, not at the very end."""
    values = [value for value in reward.values if isfinite(value)] if reward is not None else []
    fifth = len(values) // 5
    if fifth < 2:
        return False
    medians = [median(values[i * fifth : (i + 1) * fifth]) for i in range(5)]
    noise = median([abs(value - medians[0]) for value in values[:fifth]])
    rise = medians[4] - medians[0]
    return rise > 3 * noise and medians[3] - medians[0] > rise / 2 > 0


def _validation_fell(run: "RunLog") -> bool:
    """Whether evaluations enough to judge by fell, as they do in a run that logs its training loss rarely."""
    for series in run.validation:
        values = [value for value in series.values if isfinite(value)]
        if len(values) >= ENOUGH and median(values[-3:]) < median(values[:3]):
            return True
    return False


def _no_loss(run: "RunLog") -> Unreadable:
    columns = [*dict.fromkeys((*run.series, *run.reading.odd))]
    shown = ", ".join(shown_name(name) for name in columns[:SHOWN])
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    sentence = f"no training loss among the columns: {shown}{more}" if columns else "no training loss, and no columns"
    if run.loss_key is not None:
        sentence = f"no column is called as --loss-key says; the columns are: {shown}{more}"
    near = _nearest(columns, run.loss_key or "loss")
    if near is not None:
        sentence += f"; the closest is {shown_name(near)}, --loss-key names another"
    else:
        sentence += "; --loss-key names the loss"
    return Unreadable(
        sentence, rule="TP-RUN-NO-LOSS", measured=f"0 of {len(columns)} columns", limit="a training loss",
        location=Location(run.path, line=1) if run.reading.located_by == "line" else Location(run.path, byte_offset=0),
    )  # fmt: skip


def _nearest(columns: list[str], wanted: str) -> str | None:
    short = {name.lower().rsplit("/", 1)[-1][:64]: name for name in reversed(columns)}
    holding = [name for key, name in short.items() if wanted.lower() in key]
    from difflib import get_close_matches  # only a misspelt key needs it

    found = get_close_matches(wanted.lower(), list(short), 1, 0.5)
    return holding[-1] if holding else short[found[0]] if found else None
