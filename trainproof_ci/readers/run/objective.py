"""What the loss of a run is for: only of a supervised one is it expected to fall."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import isfinite

from trainproof_ci.patterns import later
from trainproof_ci.readers.run.facts import Series
from trainproof_ci.readers.run.vocabulary import REWARD_WORDS, is_reward, words

NEGATIVE = 0.02
"""Share of values below zero from which on the loss is one that goes below zero, and ratios of it mean nothing."""
_ADVERSARIAL = later(
    r"[DG]_(?:[A-Z]|GAN|real|fake|loss|total)\w*|[DG]/loss\w*|err[DG]|(?i:loss[_ ]?net[_ ]?[dg])|(?i:(?:\w*[/ ])?(?:loss[_ ]?[dg]|[dg][_ ]?loss|(?:real|fake)[_ ]loss)(?:_\w+)?)"
)
_QUARTILE = later(r"_q\d$")
"""What a diffusion run hangs on the loss of a quarter of its timesteps: `loss_q0`."""
_METRICS = frozenset({"loss", "precision", "recall", "accuracy", "acc", "bacc", "f1", "rate"})
"""Words that make a reward something that is predicted."""
_ADVERSARIES = frozenset({"discriminator", "disc", "generator", "gen", "adversarial", "adv"})
_PREFERENCE = (
    "rewards/margins",
    "rewards/chosen",
    "rewards/rejected",
    "logps/chosen",
    "logps/rejected",
    "rewards/accuracies",
)
VARIED = 0.1
"""Share of values that are different from which on a number is no setting, which changes with a resume at most."""
_EPISODES = frozenset({"episode", "episodes", "epsilon"})
_ACTOR = frozenset({"policy", "actor", "critic", "ppo", "grpo", "advantage", "advantages", "td", "q", "qf", "pg"})
_PLAYED = frozenset({"score", "scores", "win", "wins", "record", "survived"})
"""What an episode ends in where no reward is called so."""
_PREFIXES = ("train/", "eval/", "rollout/", "")


def find_objective(series: Mapping[str, Series], loss: Series | None, loss_columns: Iterable[str]) -> str | None:
    """`reinforcement`, `preference`, `adversarial`, `negative`, or None for a supervised run."""
    quarters = any(name.endswith("_q0") for name in series)
    names = [name for name in series if len(name) <= 64 and not (quarters and _QUARTILE.search(name))]
    if any(name.removeprefix(prefix).startswith(_PREFERENCE) for name in names for prefix in _PREFIXES):
        return "preference"
    said = [frozenset(words(name)) for name in names]
    if any("rollout/" in name or _is_of_an_agent(series[name]) for name in names):
        return "reinforcement"
    if any("episode" in word for word in said) and any(word & _PLAYED for word in said):
        return "reinforcement"
    against = any(word & _ADVERSARIES and "loss" in word for word in said)
    actors = _ACTOR - {"critic"} if against else _ACTOR  # the critic of a WGAN is none of an agent
    if any(bool(word & actors) and "loss" in word for word in said) or any(map(_of_a_value, names)):
        return "reinforcement"
    if against or _are_adversaries((*names, *loss_columns)):
        return "adversarial"
    return "negative" if loss is not None and _goes_below_zero(loss) else None


def _is_of_an_agent(one: Series) -> bool:
    """Whether a column is a reward, or counts episodes or explores: not a constant of the configuration, nor a loss."""
    said = frozenset(words(one.name))
    if said & _METRICS or one.size < 2:
        return False
    return bool(said & REWARD_WORDS) or (bool(said & _EPISODES) and len(set(one.values)) > VARIED * one.size)


def _are_adversaries(names: Sequence[str]) -> bool:
    """Whether one of the names is that of an adversary's loss; `D/loss` may be of anything unless `G/loss` stands beside it."""
    both = {"D/loss", "G/loss"} <= {name[:6] for name in names}
    return any(is_adversarial(name) and (both or name[1:6] != "/loss") for name in names)


def is_adversarial(name: str) -> bool:
    """Whether the name is that of a part of a generator's or discriminator's loss."""
    return _ADVERSARIAL.fullmatch(name) is not None


def _of_a_value(name: str) -> bool:
    """Whether the name is that of the loss of a value function: `value_loss`, `loss/value`, not Megatron's `lm loss value`."""
    said = words(name)
    return ("value", "loss") in pairwise(said) or (("loss", "value") in pairwise(said) and " " not in name)


def _goes_below_zero(loss: Series) -> bool:
    if min(loss.values) >= 0:
        return False
    finite = [value for value in loss.values if isfinite(value)]
    return sum(value < 0 for value in finite) > NEGATIVE * len(finite)


def rewards(series: Mapping[str, Series]) -> Series | None:
    """The reward that a reinforcement run wants to raise, if it is logged."""
    found = [
        one
        for name, one in series.items()
        if is_reward(name) and not frozenset(words(name)) & {"std", "loss", "zero", "min", "max", "eval"}
    ]
    return max(found, key=lambda one: one.size, default=None)
