"""Proves the values of a record harmless, for records whose keys and types are known to be right.

A judge is asked with the values of one record; it answers with what is asked in it, () for nothing, or None where the
record must be explained. It says None too often rather than once too little.
"""

from collections.abc import Callable

from trainproof_ci.readers.dataset.dialogues import is_dialogue
from trainproof_ci.readers.dataset.duplicates import unordered
from trainproof_ci.readers.dataset.record import PLACEHOLDERS, is_blank, is_placeholder
from trainproof_ci.readers.dataset.tally import same
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.plans import Plan
    from trainproof_ci.readers.dataset.survey import Survey

Judge = Callable[[Any, int, int], "tuple[Any, ...] | None"]
PADDING = frozenset(" .\n\ufb01")
"""What a placeholder may begin with besides; the last is a ligature that unfolds to "fi"."""
PLACEHOLDER_STARTS = frozenset(
    a + b for word in PLACEHOLDERS for a in word[0] + word[0].upper() for b in word[1] + word[1].upper()
)
LIMIT = 1 << 63


def judge_for(plan: "Plan", survey: "Survey", *, asks: bool) -> Judge:
    """The judge of one plan: a short one for one prompt and one target, a general one for everything else."""
    prompt = plan.prompts[0] if len(plan.questions) == 1 else None
    if prompt is not None and plan.target is not None and not (plan.numbers or plan.pair or plan.label is not None):
        return _one_answer(prompt, plan.target, survey, asks=asks)
    return _any_record(plan, survey, asks=asks)


def _one_answer(at: int, target: int, survey: "Survey", *, asks: bool) -> Judge:
    tally, spaced = survey.tally, survey.spaced

    def judge(values: Any, line: int, number: int) -> "tuple[Any, ...] | None":
        del line, number
        prompt, learned = values[at], values[target]
        if not ("!" <= prompt[:1] <= "~" and "!" <= learned[:1] <= "~") and (is_blank(prompt) or is_blank(learned)):
            return None
        if learned == prompt or (spaced and learned[0] != " "):
            return None
        if (learned[:2] in PLACEHOLDER_STARTS or learned[0] in PADDING) and is_placeholder(learned):
            return None
        if tally.targets is not False or tally.prompts is not False:
            tally.targets, tally.prompts = same(tally.targets, learned), same(tally.prompts, prompt)
        return (prompt,) if asks else ()

    return judge


def _any_record(plan: "Plan", survey: "Survey", *, asks: bool) -> Judge:
    tally, label, pair = survey.tally, plan.label, plan.pair
    present = tuple(at for at in plan.prompts if at is not None)
    target, texts, numbers = plan.target, plan.texts, plan.numbers

    def judge(values: Any, line: int, number: int) -> "tuple[Any, ...] | None":
        if any(is_blank(values[at]) for at in texts) or not all(-LIMIT <= values[at] < LIMIT for at in numbers):
            return None
        prompt = "\n".join([values[at] for at in present if values[at]])
        if present and is_blank(prompt):
            return None
        if pair is not None and not _is_pair(values[pair[0]], values[pair[1]], prompt):
            return None
        if label is not None and isinstance(values[label], str) and is_blank(values[label]):
            return None  # a blank label is nothing to learn
        if target is not None:
            if not _learnable(values[target], prompt, survey):
                return None
            tally.targets = same(tally.targets, values[target])
        if present:
            tally.prompts = same(tally.prompts, prompt)
        if label is not None:
            tally.label(values[label], line, number)
        return _question(values, plan) if asks else ()

    return judge


def _question(values: Any, plan: "Plan") -> "tuple[Any, ...]":
    """What is asked, as `duplicates.asked` says it."""
    question = [values[at] if at is not None else None for at in plan.questions]
    return (*question, *unordered(*[values[at] for at in plan.pair])) if plan.pair is not None else tuple(question)


def _is_pair(chosen: str, rejected: str, prompt: str) -> bool:
    """Whether nothing is wrong with two answers; a dialogue in one text is looked into."""
    if chosen in {rejected, prompt} or is_dialogue(chosen) or is_dialogue(rejected):
        return False
    return not (is_placeholder(chosen) or is_placeholder(rejected))


def _learnable(text: str, prompt: str, survey: "Survey") -> bool:
    return text != prompt and not (survey.spaced and text[0] != " ") and not is_placeholder(text)
