"""The names that trainers give to step, epoch, loss, learning rate and gradient norm."""

import re
from functools import lru_cache
from itertools import pairwise

from trainproof_ci.places import safe_key

STEP_KEYS = (
    "step", "global_step", "current_steps", "iteration", "iter", "iters", "global_step/max_steps", "_step",
    "trainer/global_step", "time/total_timesteps", "total_timesteps", "num_updates", "update", "updates", "Step",
    "Iteration", "iter_num", "it", "batch_idx", "total_steps_done", "train/step", "train/global_step", "episode", "steps",
)  # fmt: skip
EPOCH_KEYS = ("epoch", "Epoch", "train/epoch", "epochs", "EPOCH", "ep", "轮次", "эпоха", "Эпоха")
EVAL_WORDS = frozenset(
    {
        "eval",
        "val",
        "valid",
        "validation",
        "validate",
        "validating",
        "test",
        "testing",
        "dev",
        "evaluation",
        "evaluate",
        "evaluating",
        "ev",
        "evl",
        "vali",
        "holdout",
        "heldout",
        "inference",
    }
)
TRAIN_WORDS = frozenset({"train", "training", "tr", "trn", "learn"})
LOSS_WORDS = frozenset(
    {"loss", "losses", "lossers", "xent", "nll", "elbo", "cost", "logloss", "mlogloss", "crossentropy", "bce"}
)
NEVER_LOSS = frozenset(
    {
        "scale", "scaler", "scaling", "weight", "weights", "coef", "coeff", "best", "min", "minimum", "max", "std", "ratio", "lr",
        "lambda", "type", "threshold", "delta", "improvement", "acc", "accuracy", "count", "num", "name", "function", "time",
        "decreased", "increased", "improved", "packet", "stop", "insertion",
    }
)  # fmt: skip
"""Beside the word loss these make a name something else: `loss_scale`, `best_val_loss`, `loss_weight`."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_YOLO10 = re.compile(r"(?:train|val)/(?:box|cls|dfl)_o[mo]")
"""The losses of YOLOv10, of one and of many matches; no word says what they are."""
_GLUED = re.compile(
    r"(train|training|tr|val|valid|validation|test|eval|dev|total|mean|avg)(loss|losses|lr|acc|log|logs|history)"
)


_HELD_OUT = re.compile(r"(held|hold)[-_ ]out", re.IGNORECASE)
_FOREIGN = {
    "损失": "loss", "训练": "train", "验证": "val", "测试": "test", "轮次": "epoch", "学习率": "learning rate",
    "потери": "loss", "Потери": "loss", "обучени": "train", "Обучени": "train", "валидаци": "val", "Валидаци": "val",
}  # fmt: skip
"""Words of tables in Chinese and Russian."""


@lru_cache(maxsize=8192)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in lower case: `TrainLoss`, `train/loss` and `train_loss` are the same two."""
    found: list[str] = []
    if not name.isascii():
        for foreign, word in _FOREIGN.items():
            name = name.replace(foreign, f" {word} ")
    for word in _WORD.findall(_HELD_OUT.sub(r"\1out", name[:128])):
        lower = word.lower()
        glued = _GLUED.fullmatch(lower)
        found.extend(glued.groups() if glued else (lower,))
    return tuple(found)


def is_loss(name: str) -> bool:
    """Whether the name is that of a loss, of training or evaluation."""
    if name.endswith(("_om", "_oo")) and _YOLO10.fullmatch(name) is not None:
        return True
    said = words(name)
    is_cost = not LOSS_WORDS.isdisjoint(said) or ("cross" in said and ("cross", "entropy") in pairwise(said))
    if "function" in said and ("function", "loss") in pairwise(
        said
    ):  # `Value function loss`, not the name of a loss function
        said = tuple(word for word in said if word != "function")
    return is_cost and NEVER_LOSS.isdisjoint(said)


