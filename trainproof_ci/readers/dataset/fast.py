"""The fast way through a block of JSON Lines: what it accepts costs one parse and two hashes, what it does not is explained.

A line is accepted only when its keys and types are those of a record that was explained before and found to be
right, and when every value is proved harmless; so a rule fires on the slow way or not at all.
"""

from trainproof_ci.readers.dataset import flat
from trainproof_ci.readers.dataset.columns import Kind, Signature
from trainproof_ci.readers.dataset.duplicates import asks, flat_key
from trainproof_ci.readers.dataset.forms import SCAN, Form, form_of, marked
from trainproof_ci.readers.dataset.harmless import judge_for
from trainproof_ci.readers.dataset.lines import LONG
from trainproof_ci.readers.dataset.plans import Plan, plan
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainproof_ci.readers.dataset.examiner import Examiner
    from trainproof_ci.readers.dataset.lines import Block
    from trainproof_ci.readers.dataset.survey import Survey
    from trainproof_ci.readers.dataset.talks import TalkAcceptor

SHAPES = frozenset({"prompt-completion", "text", "alpaca", "prompt-only", "kto", "text-label", "preference"})
SOME = 16
"""Lines taken one by one before it is asked again whether all can be taken together."""
MOST_ATTEMPTS = 64
"""Lines in which a form is looked for before they are all parsed."""
AHEAD = 256
"""Lines handed over at once: where every line stops the reading, all that follow are not copied for each."""


