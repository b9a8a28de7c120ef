"""Which file names and which column names say that a file is a training log."""

from collections.abc import Iterable, Sequence

from trainproof_ci.readers.run.stand_ins import tells_of_training
from trainproof_ci.readers.run.vocabulary import (
    EPOCH_KEYS,
    EVAL_WORDS,
    STEP_KEYS,
    TRAIN_WORDS,
    is_eval,
    is_gradient_norm,
    is_loss,
    is_rate,
    words,
)
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.source import Head

_TRAIN = frozenset(
    {"train", "training", "trainer", "finetune", "finetuning", "pretrain", "pretraining", "sft", "dpo", "lora"}
)
_LOG = frozenset(
    {"log", "logs", "logging", "history", "hist", "trace", "curve", "curves", "progress", "metrics", "loss", "losses"}
)
_KEPT = frozenset({"log", "logs", "history", "hist", "curve", "curves"})
_RECORD = frozenset({"reward", "rewards", "return", "rew", "eprewmean"})
_TOPICS = frozenset(
    {"acc", "accuracy", "map", "auc", "f1", "ppl", "perplexity", "entropy", "kl", "mse", "mae", "rmse", "psnr"}
)
_EVERY_STEP = frozenset(key.lower() for key in (*STEP_KEYS, *EPOCH_KEYS)) | {"episode", "episodes", "frame", "frames"}


_COUNTS = _EVERY_STEP - {"epochs", "steps"}
"""Columns that count on within one run; `epochs` and `steps` may be how many a run had."""
_OF_A_TRIAL = frozenset(
    {
        "trial", "trial_id", "fold", "params", "hyperparameters", "n_train", "n_samples", "train_size", "sweep", "loss_func",
        "loss_fn", "loss_function",
    }
)  # fmt: skip
_OF_A_RUN = frozenset({"model", "run", "run_id", "run_name", "config", "seed"})
"""Columns that tell one run from another, surely and unless the file is named like a log of one."""
_OF_A_TABLE_OF_RUNS = (frozenset({"name", "state"}), frozenset({"name", "id"}), frozenset({"name", "sweep"}))
"""Columns that together say so whatever stands beside them: the steps of a dashboard's table are where each run ended."""
_ABOUT_LOSSES = frozenset(
    {"loss", "losses", "list", "values", "per", "epoch", "epochs", "step", "steps", "batch", "data", "all"}
    | _KEPT
    | TRAIN_WORDS
    | EVAL_WORDS
)
_SEARCHES = frozenset(
    {
        "grid", "search", "sweep", "tuning", "trials", "fold", "folds", "comparison", "ablation", "finder", "hyperparameter",
        "hyperparameters", "hparams",
    }
)  # fmt: skip
"""Words of the name of a table that holds a row for each run."""


def named_like_a_log(head: "Head") -> bool:
    """Whether the name alone says training log: such a file is a target even when there turns out to be none in it.

    `train.log`, `training_history.json`, `loss_log.txt`, `progress.csv` are; `log.txt`, `build.log`, `results.csv` and
    `metrics.csv` are not: a repository is full of logs of other things, and a check that answers "not judged" for each
    of them is switched off. Those are judged when their content shows a training.
    """
    stem, _, suffix = head.name.lower().partition(".")
    if stem in {"train", "training"}:
        return suffix.startswith(("log", "out", "err"))
    if stem == "progress":
        return suffix == "csv"
    said = set(words(stem))
    losses = not {"loss", "losses"}.isdisjoint(said)
    if losses and (len(said) == 1 or not _KEPT.isdisjoint(said)):
        return True
    return not _TRAIN.isdisjoint(said) and not _LOG.isdisjoint(said)


def named_after_losses(path: str) -> bool:
    """Whether the name of a file says that losses stand in it and nothing else: `loss_history.json`, `val_losses.txt`."""
    said = set(words(path.rsplit("/", 1)[-1].partition(".")[0]))
    return not said.isdisjoint({"loss", "losses"}) and said <= _ABOUT_LOSSES


def bare_loss(path: str) -> str:
    """What values without a name are called in a file that is named after losses."""
    return "val loss" if is_eval(path.rsplit("/", 1)[-1].partition(".")[0]) else "loss"


def compares_runs(names: Iterable[str], head: "Head") -> bool:
    """Whether each row is another training: of a search, a sweep, folds, or models side by side."""
    lower = {name.strip().lower() for name in names}
    if any(together <= lower for together in _OF_A_TABLE_OF_RUNS):
        return True
    if not lower.isdisjoint(_COUNTS):
        return False
    if not lower.isdisjoint(_OF_A_TRIAL):
        return True
    said = words(head.name.partition(".")[0])
    return not named_like_a_log(head) and not (lower.isdisjoint(_OF_A_RUN) and _SEARCHES.isdisjoint(said))


def says_training(names: Sequence[str], head: "Head") -> bool:
    """Whether column names are those of a training log, or the file's name says so."""
    if compares_runs(names, head):
        return False
    losses = [name for name in names if is_loss(name)]
    lower = {name.lower() for name in names}
    stepped = not _EVERY_STEP.isdisjoint(lower)
    said = {word for name in names for word in words(name)}
    metrics = not _TOPICS.isdisjoint(said) or any(is_rate(n) or is_gradient_norm(n) for n in names)
    if losses:
        return stepped or metrics or len(losses) > 1 or named_like_a_log(head)
    if stepped and (any(is_rate(n) or is_gradient_norm(n) for n in names) or not _RECORD.isdisjoint(said)):
        return True
    if stepped and tells_of_training(names):
        return True
    if any(name.lower().startswith(("train/", "val/", "rollout/")) for name in names):
        return True
    return head.suffix in {".csv", ".tsv"} and named_like_a_log(head)
