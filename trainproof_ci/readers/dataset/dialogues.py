"""Dialogues written as one text, as the first preference data was: each says "Human:" or "Assistant:" after a blank line."""

from collections.abc import Iterator, Sequence

from trainproof_ci.readers.dataset.record import is_blank

HUMAN, ASSISTANT = "\n\nHuman:", "\n\nAssistant:"
_HUMAN, _ASSISTANT = rb"\n\nHuman:", rb"\n\nAssistant:"
"""The same as they are written in JSON."""
_BLANKS = rb" \nrtf"
"""Blanks, and what escapes of blanks are written with."""
LONGEST_BLANK = 64
"""Bytes in which the escape of a blank is looked for."""


def is_dialogue(text: str) -> bool:
    """Whether a text is a dialogue."""
    return text.startswith(HUMAN)


def is_unanswered(text: str) -> bool:
    """Whether a dialogue has no last answer, or one that says nothing."""
    return is_dialogue(text) and is_blank(text.rpartition(ASSISTANT)[2] if ASSISTANT in text else "")


def question_of(text: str) -> str:
    """What a dialogue begins with, up to the first answer."""
    return text.partition(ASSISTANT)[0]


def doubtful_pairs(chosen: Sequence[bytes], rejected: Sequence[bytes]) -> Iterator[int]:
    """The rows of written texts in which either may be unanswered, or the two may begin with different questions."""
    for row, (one, other) in enumerate(zip(chosen, rejected, strict=True)):
        if one.startswith(_HUMAN) or other.startswith(_HUMAN):
            differ = one.partition(_ASSISTANT)[0] != other.partition(_ASSISTANT)[0]
            if differ or _may_be_unanswered(one) or _may_be_unanswered(other):
                yield row


def _may_be_unanswered(written: bytes) -> bool:
    _, found, answer = written.rpartition(_ASSISTANT)
    return not found or not answer.strip(_BLANKS) or not answer.isascii() or b"\\u" in answer[:LONGEST_BLANK]
