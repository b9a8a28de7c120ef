"""The fastest way, for the commonest record: exactly one prompt and one target, both of them text.

It does what `fast.Acceptor` does for every record, with everything inline; the tests hold them against each other.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from trainproof_ci.readers.dataset.duplicates import MASK32, PARTITIONS
from trainproof_ci.readers.dataset.harmless import PADDING, PLACEHOLDER_STARTS
from trainproof_ci.readers.dataset.record import LONGEST_PLACEHOLDER, is_blank, is_placeholder
from trainproof_ci.readers.dataset.screens import is_plain

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.fast import Plan
    from trainproof_ci.readers.dataset.survey import Survey

OBJECT, MASK = 0x7B, PARTITIONS - 1


class Course(NamedTuple):
    """What stays the same from line to line."""

    keys: tuple[str, ...]
    asked_first: bool
    in_order: bool
    ending: str
    longest: int
    asks: bool
    scan: Callable[[str, int], tuple[Any, int]]


def suits(plan: "Plan", survey: "Survey") -> bool:
    """Whether records of this plan can be taken here: both texts differ from record to record, no other fields."""
    tally = survey.tally
    varied = tally.targets is False and tally.prompts is False and not survey.spaced
    return varied and plan.types == (str, str) and plan.target is not None and plan.prompts in {(0,), (1,)}


def accept(lines: list[bytes], course: Course, survey: "Survey", *, clean: bool) -> int:
    """Accept lines until one must be explained; the number of those that were accepted."""
    (first, second), asked_first, in_order, ending, longest, asks, scan = course
    wholes = [kept.append for kept in survey.duplicates.records]
    inputs = [kept.append for kept in survey.duplicates.inputs]
    numbers = [kept.append for kept in survey.duplicates.numbers]
    number = start = survey.records
    try:
        for line in lines:
            if line[0] != OBJECT or (not clean and not is_plain(line)):
                break
            text = line.decode()
            pairs, end = scan(text, 0)
            one, two = pairs
            name, asked = one
            other, learned = two
            if name != first or other != second or text[end:] != ending or len(line) > longest:
                break
            if not asked_first:
                asked, learned = learned, asked
            if asked == learned or not (
                ("!" <= asked < "\x7f" and "!" <= learned < "\x7f") or _harmless(asked, learned)
            ):
                break
            if len(learned) <= LONGEST_PLACEHOLDER and _may_be_empty(learned):
                break
            number += 1
            whole = hash(pairs) if in_order else hash((two, one))
            question = hash((asked,)) if asks else whole
            part = question & MASK
            wholes[part](whole)
            inputs[part](((question >> 8) & MASK32) | 1 if asks else 0)
            numbers[part](number)
    except (
        ValueError,
        StopIteration,
        RecursionError,
        TypeError,
        AttributeError,
    ):  # the last two: a value that is no text
        pass
    return number - start


def _harmless(asked: str, learned: str) -> bool:
    return not (is_blank(asked) or is_blank(learned))


def _may_be_empty(learned: str) -> bool:
    """Whether a short text is a placeholder."""
    return (learned[:2] in PLACEHOLDER_STARTS or learned[0] in PADDING) and is_placeholder(learned)
