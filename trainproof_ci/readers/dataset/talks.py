"""The fast way through conversations: messages of two texts each, a role and what is said, and nothing beside them.

What stands around the texts of a line is its frame. A line with the frame of a line that was explained and in which no
rule found anything differs from it in what is said only; that is proved to be text, and neither blank nor rare.
"""

from bisect import bisect_right
from collections import Counter
from itertools import accumulate, chain

from trainproof_ci.readers.dataset.duplicates import frame_of
from trainproof_ci.readers.dataset.flat import blank, to_fill
from trainproof_ci.readers.dataset.forms import (
    BACKSLASHES,
    ESCAPED_QUOTE,
    MARKS,
    ODD,
    QUOTE,
    QUOTED,
    marked,
    shown,
    spelled,
)
from trainproof_ci.readers.dataset.lines import LONG, lines_of
from trainproof_ci.readers.dataset.proofs import doubts_of
from trainproof_ci.readers.dataset.screens import has_token
from trainproof_ci.readers.dataset.tally import MESSAGE_KEYS
from trainproof_ci.readers.dataset.turns import CONTENT_KEYS, is_answer
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.columns import Signature
    from trainproof_ci.readers.dataset.examiner import Examiner
    from trainproof_ci.readers.dataset.lines import Block
    from trainproof_ci.readers.dataset.survey import Survey

MOST_FRAMES = 4096
IMAGE = b"<image>"
"""The place of a picture: the record may lack the picture."""
PARTS = 8
"""Pieces between quotes that one message has; three come before the first message."""


class Frame(NamedTuple):
    """What lines with this frame have in common: the hash of the messages that ask, and the messages by role."""

    asked: int
    roles: tuple[tuple[str, int], ...]


class Looked(NamedTuple):
    """Lines by number (from 0): what stands around their texts, the texts, and whether those are proved."""

    around: list[bytes]
    said: list[list[bytes]]
    proved: list[bool]


