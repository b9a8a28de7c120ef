"""Which column is the training loss, which are evaluation losses, learning rates, gradient norms."""

from collections.abc import Iterable, Mapping

from trainproof_ci.readers.run.facts import Series
from trainproof_ci.readers.run.stand_ins import find_stand_in
from trainproof_ci.readers.run.vocabulary import (
    EVAL_WORDS,
    TRAIN_WORDS,
    is_eval,
    is_gradient_norm,
    is_loss,
    is_perplexity,
    is_rate,
    words,
)  # fmt: skip
from trainproof_ci.typed import NamedTuple

ENOUGH = 10
"""Points; a column of a better name with fewer gives way to one with more."""
_FILLERS = frozenset(
    {
        "loss",
        "losses",
        "lossers",
        "total",
        "avg",
        "mean",
        "average",
        "step",
        "epoch",
        "batch",
        "running",
        "lm",
        "global",
        "xent",
        "nll",
        "cost",
        "model",
        "log",
        "value",
        "smooth",
        "with",
    }
)
_TOTAL = TRAIN_WORDS | (_FILLERS - {"value"})
"""A name of these words alone is the whole training loss, not a part of it."""
_TOTAL_EVAL = EVAL_WORDS | (_FILLERS - {"value"})


_WON = frozenset({"wins", "draws"})
_ABOUT_GAMES = frozenset({"total", "num", "game", "games", "analysis", "replay", "buffer", "stats"})
"""Words of columns that count games, and what may stand before `losses` where it is one of them."""


class Roles(NamedTuple):
    """Names of columns by what they are; `loss` lists the columns that are summed, mostly one."""

    loss: tuple[str, ...] = ()
    evals: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    gradients: tuple[str, ...] = ()
    validation: tuple[tuple[str, ...], ...] = ()
    """The evaluation losses by evaluation set, each the columns that are summed."""


def find_roles(series: Mapping[str, Series], loss_key: str | None) -> Roles:
    """The roles of the columns; `loss_key` names the loss outright."""
    rates = tuple(name for name in series if is_rate(name))
    gradients = tuple(name for name in series if is_gradient_norm(name))
    games = _lost_games(series)
    others = {*rates, *gradients, *games}
    losses = [name for name in series if is_loss(name) and name not in others]
    evals = tuple(name for name in losses if (is_eval(name) or _is_v_of_t(name, losses)) and name != loss_key)
    if loss_key is not None:
        chosen = _named(loss_key, series)
    else:
        chosen = tuple(_training_loss([name for name in losses if name not in evals], series))
        if chosen and not evals:
            evals = tuple(name for name in series if is_perplexity(name) and is_eval(name))
        if not chosen:
            chosen, more = find_stand_in(series)
            evals = tuple(name for name in evals or more if name not in chosen)
    return Roles(chosen, evals, rates, gradients, _validation(evals, series, summed=len(chosen) > 1))


def _lost_games(series: Mapping[str, Series]) -> frozenset[str]:
    """The columns that count lost games: `losses` beside `wins`."""
    said = {name: words(name) for name in series}
    if not any(not _WON.isdisjoint(of) for of in said.values()):
        return frozenset()
    return frozenset(name for name, of in said.items() if of[-1:] == ("losses",) and _ABOUT_GAMES.issuperset(of[:-1]))


def _is_v_of_t(name: str, losses: list[str]) -> bool:
    """Whether `V_loss` stands beside a `T_loss`, or `va_loss`, `te_loss` or `cv_loss` beside a `tr_loss`: evaluation and training."""
    lower = name.lower()
    others = {other.lower() for other in losses}
    if lower.startswith(("va_", "va ", "te_", "te ", "cv_", "cv ")):
        return not others.isdisjoint({f"tr{lower[2:]}", f"trn{lower[2:]}", f"train{lower[2:]}"})
    return lower.startswith(("v_", "v ")) and f"t{lower[1:]}" in others


def _named(loss_key: str, series: Mapping[str, Series]) -> tuple[str, ...]:
    """The column that the user named: as written, else without regard to case and padding, else the loss of that phase."""
    wanted = loss_key.strip().lower()
    for key in (wanted, f"{wanted} loss"):
        if found := [name for name in series if name == loss_key] or [
            name for name in series if name.strip().lower() == key
        ]:
            return (found[0],)
    return ()


def _training_loss(names: list[str], series: Mapping[str, Series]) -> Iterable[str]:
    """The column that is the loss; without one, the parts to be summed."""
    totals = [name for name in names if _TOTAL.issuperset(words(name))]
    if totals:
        totals.sort(key=lambda name: (_plainness(name), -series[name].size))
        longest = max(totals, key=lambda name: series[name].size)
        best = totals[0]
        if series[best].size >= ENOUGH or series[best].size == series[longest].size:
            return [best]
        return [longest]
    if not names:
        return []
    main = [name for name in names if not _is_part_of_another(name, names)]
    longest_size = max(series[name].size for name in main)
    first = next(series[name] for name in main if series[name].size == longest_size)
    return [name for name in main if _same_rows(series[name], first)]


def _same_rows(one: Series, other: Series) -> bool:
    """Whether two columns stand in the same rows; in event files, where each value has a record, at the same steps."""
    return one.places == other.places or (one.stepped and other.stepped and one.steps == other.steps)


def _is_part_of_another(name: str, names: list[str]) -> bool:
    """`loss_bbox_0` beside `loss_bbox` is an auxiliary copy of it."""
    return any(name != other and name.startswith(f"{other}_") and name[len(other) + 1 :].isdigit() for other in names)


def _plainness(name: str) -> int:
    """How far a name is from plain `loss`; a running or smoothed average comes last."""
    said = set(words(name)) - {"loss", "losses"} - TRAIN_WORDS
    if not said:
        return 0
    return 2 if said & {"running", "smooth", "avg", "mean", "average", "epoch"} else 1


def _validation(evals: tuple[str, ...], series: Mapping[str, Series], *, summed: bool) -> tuple[tuple[str, ...], ...]:
    totals = [name for name in evals if _TOTAL_EVAL.issuperset(words(name))]
    if totals:
        return tuple((name,) for name in totals)
    if not summed:
        return tuple((name,) for name in evals)
    groups: list[list[str]] = []
    for name in evals:
        group = next((group for group in groups if _same_rows(series[name], series[group[0]])), None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    return tuple(map(tuple, groups))
