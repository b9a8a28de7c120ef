"""Which column is the training loss, which are evaluation losses, learning rates, gradient norms."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from trainproof_ci.readers.run.facts import Series
from trainproof_ci.readers.run.vocabulary import TRAIN_WORDS, is_eval, is_gradient_norm, is_loss, is_rate, words

TOTAL_WORDS = TRAIN_WORDS | {
    "loss",
    "losses",
    "total",
    "avg",
    "mean",
    "step",
    "epoch",
    "batch",
    "running",
    "lm",
    "global",
}
"""A name of these words alone is the whole training loss, not a part of it."""


class Roles(NamedTuple):
    """Names of columns by what they are; `loss` lists the columns that are summed, mostly one."""

    loss: tuple[str, ...] = ()
    evals: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    gradients: tuple[str, ...] = ()


def find_roles(series: Mapping[str, Series], loss_key: str | None) -> Roles:
    """The roles of the columns; `loss_key` names the loss outright."""
    rates = tuple(name for name in series if is_rate(name))
    gradients = tuple(name for name in series if is_gradient_norm(name))
    losses = [name for name in series if is_loss(name) and name not in rates and name not in gradients]
    evals = tuple(name for name in losses if is_eval(name))
    chosen = (
        (loss_key,)
        if loss_key is not None and loss_key in series
        else _training_loss([n for n in losses if n not in evals], series)
    )
    return Roles(tuple(chosen), evals, rates, gradients)


def _training_loss(names: list[str], series: Mapping[str, Series]) -> Iterable[str]:
    totals = [name for name in names if TOTAL_WORDS.issuperset(words(name))]
    if totals:
        return [max(totals, key=lambda name: (series[name].size, -len(name)))]
    if not names:
        return []
    longest = max(series[name].size for name in names)
    return [name for name in names if series[name].size == longest]
