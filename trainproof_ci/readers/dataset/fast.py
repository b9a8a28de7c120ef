"""The fast way through a block of JSON Lines: what it accepts costs one parse and two hashes, what it does not is explained.

A line is accepted only when its keys and types are those of a record that was explained before and found to be
right, and when every value is proved harmless; so a rule fires on the slow way or not at all.
"""

from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from trainproof_ci.readers.dataset import flat
from trainproof_ci.readers.dataset.columns import Kind, Signature
from trainproof_ci.readers.dataset.duplicates import flat_key
from trainproof_ci.readers.dataset.forms import SCAN, Form, form_of
from trainproof_ci.readers.dataset.harmless import judge_for
from trainproof_ci.readers.dataset.record import JSON_TYPES
from trainproof_ci.readers.dataset.screens import is_plain
from trainproof_ci.readers.dataset.shapes import MEDIA
from trainproof_ci.readers.dataset.talks import TalkAcceptor

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainproof_ci.readers.dataset.examiner import Examiner
    from trainproof_ci.readers.dataset.lines import Block
    from trainproof_ci.readers.dataset.shapes import Shape
    from trainproof_ci.readers.dataset.survey import Survey

FLAT = frozenset({str, int, float, bool, type(None)})
SHAPES = frozenset({"prompt-completion", "text", "alpaca", "prompt-only", "kto", "text-label", "preference"})
LONG_LINE = 1 << 20
LARGEST, SMALLEST = 8192, 16
"""Lines that are accepted at once: fewer after one that was not."""
MOST_ATTEMPTS = 64
"""Lines in which a form is looked for before they are all parsed."""
AHEAD = 4096
"""Lines handed over at once: where every line stops the reading, all that follow are not copied for each."""


class Plan(NamedTuple):
    """How records of one signature are accepted: where their prompts, targets, labels and numbers stand."""

    kind: Kind
    keys: tuple[str, ...]
    types: tuple[type, ...]
    prompts: tuple[int | None, ...]
    texts: tuple[int, ...]
    target: int | None
    pair: tuple[int, int] | None
    label: int | None
    numbers: tuple[int, ...]
    order: list[int]
    ordered: "Callable[[Any], Any] | None"


def plan(signature: Signature, kind: Kind, shape: "Shape | None") -> Plan | None:
    """The plan for records of this signature, or None where they must be explained one by one."""
    keys, types = signature
    if shape is None or not FLAT.issuperset(types) or not shape.required.keys() <= set(keys) or MEDIA & set(keys):
        return None
    where = {key: at for at, key in enumerate(keys)}
    classed = where.get(shape.label or "")
    if classed is not None and types[classed] is type(None):
        return None
    named = () if classed is None or types[classed] is not str else (shape.label or "",)
    texts = tuple(where[key] for key in (*shape.targets, *shape.pair, *named) if key in where)
    asked = tuple(where.get(key) for key in shape.prompts)
    if any(JSON_TYPES[types[where[key]]] not in allowed for key, allowed in shape.required.items()):
        return None
    spoken = [at for at in (*texts, *asked) if at is not None and types[at] is not type(None)]
    if any(types[at] is type(None) for at in texts) or any(types[at] is not str for at in spoken):
        return None
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ordered = None if order == list(range(len(keys))) else itemgetter(*order)
    target = where[shape.targets[0]] if len(shape.targets) == 1 else None
    pair = (where[shape.pair[0]], where[shape.pair[1]]) if shape.pair else None
    numbers = tuple(at for at, type_ in enumerate(types) if type_ in {int, float})
    return Plan(kind, keys, types, asked, texts, target, pair, where.get(shape.counted or ""), numbers, order, ordered)


