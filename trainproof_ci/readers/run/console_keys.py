"""What a number in console text is called: the words before it, which of them are its name, and the phase they speak of."""

import re
from collections.abc import Sequence

from trainproof_ci.readers.run.console_phrases import LONGEST
from trainproof_ci.readers.run.vocabulary import (
    EVAL_WORDS,
    LOSS_WORDS,
    TRAIN_WORDS,
    is_gradient_norm,
    is_loss,
    is_perplexity,
    is_rate,
    is_reward,
)  # fmt: skip
from trainproof_ci.typed import NamedTuple

_KEY = re.compile(
    r"(?<![\w/.@\-])(?P<phrase>[A-Za-z_][\w/.@\-]*(?:(?:'s)?[ \t]+[A-Za-z_][\w/.@\-]*){0,4})['\"\u2019\u201d`]?[ \t]*"
    r"(?:\((?P<unit>[A-Za-z%/ ]{1,12})\))?[ \t]*(?P<sep>:=|[:=|>]+|->)?[ \t]*['\"\u2018\u201c`(\[$~#]*"
    r"(?:(?:torch\.)?(?:[tT]ensor|(?:np\.|jnp\.)?(?:[aA]rray|float\d+)|DeviceArray)\(\[*)?$"
)
_QUALIFIERS = frozenset(
    EVAL_WORDS | TRAIN_WORDS
    | {"total", "mean", "avg", "average", "lm", "learning", "gradient", "grad", "loss", "epoch", "running", "global", "smooth", "box", "cls",
       "generator", "discriminator", "batch", "policy", "value", "entropy", "current", "ema", "gen", "disc", "kl", "mse", "ce", "reconstruction",
       "step", "best", "min", "minimum", "max", "lowest", "initial", "final", "last", "skipped", "masked", "data", "actor", "critic", "reward",
       "prediction", "regression", "classification", "contrastive", "auxiliary", "aux", "class", "mlm", "nsp", "per", "token", "sample", "d", "g", "held-out", "hold-out"}
)  # fmt: skip
_PHASES = EVAL_WORDS | TRAIN_WORDS
_ASIDE = frozenset(
    {"the", "is", "a", "of", "my", "for", "and", "this", "that", "after", "at", "with", "info", "debug", "warning", "error", "set", "in", "on", "by"}
)  # fmt: skip
"""Words before a loss that say nothing of which loss it is."""
_BEHIND = frozenset({"is", "was", "so", "far", "now", "currently"})
"""Words behind the name of a loss that say nothing more: `avg loss so far is 0.11`."""
_BEGINS = ("|", ",", ";", ">", "]", ")", "-", "\t")
"""What the text ends in before a name that begins afresh within a line."""
STEP_WORDS = {
    "global_step": 9, "globalstep": 9, "current_steps": 8, "total_timesteps": 8, "num_updates": 8, "step": 7, "iteration": 6, "iter": 6,
    "iters": 6, "itr": 6, "update": 5, "updates": 5, "timestep": 5, "timesteps": 5, "it": 4, "batch": 3, "minibatch": 3, "episode": 2,
}  # fmt: skip
"""The words for a step; where a line has several, the higher one counts."""
_SET = re.compile(r"(?:_\d+)?(?:'s)?$")
"""What LightGBM hangs on the name of a data set: `valid_1's l2`."""
EVALUATIONS = "|".join(sorted(EVAL_WORDS - {"ev", "heldout", "inference"}))
"""The words for an evaluation as a pattern, as they stand in text; the others are only parts of names."""
_PHASE = re.compile(
    rf"(?<![\w/\-])(train|training|{EVALUATIONS}|saving dict)(?:_?\d+)?(?![\w/])",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"(?<![\w/\-])(train|training|{EVALUATIONS})(?:\s*:?\s*[\[(#]\s*|\s*\|\s*|\s+)$",
    re.IGNORECASE,
)
"""A phase in front of the number that counts it: `Test: [10/79]`, `Val 3`, `TEST #3`, `Val | 3`."""
_SAYS = frozenset({":", "=", "is", "->"})
_UNIT = re.compile(r"\s*(?:[a-z]{4,12}\)?\s*(?:is|:|=|->)|:|=|is|->)\s*")
"""What stands between a number that a loss is told of, and the loss: `over 100 batches: 0.5`."""
_WITHIN = frozenset({"over", "of", "for", "in", "at", "after", "last"})
_DL4J = ["Score", "at"]
"""How Deeplearning4j announces its loss: `Score at iteration 100 is 1.39`."""
NO_VALUE = frozenset(
    {"n/a", "na", "none", "null", "nil", "undefined", "unknown", "invalid", "error", "missing", "-", "--", "---", "?", "***"}
)  # fmt: skip
_WORD_FOR_NUMBER = re.compile(
    r"(?<![\w/.@\-])(?P<name>[A-Za-z_][\w/.@\-]*)['\"]?[ \t]*[:=][ \t]*['\"]?(?P<word>[A-Za-z*?\-][\w/*?.\-]*)(?=[\s,;|}'\"\])]|$)"
)


