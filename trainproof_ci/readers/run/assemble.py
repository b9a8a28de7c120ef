"""From the columns of a reading to a run: roles, the summed loss, the last segment, the objective."""

from array import array
from math import log

from trainproof_ci.readers.run.facts import Reading, RunLog, Series
from trainproof_ci.readers.run.objective import find_objective
from trainproof_ci.readers.run.roles import Roles, find_roles
from trainproof_ci.readers.run.segments import Segment, first_rank, last_segment
from trainproof_ci.readers.run.unlogged import logged_evaluation, logged_training
from trainproof_ci.readers.run.vocabulary import is_perplexity, shown_name
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trainproof_ci.discovery import Target


def run_log(target: "Target", reading: Reading, loss_key: str | None = None) -> RunLog:
    """The run that a reading tells of."""
    every, rank = first_rank(reading.series)
    roles = find_roles(every, loss_key)
    series, sparse = _logged(every, roles)
    loss = last_segment(summed([series[name] for name in roles.loss])) if roles.loss else None
    return RunLog(
        target.path, target.format, reading, series, loss.series if loss else None, roles.loss,
        evals=_last(series, roles.evals), rates=_last(series, roles.rates), gradients=_last(series, roles.gradients),
        validation=tuple(_evaluation([every[name] for name in group]) for group in roles.validation),
        segments=loss.segments if loss else 1,
        objective=find_objective(series, loss.series if loss else None, roles.loss),
        notes=(*rank, *sparse, *_notes(reading, roles, loss)), loss_key=loss_key,
    )  # fmt: skip


def _logged(series: "Mapping[str, Series]", roles: Roles) -> "tuple[Mapping[str, Series], list[str]]":
    """The series without the gaps of rows in which they were not logged, and what was left out."""
    evals = [series[name] for name in roles.evals]
    kept = {name: logged_evaluation(series[name]) for name in roles.evals}
    kept |= {name: logged_training(series[name]) for name in (*roles.gradients, *roles.rates)}
    if len(roles.loss) == 1:
        kept |= {name: logged_training(series[name], evals) for name in roles.loss}
    gaps = {name: series[name].size - one.size for name, one in kept.items() if one.size < series[name].size}
    notes = [f"{count} gaps of {shown_name(name)} are rows in which it was not logged" for name, count in gaps.items()]
    return ({**series, **kept} if gaps else series), notes


def _last(series: "Mapping[str, Series]", names: "Iterable[str]") -> tuple[Series, ...]:
    return tuple(last_segment(series[name]).series for name in names)


def _evaluation(parts: list[Series]) -> Series:
    """The evaluation loss of one set; gaps are told in the sum, for its parts may have theirs in different rows."""
    return last_segment(_as_loss(logged_evaluation(summed(parts)))).series


def _as_loss(series: Series) -> Series:
    """A perplexity as the loss that it is the exponential of, so that a ratio of it means the same."""
    if not is_perplexity(series.name) or any(value <= 0 for value in series.values):
        return series
    return series._replace(name=f"log {series.name}", values=array("d", map(log, series.values)))


def summed(parts: list[Series]) -> Series:
    """One series whose values are the sums of parts of equal length."""
    if len(parts) == 1:
        return parts[0]
    values = array("d", map(sum, zip(*(part.values for part in parts), strict=True)))
    nulls = frozenset().union(*(part.nulls for part in parts))
    return parts[0]._replace(name="+".join(shown_name(part.name) for part in parts), values=values, nulls=nulls)


def _notes(reading: Reading, roles: Roles, loss: Segment | None) -> "Iterator[str]":
    yield from reading.notes
    for name in dict.fromkeys((*roles.loss, *roles.evals, *roles.rates, *roles.gradients)):
        yield from _no_numbers(reading, name)
    if len(roles.loss) > 1:
        yield f"the training loss is the sum of {len(roles.loss)} columns: {', '.join(map(shown_name, roles.loss))}"
    if loss is None:
        return
    if loss.segments > 1:
        which = "the last segment that is long enough" if loss.earlier else "the last segment"
        yield f"the step goes back {loss.segments - 1} times (a resume, or another run): {which} is judged"
    if loss.interleaved:
        yield "steps go back again and again, as when two processes write one log: the points are judged in step order"


def _no_numbers(reading: Reading, name: str) -> "Iterator[str]":
    """What stood in the place of numbers of a column, and where first."""
    for what, counts in (("is no number", reading.odd), ("says that there is none", reading.missing)):
        if (found := counts.get(name)) is not None:
            yield f"in place of {shown_name(name)}, {found.values} times something that {what}, first in line {found.place}"
