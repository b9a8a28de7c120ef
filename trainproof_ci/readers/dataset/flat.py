"""The fastest way, for the commonest records: nothing but texts, every line written in the same form.

It proves for many lines at once, with a few searches in C, what `fast.Acceptor` proves for one line after the other;
the tests hold them against each other.
"""

from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import eq
from typing import TYPE_CHECKING

from trainproof_ci.readers.dataset.forms import Form, texts_of
from trainproof_ci.readers.dataset.harmless import PADDING, PLACEHOLDER_STARTS
from trainproof_ci.readers.dataset.record import LONGEST_PLACEHOLDER, is_blank, is_placeholder

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.fast import Plan
    from trainproof_ci.readers.dataset.survey import Survey

Texts = Sequence[bytes]
STARTS = frozenset(
    [start.encode() for start in PLACEHOLDER_STARTS]
    + [pad + bytes([byte]) for pad in (b" ", b".") for byte in range(256)]
    + [b"\\n", *(pad.encode()[:2] for pad in PADDING if not pad.isascii())]
)
"""The first two bytes of whatever may be a placeholder."""
SHORT = 4 * LONGEST_PLACEHOLDER
"""Bytes; a text of more is no placeholder."""


def suits(plan: "Plan", survey: "Survey") -> bool:
    """Whether records of this plan can be taken here: texts only, prompts and targets that differ from record to record."""
    tally = survey.tally
    varied = (plan.target is None or tally.targets is False) and (not any_prompt(plan) or tally.prompts is False)
    return varied and set(plan.types) == {str} and plan.label is None and not survey.spaced


def any_prompt(plan: "Plan") -> bool:
    """Whether records of the plan have a prompt."""
    return any(at is not None for at in plan.prompts)


def accept(lines: list[bytes], plan: "Plan", form: Form, survey: "Survey", *, asks: bool, longest: int) -> int:
    """Accept lines until one must be explained; the number of those that were accepted."""
    if max(map(len, lines)) > longest:
        lines = lines[: next(at for at, line in enumerate(lines) if len(line) > longest)]
    if not lines:
        return 0
    texts = texts_of(lines, form)
    good = len(texts[0])
    if good:
        good = min(good, *_harmful(texts, plan))
    keys = _questions(texts, plan, good) if asks else zip(*[texts[at][:good] for at in plan.order], strict=True)
    survey.duplicates.keys.extend(map(hash, keys))
    return good


def _questions(texts: list[Texts], plan: "Plan", good: int) -> Iterator[tuple[bytes | None, ...]]:
    return zip(*[repeat(None, good) if at is None else texts[at][:good] for at in plan.prompts], strict=True)


def _harmful(texts: list[Texts], plan: "Plan") -> Iterator[int]:
    """How many records come before the first that must be explained, by one reason after the other."""
    every = len(texts[0])
    yield every
    for at in plan.texts:
        yield first_blank(texts[at])
    present = [at for at in plan.prompts if at is not None]
    asked: Texts = []
    if len(present) == 1:
        asked = texts[present[0]]
    elif present:
        asked = [b"\\n".join(filter(None, parts)) for parts in zip(*[texts[at] for at in present], strict=True)]
    if present:
        yield first_blank(asked)
    if plan.pair is not None:
        yield _same(texts[plan.pair[0]], texts[plan.pair[1]])
    if plan.target is not None:
        yield _same(texts[plan.target], asked) if present else every
        yield _empty(texts[plan.target])


def _same(one: Texts, other: Texts) -> int:
    return list(map(eq, one, other)).index(True) if any(map(eq, one, other)) else len(one)


def first_blank(texts: Texts) -> int:
    """How many texts come before the first blank one."""
    if min(texts) >= b"!" and max(texts) < b"\x7f" and not _escape_first(texts):
        return len(texts)
    for at, text in enumerate(texts):
        if not b"!" <= text < b"\x7f" or text.startswith(b"\\"):
            shown = text.replace(b"\\n", b" ").replace(b"\\r", b" ").replace(b"\\t", b" ").replace(b"\\f", b" ")
            if is_blank(shown.decode()):
                return at
    return len(texts)


def _escape_first(texts: Texts) -> bool:
    """Whether any text begins with an escape."""
    return b"\\" in b"".join(texts) and any(map(bytes.startswith, texts, repeat(b"\\")))


def _empty(texts: Texts) -> int:
    """How many texts come before the first placeholder."""
    if len(min(texts, key=len)) > SHORT or STARTS.isdisjoint([text[:2] for text in texts]):
        return len(texts)
    for at, text in enumerate(texts):
        if text[:2] in STARTS and len(text) <= SHORT and is_placeholder(text.replace(b"\\n", b"\n").decode()):
            return at
    return len(texts)