class Acceptor:
    """Accepts blocks for a survey and hands what it does not accept to the examiner, in order."""

    def __init__(self, survey: "Survey", examiner: "Examiner") -> None:
        self.survey, self.examiner = survey, examiner
        self.plans: dict[Signature, Plan | None] = {}
        self.plan: Plan | None = None
        self.wanted: Signature | None = None
        self.most = min(LONG, survey.options.max_chars or LONG)
        self.forms: dict[tuple[str, ...], Form | None] = {}
        self.attempts = 0
        self.marked = False
        """Whether escaped backslashes are replaced before texts are looked at: only where there are any."""
        self.asks = survey.shape is not None and asks(survey.shape)

    @classmethod
    def for_survey(cls, survey: "Survey", examiner: "Examiner") -> "Acceptor | TalkAcceptor | None":
        """An acceptor where the shape and the settings allow one."""
        options, shape = survey.options, survey.shape
        if shape is not None and shape.turns:
            from trainproof_ci.readers.dataset.talks import TalkAcceptor  # most records are no conversations

            if TalkAcceptor.suits(survey):
                return TalkAcceptor(survey, examiner)
        if (
            shape is None
            or (shape.name not in SHAPES and not shape.closed)
            or survey.marks is not None
            or survey.media is not None
            or options.phrases
        ):
            return None
        ranged = options.num_labels or (survey.split == "train" and shape.label not in shape.usual)
        return None if shape.label and ranged else cls(survey, examiner)

    def block(self, block: "Block") -> None:
        """Take every line of a block."""
        begin = 0
        if len(block.data) > LONG:  # one line that is longer than any that is accepted; it is not copied
            self._one_by_one(block, 0, len(block.lines))
            return
        if self._form() is None:
            begin = self._one_by_one(block, 0, len(block.lines), until_formed=True)
            if begin == len(block.lines):
                return
        self._together(block, begin)

    def _together(self, block: "Block", begin: int) -> None:
        """Take the lines from `begin` on, all at once but for those that are doubted."""
        form, chosen = self._form(), self.plan
        assert chosen is not None
        assert form is not None
        taken = self._looked_at(block.data if begin == 0 else b"".join(block.lines[begin:]), chosen, form)
        block.count = begin + taken.lines
        at = 0
        for first, end in _runs([*taken.doubted, taken.lines]):
            if first > at:
                self.survey.duplicates.keys.extend(taken.keys[at:first])
                crlf = form.tail.endswith(b"\r\n")
                self._accepted(chosen.kind, first - at, block.line + begin + at, crlf=crlf)
            at = min(end, taken.lines)
            if at > first:
                self._one_by_one(block, begin + first, begin + at)
        if len(taken.doubted) * 2 < taken.lines:
            self.plan = chosen

    def _looked_at(self, data: bytes, chosen: Plan, form: Form) -> flat.Taken:
        seen = marked(data) if self.marked else data
        taken = flat.accept(seen, chosen, form, self.survey, longest=self.most, marks=seen is not data)
        if taken.paired and seen is data and (seen := marked(data)) is not data:
            taken = flat.accept(seen, chosen, form, self.survey, longest=self.most, marks=seen is not data)
        self.marked = seen is not data
        return taken

    def _one_by_one(self, block: "Block", begin: int, end: int, *, until_formed: bool = False) -> int:
        """Take lines of a block, each by itself, up to `end`, or up to one from which on they can be taken together."""
        lines = block.lines
        whole = min(end, len(lines) if lines[-1].endswith(b"\n") else len(lines) - 1)
        at = begin
        while at < end:
            if until_formed and self._form(lines[at]) is not None:
                return at
            if at < whole and self.plan is not None:
                ahead = lines[at : min(whole, at + (SOME if until_formed else AHEAD))]
                accepted = self._accept_any(ahead, block.line + at, self.plan)
                at += accepted
                if self._switched() or accepted == len(ahead):
                    continue
            before = self.survey.records
            self.examiner.explain(lines[at], block.line + at, block.offset(at))
            if self.survey.records != before:
                self._learn()
            at += 1
        return at

    def _switched(self) -> bool:
        """Take the plan of the signature that the last line has, if it is known and another."""
        wanted, self.wanted = self.wanted, None
        known = self.plans.get(wanted) if wanted is not None else None
        if known is None or known is self.plan:
            return False
        self.plan = known
        return True

    def _learn(self) -> None:
        """Make a plan for the signature of the record that was just explained."""
        signature = self.survey.columns.latest
        if signature is None:
            return
        if signature not in self.plans:
            self.plans[signature] = plan(signature, self.survey.columns.kinds[signature], self.survey.shape)
        self.plan = self.plans[signature] or self.plan

    def _form(self, line: bytes = b"") -> Form | None:
        """The form of the lines of the plan where they can be taken together; learned from a line that has one."""
        chosen = self.plan
        if chosen is None or not flat.suits(chosen, self.survey):
            return None
        known = self.forms.get(chosen.keys)
        if known is None and line and self.attempts < MOST_ATTEMPTS:
            self.attempts += 1
            known = self.forms[chosen.keys] = form_of(line, chosen.keys)
        return known

    def _accept_any(self, lines: list[bytes], first: int, chosen: Plan) -> int:
        _, keys, types, *_ = chosen
        most, tail, judge = (
            self.most,
            2 if lines[0].endswith(b"\r\n") else 1,
            judge_for(chosen, self.survey, asks=self.asks),
        )
        ordered = chosen.ordered
        note, plain = self.survey.duplicates.keys.append, self.examiner.screen
        number = start = self.survey.records
        try:
            for line in lines:
                if len(line) > most or line[0] != OBJECT or not plain(line):
                    break
                text = line.decode()
                fields, end = SCAN(text, 0)
                if len(text) - end != tail or (tail > 1 and line[-2] != CR):
                    break
                names, values = zip(*fields)  # noqa: B905 - the keyword costs more than the call
                kinds = tuple(map(type, values))
                if names != keys or kinds != types:
                    self.wanted = (names, kinds)
                    break
                asked = judge(values, first + number - start, number + 1)
                if asked is None:
                    break
                number += 1
                note(flat_key(asked or (values if ordered is None else ordered(values))))
        except (ValueError, StopIteration, RecursionError):
            pass
        self._accepted(chosen.kind, number - start, first, crlf=tail > 1)
        return number - start

    def _accepted(self, kind: Kind, count: int, line: int, *, crlf: bool) -> None:
        """Keep the books for lines that were accepted."""
        if count:
            self.examiner.passed(count, line, crlf=crlf)
            numbers = range(self.survey.records + 1, self.survey.records + count + 1)
            self.survey.columns.more(kind, range(line, line + count), numbers)
            self.survey.records += count
            self.survey.lines += count


OBJECT, CR = 0x7B, 0x0D


def _runs(numbers: list[int]) -> "Iterator[tuple[int, int]]":
    """The runs of consecutive numbers, each with the number after it."""
    begin = end = -1
    for number in numbers:
        if number != end:
            if begin >= 0:
                yield begin, end
            begin = number
        end = number + 1
    if begin >= 0:
        yield begin, end