def is_perplexity(name: str) -> bool:
    """Whether the name is that of a perplexity: it falls as the loss does, and stands in for one that is not logged."""
    return not {"ppl", "perplexity"}.isdisjoint(words(name)) and NEVER_LOSS.isdisjoint(words(name))


def is_eval(name: str) -> bool:
    """Whether the name speaks of an evaluation."""
    return not EVAL_WORDS.isdisjoint(words(name))


PHASE_KEYS = frozenset({"phase", "split", "mode", "stage", "type", "set", "subset", "dataset", "event", "kind"})
"""Columns whose text says whether a row is of the training or of an evaluation."""


def in_phase(name: str, phase: object) -> str:
    """The name of a number where the phase is spoken of: a loss beside `val` is an evaluation loss, whatever it is called."""
    evaluating = isinstance(phase, str) and len(phase) < 64 and is_eval(phase)
    said = words(name)
    if evaluating and is_loss(name) and EVAL_WORDS.isdisjoint(said) and TRAIN_WORDS.isdisjoint(said):
        return f"val {name}"
    return name


def is_rate(name: str) -> bool:
    """Whether the name is that of a learning rate."""
    said = words(name)
    if not {"scheduler", "mult", "ratio", "decay", "type", "min", "noise"}.isdisjoint(said):
        return False
    return "lr" in said or ("learning" in said and "rate" in said)


def is_gradient_norm(name: str) -> bool:
    """Whether the name is that of a gradient norm."""
    said = words(name)
    if "clip" in said and ("before", "clip") in pairwise(said):
        said = said[: said.index("before")]
    if not {"scale", "accum", "clip", "clipped", "nan", "skipped", "time", "loss", "step", "steps"}.isdisjoint(said):
        return False
    if {"gnorm", "gradnorm"} & set(said):
        return True
    return ("grad" in said or "gradient" in said or "gradients" in said) and ("norm" in said or len(said) == 1)


REWARD_WORDS = frozenset({"reward", "rewards", "rew", "eprewmean", "return", "returns", "ret"})


def is_reward(name: str) -> bool:
    """Whether the name speaks of the reward that an agent earns."""
    return not REWARD_WORDS.isdisjoint(words(name))


_KNOWN = (
    EVAL_WORDS | TRAIN_WORDS | LOSS_WORDS | NEVER_LOSS
    | {"total", "avg", "mean", "average", "step", "epoch", "batch", "running", "lm", "global", "score", "box", "cls", "dfl", "obj", "seg", "pose", "kobj",
       "policy", "value", "entropy", "reward", "rewards", "learning", "rate", "grad", "gradient", "norm", "binary", "model", "smooth", "data", "pde",
       "reconstruction", "kl", "ce", "mse", "rmse", "mae", "l", "cycle", "idt", "class", "bbox", "mask", "with", "g", "d", "reduced", "avr", "pg", "group", "masked", "ppl", "perplexity",
       "gen", "generator", "disc", "discriminator", "adv", "style", "content", "perceptual", "ctc", "triplet", "center", "focal", "dice", "iou", "kld", "recon", "feature",
       "contrastive", "distill", "student", "teacher", "depth", "rpn", "roi", "heatmap", "keypoint", "regression", "classification", "aux", "commit", "final", "conf", "loc", "log", "ave"}
)  # fmt: skip


def is_known(name: str) -> bool:
    """Whether the name is made of words that trainers use, and so is no content of the log."""
    said = words(name)
    return len(name) <= 64 and bool(said) and all(word in _KNOWN or (word.isdigit() and len(word) < 4) for word in said)


def shown_name(name: str) -> str:
    """The name of a column as a report may print it: whole if it is made of words that trainers use, else as any key."""
    if not name.isascii() and is_known(name):
        return " ".join(words(name))
    if is_known(name):
        kept = "".join(char if char.isalnum() or char in " _/.-+()" else "" for char in name if char.isascii())
        return " ".join(kept.split())
    return safe_key(name)