class Called(NamedTuple):
    """The name of a number, the phase that the text before it speaks of, and the name that the next one may take."""

    name: str | None = None
    phase: str | None = None
    next: str | None = None


def called(text: str, before: Called) -> Called:
    """What the number behind `text` is called; `before` is what the one in front of it is."""
    if before.next is not None and _UNIT.fullmatch(text) is not None:
        return Called(before.next, phase_of(text) or before.phase)
    key = None if text.strip() in _SAYS else _KEY.search(text)
    if key is None:
        return Called(None, phase_of(text) or before.phase)
    *words, last = key["phrase"].split()
    if last.lower() in _WITHIN and words and is_loss(within := " ".join(_with_qualifiers([words[-1]], words[:-1]))):
        return Called(None, phase_of(text) or before.phase, within)
    ahead, name = _name(key)
    is_counter = last.lower() in STEP_WORDS or last.lower() == "epoch"
    phase = phase_of(text if is_counter else f"{text[: key.start()]} {ahead}") or before.phase
    told = before.next if is_counter and text.strip() == last else None
    return Called(name, phase, _announced(ahead.split()) or told)


def _name(key: "re.Match[str]") -> tuple[str, str | None]:
    """The last word and the words before it that belong to it; first the words that do not."""
    *before, last = key["phrase"].split()
    told = last.lower() in _BEHIND
    while before and last.lower() in _BEHIND:
        last = before.pop()
    kept = _with_qualifiers([last.rstrip(".-")], before)
    is_cost = kept[0].lower() in LOSS_WORDS and key["sep"] is not None and _begins(key.string[: key.start()])
    if before and ((is_cost and _tells_which(before[-1])) or [before[-1].lower(), kept[0].lower()] == ["time", "cost"]):
        kept.insert(0, before.pop())  # `Style loss: 3.1` on a line of its own, and `Content loss: 0.5` on the next
    if kept[0].lower() in {"epoch", "step", "batch"} and len(kept) > 1:
        del kept[0]
    name = " ".join(kept)
    if key["unit"] and not phase_of(key["unit"]):
        name += f" ({key['unit']})"
    said = kept[-1] and (key["sep"] is not None or (_spoken(name) if not told else is_loss(name)))
    return " ".join(before), name if said else None


def _begins(text: str) -> bool:
    """Whether a name begins afresh behind a text: at the beginning of a line, or behind a mark that sets it apart."""
    return not (bare := text.rstrip(" ")) or bare.endswith(_BEGINS)


def _tells_which(word: str) -> bool:
    """Whether the word before a loss may say which loss it is."""
    return word.lower() not in _ASIDE and word.replace("_", "").isalpha()


def _with_qualifiers(kept: list[str], before: list[str]) -> list[str]:
    while before and _QUALIFIERS.issuperset(_SET.sub("", before[-1]).lower().split("_")):
        kept.insert(0, before.pop().removesuffix("'s"))
    return kept


def _announced(ahead: list[str]) -> str | None:
    """The loss of `Cost after iteration 100: 0.69` or `loss in epoch 1 step 2: 0.69`, told before the step that it is of."""
    if len(ahead) < 2 or ahead[-1].lower() not in _ASIDE:
        return None
    if ahead[-2:] == _DL4J:
        return "score loss"
    *before, last = ahead[:-1]
    name = " ".join(_with_qualifiers([last], before))
    return name if is_loss(name) else None


def _spoken(name: str) -> bool:
    """Whether a name without a colon or the like is one that trainers print so: `loss 6.15`, `lr 3e-4`, `step 100`."""
    lower = name.lower()
    kinds = (is_loss, is_rate, is_gradient_norm, is_perplexity)
    if is_reward(name) and "return" not in lower:  # an exit code is no reward
        return True
    *phase, last = lower.split()
    if last == "epoch" and _PHASES.issuperset(phase):
        return True
    return lower in STEP_WORDS or any(kind(name) for kind in kinds)


def phase_of(text: str) -> str | None:
    """The phase that is spoken of last: "train" or "val"."""
    found = _PHASE.findall(text)
    if not found:
        return None
    return "train" if found[-1].lower().startswith("train") else "val"


def phase_counted(text: str) -> str | None:
    """The phase of which the number behind `text` may say how often it came."""
    found = _COUNTED.search(text[-LONGEST:])
    return phase_of(found[1]) if found is not None else None


def misspelt(text: str, *, stepped: bool) -> tuple[str, ...]:
    """The losses in whose place a word stands: any word in a line that names its step, else one that means no value."""
    found = (match for match in _WORD_FOR_NUMBER.finditer(text) if is_loss(match["name"]))
    return tuple(match["name"] for match in found if stepped or match["word"].lower() in NO_VALUE)


def all_misspelt(texts: Sequence[str], *, stepped: bool) -> tuple[str, ...]:
    """Those of every part of a line."""
    return tuple(name for text in texts for name in misspelt(text, stepped=stepped))