class Acceptor:
    """Accepts blocks for a survey and hands what it does not accept to the examiner, in order."""

    def __init__(self, survey: "Survey", examiner: "Examiner") -> None:
        self.survey, self.examiner = survey, examiner
        self.plans: dict[Signature, Plan | None] = {}
        self.plan: Plan | None = None
        self.wanted: Signature | None = None
        self.most = min(LONG_LINE, survey.options.max_chars or LONG_LINE)
        self.forms: dict[tuple[str, ...], Form | None] = {}
        self.attempts, self.batch = 0, LARGEST
        self.asks = survey.shape is not None and asks(survey.shape)

    @classmethod
    def for_survey(cls, survey: "Survey", examiner: "Examiner") -> "Acceptor | TalkAcceptor | None":
        """An acceptor where the shape and the settings allow one."""
        if TalkAcceptor.suits(survey):
            return TalkAcceptor(survey, examiner)
        options, shape = survey.options, survey.shape
        if (
            shape is None
            or shape.name not in SHAPES
            or survey.marks is not None
            or survey.media is not None
            or options.phrases
        ):
            return None
        return None if shape.label and (options.num_labels or survey.split == "train") else cls(survey, examiner)

    def block(self, block: "Block") -> None:
        """Take every line of a block."""
        lines = block.lines
        whole = len(lines) if lines[-1].endswith(b"\n") else len(lines) - 1
        offset, reached, at = block.byte_offset, 0, 0
        while at < len(lines):
            if at < whole and self.plan is not None:
                ahead = lines[at : min(whole, at + AHEAD)] if at or whole < len(lines) else lines
                accepted = self._accept(ahead, block.line + at)
                at += accepted
                if self._switched() or (accepted == len(ahead) and at < whole):
                    continue
                if at >= len(lines):
                    return
            offset += sum(map(len, lines[reached:at]))
            reached = at
            before = self.survey.records
            self.examiner.explain(lines[at], block.line + at, offset)
            if self.survey.records != before:
                self._learn()
            at += 1

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

    def _accept(self, lines: list[bytes], first: int) -> int:
        """Accept lines until one must be explained; the number of those that were accepted."""
        chosen = self.plan
        assert chosen is not None
        count = 0
        if flat.suits(chosen, self.survey) and (form := self._form(chosen, lines[0])) is not None:
            while count < len(lines):
                batch = lines[count : count + self.batch] if self.batch < len(lines) or count else lines
                taken = flat.accept(batch, chosen, form, self.survey, asks=self.asks, longest=self.most)
                self._accepted(chosen.kind, taken, first + count, 1)
                count += taken
                self.batch = min(LARGEST, self.batch * 2) if taken == len(batch) else max(SMALLEST, taken)
                if taken < len(batch):
                    break
            if count:
                return count
            lines = lines[:1]
        return self._accept_any(lines, first, chosen)

    def _form(self, chosen: Plan, line: bytes) -> Form | None:
        """The form of the lines of a plan, learned from one of the first that has one."""
        if chosen.keys not in self.forms or (self.forms[chosen.keys] is None and self.attempts < MOST_ATTEMPTS):
            self.attempts += 1
            self.forms[chosen.keys] = form_of(line, chosen.keys)
        return self.forms[chosen.keys]

    def _accept_any(self, lines: list[bytes], first: int, chosen: Plan) -> int:
        _, keys, types, *_ = chosen
        most, tail, judge = (
            self.most,
            2 if lines[0].endswith(b"\r\n") else 1,
            judge_for(chosen, self.survey, asks=self.asks),
        )
        ordered = chosen.ordered
        note = self.survey.duplicates.keys.append
        number = start = self.survey.records
        try:
            for line in lines:
                if not is_plain(line) or line[0] != OBJECT:
                    break
                text = line.decode()
                fields, end = SCAN(text, 0)
                if len(text) - end != tail or len(line) > most or (tail > 1 and line[-2] != CR):
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
        self._accepted(chosen.kind, number - start, first, tail)
        return number - start

    def _accepted(self, kind: Kind, count: int, line: int, tail: int) -> None:
        """Keep the books for lines that were accepted."""
        if count:
            self.examiner.passed(count, line, crlf=tail > 1)
            numbers = range(self.survey.records + 1, self.survey.records + count + 1)
            self.survey.columns.more(kind, range(line, line + count), numbers)
            self.survey.records += count
            self.survey.lines += count


OBJECT, CR = 0x7B, 0x0D


def asks(shape: "Shape") -> bool:
    """Whether records of the shape can contradict each other."""
    from trainproof_ci.readers.dataset.duplicates import NO_CONFLICT  # named beside the slow way, which it must equal

    return bool(shape.prompts) and not shape.pair and shape.name not in NO_CONFLICT