class TalkAcceptor:
    """Accepts blocks of conversations for a survey and hands what it does not accept to the examiner, in order."""

    def __init__(self, survey: "Survey", examiner: "Examiner") -> None:
        self.survey, self.examiner = survey, examiner
        self.frames: dict[bytes, Frame] = {}
        self.said = 0
        self.signature: Signature | None = None
        self.marked = False
        """Whether escaped backslashes are replaced before lines are looked at: only where there are any."""
        self.most = min(LONG, survey.options.max_chars or LONG)

    @classmethod
    def suits(cls, survey: "Survey") -> bool:
        """Whether the shape and the settings allow to accept anything unseen."""
        shape, options = survey.shape, survey.options
        plain = shape is not None and len(shape.turns) == 1 and set(shape.required) == set(shape.turns)
        free = survey.marks is None and survey.media is None and not options.phrases and not survey.tally.listed
        return plain and free and shape is not None and shape.thumb is None

    def block(self, block: "Block") -> None:
        """Take every line of a block."""
        begin = 0
        while (len(block.data) > LONG or not self._knows()) and begin < len(block.lines):
            self._explain(block, begin)
            begin += 1
        looked = self._looked_at(b"".join(block.lines[begin:]) if begin else block.data)
        block.count = begin + len(looked.around)
        keys, met = list[int](), list[Frame]()
        for row, (around, said, proved) in enumerate(zip(*looked, strict=True), begin):
            frame = self.frames.get(around) if proved else None
            if frame is not None and said[-1] != said[-2]:
                keys.append(hash((frame.asked, *said[:-1])))
                met.append(frame)
            else:
                self._accepted(keys, met, block.line + row - len(keys))
                keys, met = [], []
                self._explain(block, row)
        self._accepted(keys, met, block.next_line - len(keys))

    def _knows(self) -> bool:
        """Whether any frame is known, and questions and answers are known to differ from record to record."""
        tally = self.survey.tally
        return bool(self.frames) and tally.targets is False and tally.prompts is False

    def _looked_at(self, data: bytes) -> Looked:
        """Look at whole lines, but not yet at whether their frames are known."""
        seen = marked(data) if self.marked else data
        looked, paired = self._looked(data, seen)
        if paired and seen is data and (seen := marked(data)) is not data:
            looked, _ = self._looked(data, seen)
        self.marked = seen is not data
        return looked

    def _looked(self, data: bytes, seen: bytes) -> tuple[Looked, bool]:
        around, said = self._parted(lines_of(seen.replace(ESCAPED_QUOTE, QUOTED)) if data else [])
        texts = list(chain.from_iterable(said))
        joined = b"\0".join([*texts, b""])
        doubts = doubts_of(texts, joined, marks=seen is not data)
        wrong = set(doubts.texts)
        if (IMAGE[:1] in joined and IMAGE in joined) or has_token(joined):
            wrong.update(at for at, text in enumerate(texts) if IMAGE in text or has_token(text))
        if b"\n" in joined:  # the end of a line of another form stands where a text is looked for
            wrong.update(at for at, text in enumerate(texts) if b"\n" in text)
        if texts:
            texts = [b"-" if at in wrong else text for at, text in enumerate(texts)] if wrong else texts
            wrong.update(blank(texts, escaped=doubts.escaped), to_fill(texts))
        proved = self._whole(data, said, wrong)
        if doubts.odd:
            said = [list(map(_respelled, asked)) if good else asked for asked, good in zip(said, proved, strict=True)]
        return Looked(around, said, proved), doubts.paired

    def _parted(self, lines: list[bytes]) -> tuple[list[bytes], list[list[bytes]]]:
        around, said = list[bytes](), list[list[bytes]]()
        for line in lines:
            parts = line.split(QUOTE)
            said.append(parts[self.said :: PARTS])
            del parts[self.said :: PARTS]
            around.append(QUOTE.join(parts))
        return around, said

    def _whole(self, data: bytes, said: list[list[bytes]], wrong: set[int]) -> list[bool]:
        """Which lines hold no wrong text, no NUL and not too much."""
        proved = [True] * len(said)
        ends = list(accumulate(map(len, said)))
        for at in wrong:
            proved[bisect_right(ends, at)] = False
        if b"\0" in data or len(data) > self.most:
            for row, line in enumerate(lines_of(data)):
                proved[row] = proved[row] and b"\0" not in line and len(line) <= self.most
        return proved

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
        survey.tally.answered = True
        for frame, times in Counter(met).items():
            for role, messages in frame.roles:
                survey.tally.messages += messages * times
                survey.tally.strings[role] += messages * times

    def _explain(self, block: "Block", row: int) -> None:
        """Explain a line, and learn its frame if nothing is wrong with it."""
        survey, line = self.survey, block.lines[row]
        before, found, talks = survey.records, survey.faults.count(), survey.talks
        survey.talks = []
        self.examiner.explain(line, block.line + row, block.offset(row))
        if survey.records == before or survey.faults.count() != found or len(self.frames) >= MOST_FRAMES:
            survey.talks = survey.talks or talks
            return
        if line.endswith(b"}\n"):
            self._learn(line.replace(BACKSLASHES, MARKS).replace(ESCAPED_QUOTE, QUOTED))

    def _learn(self, line: bytes) -> None:
        survey, shape = self.survey, self.survey.shape
        signature = survey.columns.latest
        if shape is None or signature is None or signature[0] != shape.turns or not survey.talks:
            return
        messages: list[Any] = [turn.message for turn in survey.talks[0][1]]
        parts = line.split(QUOTE)
        if len(messages) < 2 or not is_answer(shape, messages[-1]) or len(parts) != PARTS * len(messages) + 3:
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


def _respelled(said: bytes) -> bytes:
    """What is said, in the one spelling."""
    return said if ODD.search(said) is None else spelled(shown(said)).replace(ESCAPED_QUOTE, QUOTED)


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
