"""What stands for a training loss where no column is called so: errors of boosted trees, parts of a GAN, perplexity."""

import re
from collections.abc import Collection, Mapping
from math import isfinite

from trainproof_ci.patterns import later
from trainproof_ci.readers.run.objective import is_adversarial
from trainproof_ci.readers.run.vocabulary import TRAIN_WORDS, is_eval, is_loss, is_perplexity, words
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.run.facts import Series

_ERROR = later(
    r"(?<![a-z0-9])(?:(rmse|mse|mae|rmsle|mape|huber|quantile|poisson|gamma|tweedie)(?![a-z0-9])|(l[12])$)",
    re.IGNORECASE,
)
"""Errors that a regression minimises. Not the share of wrong answers, which is exactly 0 in the end of a healthy run."""
_PART = later(r"(?:cycle|idt|rec|[GD])_\w+")
FIRST, SECOND = "validation_0-", "validation_1-"
LEARN, TEST, BEST = "learn", "test", "best"
"""What CatBoost prints, whatever it measures."""


class StandIn(NamedTuple):
    """The columns that are taken for the training loss and for the evaluation loss."""

    loss: tuple[str, ...] = ()
    evals: tuple[str, ...] = ()


def find_stand_in(series: "Mapping[str, Series]") -> StandIn:
    """What tells of learning as a loss does; empty where nothing can be told."""
    if perplexity := tuple(name for name in series if is_perplexity(name) and not is_eval(name))[:1]:
        return StandIn(perplexity)
    if errors := [name for name in series if is_training_error(name)]:
        kind = _kind(errors[0])
        return StandIn((errors[0],), tuple(name for name in series if is_eval(name) and _kind(name) == kind))
    if sets := [name for name in series if _is_first_of_two(name, series)]:
        kind = sets[0].removeprefix(FIRST)
        return StandIn((sets[0],), tuple(name for name in series if name != sets[0] and name.endswith(kind)))
    if LEARN in series and _is_minimised(series):
        return StandIn((LEARN,), (TEST,) if TEST in series else ())
    parts = [name for name in series if _PART.fullmatch(name)]
    if any(map(is_adversarial, parts)):
        first = series[parts[0]].places
        return StandIn(tuple(name for name in parts if series[name].places == first))
    return StandIn()


def is_training_error(name: str) -> bool:
    """Whether the name is that of an error on the training set: `train-rmse`, `training's l2`, `rmse_trn`."""
    return _ERROR.search(name) is not None and not TRAIN_WORDS.isdisjoint(words(name))


def _is_first_of_two(name: str, series: Collection[str]) -> bool:
    """Whether XGBoost was given two sets to evaluate and this is a loss on the first: by custom the training set."""
    measured = is_loss(name) or _ERROR.search(name) is not None
    return name.startswith(FIRST) and name.replace(FIRST, SECOND, 1) in series and measured


def tells_of_training(names: Collection[str]) -> bool:
    """Whether one line gives numbers of these names only while something is trained."""
    if any(map(is_training_error, names)) or (LEARN in names and "remaining" in names):
        return True
    return sum(map(is_adversarial, names)) >= 2


def _kind(name: str) -> str | None:
    found = _ERROR.search(name)
    return (found[1] or found[2]).lower() if found is not None else None


def _is_minimised(series: "Mapping[str, Series]") -> bool:
    """Whether what CatBoost learned is to fall: the best so far is the lowest, or, where none is printed, it fell."""
    learned, tests, bests = (_finite(series.get(name)) for name in (LEARN, TEST, BEST))
    if bests and len(tests) > 1:
        return abs(bests[-1] - min(tests)) <= abs(bests[-1] - max(tests))
    return len(learned) > 1 and learned[-1] < learned[0]


def _finite(series: "Series | None") -> list[float]:
    return [value for value in series.values if isfinite(value)] if series is not None else []
