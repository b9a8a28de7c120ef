"""The fast way through conversations: messages of two texts each, a role and what is said, and nothing beside them.

What stands around the texts of a line is its frame. A line with the frame of a line that was explained and in which no
rule found anything differs from it in what is said only; that is proved to be text, and neither blank nor rare.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from trainproof_ci.readers.dataset.duplicates import frame_of
from trainproof_ci.readers.dataset.flat import first_blank
from trainproof_ci.readers.dataset.forms import ESCAPED_QUOTE, ODD, QUOTE, is_sound, respelled
from trainproof_ci.readers.dataset.screens import has_token, is_plain
from trainproof_ci.readers.dataset.shapes import CONTENT_KEYS
from trainproof_ci.readers.dataset.tally import MESSAGE_KEYS

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.columns import Signature
    from trainproof_ci.readers.dataset.examiner import Examiner
    from trainproof_ci.readers.dataset.lines import Block
    from trainproof_ci.readers.dataset.survey import Survey

MOST_FRAMES = 4096
PARTS = 8
"""Pieces between quotes that one message has; three come before the first message."""
LONG_LINE = 1 << 20
BACKSLASHES = repeat(b"\\")


class Frame(NamedTuple):
    """What lines with this frame have in common: the hash of the messages that ask, and the messages by role."""

    asked: int
    roles: tuple[tuple[str, int], ...]


class TalkAcceptor:
    """Accepts blocks of conversations for a survey and hands what it does not accept to the examiner, in order."""

    def __init__(self, survey: "Survey", examiner: "Examiner") -> None:
        self.survey, self.examiner = survey, examiner
        self.frames: dict[bytes, Frame] = {}
        self.said = 0
        self.signature: Signature | None = None
        self.most = min(LONG_LINE, survey.options.max_chars or LONG_LINE)

    @classmethod
    def suits(cls, survey: "Survey") -> bool:
        """Whether the shape and the settings allow to accept anything unseen."""
        shape, options = survey.shape, survey.options
        plain = shape is not None and len(shape.turns) == 1 and set(shape.required) == set(shape.turns)
        free = survey.marks is None and survey.media is None and not options.phrases and not survey.tally.listed
        return plain and free

    def block(self, block: "Block") -> None:
        """Take every line of a block."""
        lines = block.lines
        sound = is_sound(lines) and not has_token(lines)
        offset, begun, keys, met = block.byte_offset, block.line, list[int](), list[Frame]()
        for line, number in zip(lines, range(block.line, block.next_line), strict=True):
            found = (
                self._frame(line) if self.frames and (sound or (is_sound([line]) and not has_token([line]))) else None
            )
            if found is not None:
                keys.append(found[0])
                met.append(found[1])
            else:
                self._accepted(keys, met, begun)
                begun, keys, met = number + 1, [], []
                self._explain(line, number, offset)
            offset += len(line)
        self._accepted(keys, met, begun)

    def _frame(self, line: bytes) -> tuple[int, Frame] | None:
        """The hash of what a line asks, and its frame; None where the line must be explained."""
        if len(line) > self.most:
            return None
        escaped = b"\\" in line
        if escaped and ODD.search(line) is not None:
            line = respelled(line) or b"" if is_plain(line) else b""
        frame, texts = self._split(line)
        if escaped and (frame is None or any(map(bytes.endswith, texts, BACKSLASHES))):
            frame, texts = self._split(line.replace(ESCAPED_QUOTE, b"\0"))
        if frame is None or first_blank(texts) < len(texts):
            return None
        return hash((frame.asked, *texts[:-1])), frame

    def _split(self, line: bytes) -> tuple[Frame | None, Sequence[bytes]]:
        parts = line.split(QUOTE)
        texts = parts[self.said :: PARTS]
        del parts[self.said :: PARTS]
        return self.frames.get(QUOTE.join(parts)), texts

    def _accepted(self, keys: list[int], met: list[Frame], line: int) -> None:
        """Keep the books for lines that were accepted, the first of which is `line`."""
        survey, count = self.survey, len(keys)
        signature = self.signature
        if not count or signature is None:
            return
        self.examiner.passed(count, line, crlf=False)
        survey.columns.more(
            survey.columns.kinds[signature],
            range(line, line + count),
            range(survey.records + 1, survey.records + count + 1),
        )
        survey.duplicates.keys.extend(keys)
        survey.records += count
        survey.lines += count
        for frame, times in Counter(met).items():
            for role, messages in frame.roles:
                survey.tally.messages += messages * times
                survey.tally.strings[role] += messages * times

    def _explain(self, line: bytes, number: int, offset: int) -> None:
        """Explain a line, and learn its frame if nothing is wrong with it."""
        survey = self.survey
        before, found, talks = survey.records, survey.faults.count(), survey.talks
        survey.talks = []
        self.examiner.explain(line, number, offset)
        if survey.records == before or survey.faults.count() != found or len(self.frames) >= MOST_FRAMES:
            survey.talks = survey.talks or talks
            return
        if line.endswith(b"}\n") and ODD.search(line) is None:
            self._learn(line.replace(ESCAPED_QUOTE, b"\0"))

    def _learn(self, line: bytes) -> None:
        survey, shape = self.survey, self.survey.shape
        signature = survey.columns.latest
        if shape is None or signature is None or signature[0] != shape.turns or not survey.talks:
            return
        messages: list[Any] = [turn.message for turn in survey.talks[0][1]]
        parts = line.split(QUOTE)
        if len(messages) < 2 or len(parts) != PARTS * len(messages) + 3:
            return
        at = {tuple(message)[-1] in CONTENT_KEYS for message in messages}
        said = 9 if at == {True} else 5
        if not all(_is_simple(message, said) for message in messages) or self.said not in {0, said}:
            return
        self.said = said
        del parts[said::PARTS]
        frame = QUOTE.join(parts)
        if b"\\" in frame or b"\0" in frame:
            return
        roles: dict[str, int] = {}
        for turn in survey.talks[0][1]:
            roles[turn.role or ""] = roles.get(turn.role or "", 0) + 1
        self.frames[frame] = Frame(frame_of(messages[:-1]), tuple(roles.items()))
        self.signature = signature


def _is_simple(message: Any, said: int) -> bool:
    """Whether a message has a role and a content, both texts, in the order that puts what is said at `said`."""
    keys = tuple(message)
    spoken = keys[1 if said == 9 else 0] if len(keys) == 2 else ""
    only = sum(key in CONTENT_KEYS for key in keys) == 1
    return (
        spoken in CONTENT_KEYS
        and only
        and MESSAGE_KEYS.issuperset(keys)
        and all(type(v) is str for v in message.values())
    )
