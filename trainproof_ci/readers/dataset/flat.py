"""The fastest way, for the commonest records: nothing but texts, every line written in the same form.

It proves for many lines at once, with a few searches in C, what `fast.Acceptor` proves for one line after the other;
the tests hold them against each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import eq

from trainproof_ci.patterns import later
from trainproof_ci.readers.dataset.dialogues import doubtful_pairs
from trainproof_ci.readers.dataset.duplicates import asks
from trainproof_ci.readers.dataset.forms import Form, respelled, shown
from trainproof_ci.readers.dataset.harmless import PADDING, PLACEHOLDER_STARTS
from trainproof_ci.readers.dataset.proofs import texts_of
from trainproof_ci.readers.dataset.record import FILLER, LONGEST_PLACEHOLDER, is_blank, is_placeholder
from trainproof_ci.readers.dataset.screens import has_token
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.plans import Plan
    from trainproof_ci.readers.dataset.proofs import Texts
    from trainproof_ci.readers.dataset.survey import Survey

Column = Sequence[bytes]
STARTS = frozenset(
    [start.encode() for start in PLACEHOLDER_STARTS]
    + [pad + bytes([byte]) for pad in (b" ", b".") for byte in range(256)]
    + [b"\\n", b"\\u", *(pad.encode()[:2] for pad in PADDING if not pad.isascii())]
)
"""The first two bytes of whatever may be a placeholder."""
SHORT = 6 * LONGEST_PLACEHOLDER
"""Bytes; a text of more is no placeholder, however it is escaped."""
FILLER_BYTES = tuple(start.encode() for start in FILLER)
SEEN = later(rb'(?:\\[nrtf]| )*(?:[!-\[\]-~\xc3-\xe0\xe4-\xee\xf0-\xf4]|\\["/]|[\x00\x01])')
"""Blanks, and then the beginning of a character that shows: all without width or ink begin with other bytes."""


class Taken(NamedTuple):
    """How many lines were looked at, which of them (from 0) must be explained, the hashes of all; for `paired` see `Texts`."""

    lines: int
    doubted: list[int]
    keys: list[int]
    paired: bool


def suits(plan: "Plan", survey: "Survey") -> bool:
    """Whether records of this plan can be taken here: texts only, prompts and targets that differ from record to record."""
    tally = survey.tally
    varied = (plan.target is None or tally.targets is False) and (not any_prompt(plan) or tally.prompts is False)
    return varied and set(plan.types) == {str} and plan.label is None


def any_prompt(plan: "Plan") -> bool:
    """Whether records of the plan have a prompt."""
    return any(at is not None for at in plan.prompts)


def accept(data: bytes, plan: "Plan", form: Form, survey: "Survey", *, longest: int, marks: bool) -> Taken:
    """Look at whole lines; `marks` says that marks stand for escaped backslashes."""
    texts = texts_of(data, form, marks=marks)
    columns = texts.columns
    doubted = texts.doubted.union(*_harmful(texts, plan, spaced=survey.spaced))
    if len(data) > longest:
        around = len(form.line([b""] * len(columns)))
        lengths = map(sum, zip(*[map(len, column) for column in columns], strict=True))
        doubted |= {row for row, length in enumerate(lengths) if length + around > longest}
    keys = list(map(hash, _compared(texts, plan, doubted, questions=survey.shape is not None and asks(survey.shape))))
    return Taken(len(columns[0]), sorted(doubted), keys, texts.paired)


def _compared(texts: "Texts", plan: "Plan", doubted: set[int], *, questions: bool) -> Iterable[object]:
    """What of each record is compared: what it asks, or all of it; of a doubted one nothing that counts."""
    wanted = (*plan.questions, *(plan.pair or ())) if questions else plan.order
    columns = [None if at is None else texts.columns[at] for at in wanted]
    if odd := texts.odd - doubted:
        columns = [None if column is None else _respelled(column, odd) for column in columns]
    if questions and plan.pair is not None:
        *columns, one, other = columns
        assert one is not None
        assert other is not None
        columns += [list(map(min, one, other)), list(map(max, one, other))]
    if len(columns) == 1 and columns[0] is not None:
        return columns[0]
    rows = len(texts.columns[0])
    return zip(*[repeat(None, rows) if column is None else column for column in columns], strict=True)


def _respelled(column: Column, odd: set[int]) -> list[bytes]:
    found = list(column)
    for row in odd:
        found[row] = respelled(found[row])
    return found


def _harmful(texts: "Texts", plan: "Plan", *, spaced: bool) -> Iterator[list[int]]:
    """The lines in which something is wrong with the values, by one reason after the other."""
    columns, doubted = texts.columns, texts.doubted
    odd = texts.odd - doubted
    if doubted:  # what they hold is no text that could be looked at
        columns = [[b"-" if row in doubted else text for row, text in enumerate(column)] for column in columns]
    for at in plan.texts:
        yield blank(columns[at], escaped=texts.escaped)
    for at in plan.replies:
        yield _tokened(columns[at])
    present = [columns[at] for at in plan.prompts if at is not None]
    asked: Column = (
        present[0] if len(present) == 1 else [b"\\n".join(filter(None, parts)) for parts in zip(*present, strict=True)]
    )
    if present:
        yield blank(asked, escaped=texts.escaped)
    if plan.pair is not None:
        yield _same(columns[plan.pair[0]], columns[plan.pair[1]], odd)
        if present:
            yield _same(columns[plan.pair[0]], asked, odd)
        yield from map(to_fill, map(columns.__getitem__, plan.pair))
        yield list(doubtful_pairs(columns[plan.pair[0]], columns[plan.pair[1]]))
    if plan.target is not None:
        target = columns[plan.target]
        if present:
            yield _same(target, asked, odd)
        yield to_fill(target)
        if spaced:
            yield [row for row, text in enumerate(target) if not text.startswith(b" ")]


def _same(one: Column, other: Column, odd: set[int]) -> list[int]:
    """The rows in which two texts are equal, however they are spelled."""
    same = list(map(eq, one, other))
    found = [row for row, is_same in enumerate(same) if is_same] if True in same else []
    return found + [
        row for row in odd if _may_equal(one[row], other[row]) and respelled(one[row]) == respelled(other[row])
    ]


def _may_equal(one: bytes, other: bytes) -> bool:
    return one[:1] == other[:1] or one[:1] == b"\\" or other[:1] == b"\\"


def blank(texts: Column, *, escaped: bool = True) -> list[int]:
    """The rows whose text is blank."""
    if min(texts) >= b"!" and max(texts) < (b"\\" if escaped else b"\x7f"):
        return []
    return [
        row
        for row, text in enumerate(texts)
        if not (b"!" <= text < b"\\" or b"]" <= text < b"\x7f") and SEEN.match(text) is None and is_blank(shown(text))
    ]


def _tokened(texts: Column) -> list[int]:
    """The rows whose text may hold a control token."""
    return [row for row, text in enumerate(texts) if has_token(text)] if has_token(b"\0".join(texts)) else []


def to_fill(texts: Column) -> list[int]:
    """The rows whose text is a placeholder."""
    begun = [row for row, text in enumerate(texts) if text[:2] in STARTS]
    return [row for row in begun if _is_to_fill(texts[row])]


def _is_to_fill(text: bytes) -> bool:
    return (len(text) <= SHORT or text.startswith(FILLER_BYTES)) and is_placeholder(shown(text))
