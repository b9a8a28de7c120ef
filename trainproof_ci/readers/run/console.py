"""Console text: dictionaries, `name: value` lines, progress bars, boxes and tables, whatever a trainer prints."""

import re
from functools import lru_cache
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from trainproof_ci.readers.run.columns import EPOCH, STEP, Block, Columns
from trainproof_ci.readers.run.console_lines import MOST_TEMPLATES, SIGNS, Template, split_numbers, template, value_of
from trainproof_ci.readers.run.console_names import looks_like_training
from trainproof_ci.readers.run.console_tables import Table, header, headerless
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, lines_of
from trainproof_ci.readers.run.stops import StopFinder
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS, is_eval, is_loss

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

LONGEST_PART = 4096
"""Characters of a line, or of one redraw of a progress bar, that are looked at."""
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_RULE = re.compile(r"[\s|+:=]*[-─━═]{4,}[\s|+:=\-─━═┼┬┴]*")
_HEADING = re.compile(
    r"(?<![\w/])(?:(eval|evaluation|evaluating|validation|validating|validate|valid|val|test|testing)|(train|training))(?![\w/])",
    re.IGNORECASE,
)
LONGEST_HEADING = 60
MOST_WRAPPED = 4
"""A dictionary broken over more lines than this was not broken by the width of a terminal."""


def recognise(head: "Head") -> bool:
    """Text in which a loss is printed again and again, or whose name says training log."""
    return looks_like_training(head)


def read(source: "Source", target: "Target") -> Reading:
    """Read line after line; each part of a line that a carriage return overwrites counts as a line of its own."""
    console = _Console()
    last = ""
    for number, raw in enumerate(lines_of(source), 1):
        if raw.startswith(CONFLICT_MARKS):
            console.conflicts.append(number)
        for part in raw.split("\r") if "\r" in raw else (raw,):
            if part:
                console.line(part[:LONGEST_PART], number)
                last = part
    console.flush_box()
    series = console.columns.series()
    if not series and console.stops.found is None:
        raise not_a_log(target.path, "no training metrics in this text")
    marks = console.conflicts
    damage = (Damage("merge conflict markers stand in the log", marks[0], len(marks)),) if marks else ()
    cut = Cut("the last line is cut", console.number) if _is_cut(last) else None
    return Reading(series, console.columns.odd, stop=console.stops.found, damage=damage, cut=cut)


def _is_cut(line: str) -> bool:
    """Whether the last line breaks off: a name without its value, or a dictionary that is not closed."""
    text = line.rstrip()
    return (text.endswith((":", "=")) and is_loss(text[-40:].strip(" :=|>"))) or (
        text.startswith("{'") and "}" not in text
    )


class _Plan(NamedTuple):
    """What to do with the lines of one template: where their numbers go, and whether a loss is among them."""

    template: Template
    block: Block | None
    loss: bool


