"""A closer look at the records that findings rest on, where reading the log did not compute every checksum."""

from collections.abc import Iterable, Sequence

from trainproof_ci.readers.run.assemble import run_log
from trainproof_ci.readers.run.facts import Damage, RunLog, Series
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.registry import Rule

Record = tuple[int, int]
"""The number of a file of the run, and the place of a record in it."""


def rechecked(run: RunLog, rules: "Sequence[Rule]", target: "Target", loss_key: str | None) -> RunLog:
    """The same run when the records of the series that `rules` looked at are intact; else one without the others."""
    verify = run.reading.verify
    wanted = _records(run.reading.series[name] for name in _looked_at(run, rules))
    if verify is None or not wanted:
        return run
    bad = {
        (file, place)
        for file in sorted({file for file, _ in wanted})
        for place in verify(file, sorted(place for number, place in wanted if number == file))
    }
    if not bad:
        return run
    found = tuple(
        Damage("a record whose checksum does not fit its content", place, file=file) for file, place in sorted(bad)
    )
    series = {name: without for name, one in run.reading.series.items() if (without := _without(one, bad)).size}
    return run_log(target, run.reading._replace(series=series, damage=run.reading.damage + found), loss_key)


def _looked_at(run: RunLog, rules: "Sequence[Rule]") -> set[str]:
    """The names of the series that the findings of `rules` rest on; a rule that names no need may have seen them all."""
    roles = {
        "loss": run.loss_columns,
        "evals": tuple(series.name for series in run.evals),
        "rates": tuple(series.name for series in run.rates),
        "gradients": tuple(series.name for series in run.gradients),
    }
    needs = {need for rule in rules for need in (rule.needs or roles)}
    names = {name for need in needs for name in roles.get(need, (need,))}
    return names & set(run.reading.series)


def _records(series: Iterable[Series]) -> set[Record]:
    return {(one.files[i] if one.files else 0, place) for one in series for i, place in enumerate(one.places)}


def _without(series: Series, bad: set[Record]) -> Series:
    kept = [i for i, place in enumerate(series.places) if (series.files[i] if series.files else 0, place) not in bad]
    return series if len(kept) == series.size else series.picked(kept)