class _Console:
    """What is known while reading: the step and epoch in force, the table, the box, whether it evaluates."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.stops = StopFinder()
        self.step = self.epoch = nan
        self.evaluating = self.trained = False
        self.table: Table | None = None
        self.box: list[tuple[_Plan, list[float], int]] | None = None
        self.conflicts: list[int] = []
        self.number = 0
        self._plans: dict[bool, dict[tuple[str, ...], _Plan]] = {False: {}, True: {}}
        self._wrapped: list[str] = []

    def line(self, text: str, number: int) -> None:
        """Take in one line."""
        self.number = number
        if "\x1b" in text:
            text = _ANSI.sub("", text)
        if self._wrapped or (text[:1] == "{" and "}" not in text and len(text) > 1):
            text = self._unwrap(text)
        parts = split_numbers(text)
        if len(parts) == 1:
            self._words(text, number)
        elif self.table is None or not self._table_row(text, number):
            self._numbers(parts, number, text)

    def _unwrap(self, text: str) -> str:
        """The dictionary that the terminal broke, put together again; empty while it is not closed."""
        self._wrapped.append(text)
        if "}" not in text and len(self._wrapped) < MOST_WRAPPED:
            return ""
        whole, self._wrapped = "".join(self._wrapped), []
        return whole[:LONGEST_PART]

    def _words(self, text: str, number: int) -> None:
        """A line without a number: a header, a rule, the heading of a phase, or part of an error."""
        said = wording(text)
        if said.error:
            self.stops.see(text, number, trained=self.trained)
        if said.rule:
            self.flush_box()
            self.box = []
        elif said.table is not None:
            self.table = said.table
        elif said.evaluating is not None:
            self.evaluating = said.evaluating

    def _table_row(self, text: str, number: int) -> bool:
        """Whether the line was a row of the table in force."""
        assert self.table is not None
        found = self.table.row(text)
        if found is None:
            return False
        named = dict(found)
        step = next((named[key] for key in named if key in STEP_KEYS or key.lower() in {"step", "iter"}), nan)
        epoch = next((named[key] for key in named if key in EPOCH_KEYS or key.lower() in {"epoch", "#epoch"}), nan)
        self._row(number, step, epoch, found)
        return True

    def _numbers(self, parts: list[str], number: int, text: str) -> None:
        texts = tuple(parts[::2])
        plan = self._plans[self.evaluating].get(texts) or self._new_plan(texts)
        shape = plan.template
        if shape.error:
            self.stops.see(text, number, trained=self.trained)
        if self.box is not None:
            if shape.boxed:
                self._boxed(parts, plan, number)
                return
            self.flush_box()
            self.box = None
        if not shape.names:
            self._without_names(parts, shape, number, text)
            return
        step, epoch = self._step_and_epoch(parts, shape)
        if plan.block is not None:
            try:
                values = [float(parts[index]) for index in shape.values]
            except ValueError:  # thousands with commas
                values = [value_of(parts[index]) for index in shape.values]
            plan.block.flat.extend((step, epoch, *values))
            plan.block.places.append(number)
        if plan.loss:
            self._progressed()

    def _new_plan(self, texts: tuple[str, ...]) -> _Plan:
        shape = template(texts)
        names = [self._called(name) for name in shape.names]
        block = self.columns.block((STEP, EPOCH, *names), 0, 1) if names else None
        plan = _Plan(shape, block, any(map(is_loss, names)))
        plans = self._plans[self.evaluating]
        if len(plans) < MOST_TEMPLATES:
            plans[texts] = plan
        return plan

    def _step_and_epoch(self, parts: list[str], shape: Template) -> tuple[float, float]:
        """Those of the line; for a line with neither, those in force."""
        if shape.step < 0 and shape.epoch < 0:
            return self.step, self.epoch
        step = value_of(parts[shape.step]) if shape.step >= 0 else nan
        epoch = value_of(parts[shape.epoch]) if shape.epoch >= 0 else nan
        if epoch == epoch:  # noqa: PLR0124 - NaN is not itself
            self.epoch = epoch
        if step == step:  # noqa: PLR0124 - NaN is not itself
            self.step, epoch = step, self.epoch
            self.evaluating = False
        return step, epoch

    def _progressed(self) -> None:
        if not self.trained or self.stops.found is not None:
            self.trained = True
            self.stops.went_on()

    def _called(self, name: str) -> str:
        return f"val {name}" if self.evaluating and is_loss(name) and not is_eval(name) else name

    def _without_names(self, parts: list[str], shape: Template, number: int, text: str) -> None:
        """A row without a header, or a line that names a step or an epoch, which holds for the lines below."""
        if found := list(headerless(text)):
            self._row(number, nan, nan, found)
            return
        if shape.step < 0 and shape.epoch < 0:
            return
        if shape.step >= 0:
            self.step = value_of(parts[shape.step])
        if shape.epoch >= 0:
            self.epoch = value_of(parts[shape.epoch])
        self.evaluating = False

    def _row(self, number: int, step: float, epoch: float, found: list[tuple[str, float]]) -> None:
        self.columns.add(number, [(self._called(name), value) for name, value in found], step, epoch)
        if any(is_loss(name) for name, _ in found):
            self._progressed()

    def _boxed(self, parts: list[str], plan: _Plan, number: int) -> None:
        assert self.box is not None
        if plan.template.step >= 0:
            self.step = value_of(parts[plan.template.step])
        elif plan.block is not None:
            self.box.append((plan, [value_of(parts[index]) for index in plan.template.values], number))

    def flush_box(self) -> None:
        """The box is complete, so its step is known: its rows take it."""
        for plan, values, number in self.box or ():
            assert plan.block is not None
            plan.block.flat.extend((self.step, self.epoch, *values))
            plan.block.places.append(number)
            if plan.loss:
                self._progressed()
        self.box = []


class _Wording(NamedTuple):
    """What a line without numbers says; `evaluating` is None where it is no heading of a phase."""

    rule: bool = False
    table: Table | None = None
    evaluating: bool | None = None
    error: bool = False


@lru_cache(maxsize=4096)
def wording(text: str) -> _Wording:
    """What a line without numbers says."""
    error = any(sign in text for sign in SIGNS)
    if _RULE.fullmatch(text):
        return _Wording(rule=True)
    opened = header(text)
    if opened is not None:
        return _Wording(table=opened)
    found = _HEADING.search(text) if len(text) <= LONGEST_HEADING else None
    return _Wording(evaluating=None if found is None else found[1] is not None, error=error)
