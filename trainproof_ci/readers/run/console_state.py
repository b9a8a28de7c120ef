"""The state of reading console text: the step in force, the table, the box, and a plan for each kind of line."""

import re
from math import nan

from trainproof_ci.readers.run.columns import EPOCH, STEP, Columns
from trainproof_ci.readers.run.console_lines import (
    MOST_TEMPLATES,
    Template,
    fitting,
    pattern_of,
    split_numbers,
    template,
    value_of,
)
from trainproof_ci.readers.run.console_plan import Plan
from trainproof_ci.readers.run.console_tables import Table, headerless
from trainproof_ci.readers.run.console_words import wording
from trainproof_ci.readers.run.stops import StopFinder
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS, in_phase, is_loss
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

OFTEN = 50
"""Uses from which on a template is worth a pattern of its own."""
LONGEST_PART = 4096
"""Characters of a line, or of one redraw of a progress bar, that are looked at."""
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_GLUED = re.compile(r"[Ee](?:p(?:och)?)?(?=\d+/\d)")
"""`E 99/500`, and on the next line `E100/500`."""
MOST_WRAPPED = 4
"""A dictionary broken over more lines than this was not broken by the width of a terminal."""


class Console:
    """What is known while reading: the step and epoch in force, the table, the box, whether it evaluates."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.stops = StopFinder()
        self.step = self.epoch = nan
        self.evaluating = self.trained = False
        self.table: Table | None = None
        self.box: list[tuple[Plan, list[float], int]] | None = None
        self.conflicts: list[int] = []
        self.number = 0
        self._plans: dict[bool, dict[tuple[str, ...], Plan]] = {False: {}, True: {}}
        self._last: Plan | None = None
        self._worded: set[str] = set()
        self.wrapped: list[str] = []

    def line(self, text: str, number: int) -> None:
        """Take in one line."""
        self.number = number
        if "\x1b" in text:
            text = ANSI.sub("", text)
        if self.wrapped or (text[:1] == "{" and "}" not in text and len(text) > 1):
            text = self._unwrap(text)
        if self.stops.found is not None and self.stops.is_told(text):
            self._see(text, number)
            return
        if text in self._worded:
            self._words(text, number)
            return
        if self.table is None and self._expected(text, number):
            return
        parts = split_numbers(text)
        if len(parts) == 1:
            if len(self._worded) < MOST_TEMPLATES:
                self._worded.add(text)
            self._words(text, number)
        elif self.table is None or not self._table_row(text, number):
            self._numbers(parts, number, text)

    def _unwrap(self, text: str) -> str:
        """The dictionary that the terminal broke, put together again; empty while it is not closed."""
        self.wrapped.append(text)
        if "}" not in text and len(self.wrapped) < MOST_WRAPPED:
            return ""
        whole, self.wrapped = "".join(self.wrapped), []
        return whole[:LONGEST_PART]

    def _words(self, text: str, number: int) -> None:
        """A line without a number: a header, a rule, the heading of a phase, or part of an error."""
        said = wording(text)
        self._odd(said.odd, number)
        if said.error:
            self._see(text, number)
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
        plan = self._plans[self.evaluating].get(texts)
        if plan is None and (glued := _GLUED.match(text)) is not None:
            text = f"{glued[0]} {text[glued.end() :]}"
            parts = split_numbers(text)
            texts = tuple(parts[::2])
            plan = self._plans[self.evaluating].get(texts)
        if plan is None or plan.template.counts:
            shape = fitting(plan.template if plan is not None else template(texts), parts)
            plan = plan if plan is not None and shape is plan.template else self._new_plan(texts, shape)
        shape = plan.template
        self._remember(plan, texts)
        self._odd(shape.odd, number)
        if shape.error:
            self._see(text, number)
            if self.stops.latest == number:  # what an error says is no training
                return
        self._take(plan, parts, number, text)

    def _expected(self, text: str, number: int) -> bool:
        """Whether the line was one of the plan that is expected next."""
        plan = self._last.next if self._last is not None else None
        found = (
            plan.pattern.fullmatch(text)
            if plan is not None and plan.pattern is not None and not self.evaluating
            else None
        )
        if found is None or plan is None:
            return False
        self._last = plan
        self._take(plan, found.groups(), number, text)
        return True

    def _remember(self, plan: Plan, texts: tuple[str, ...]) -> None:
        plan.uses += 1
        special = plan.template.error or plan.template.odd or self.evaluating
        if plan.uses == OFTEN and plan.template.names and not special:
            plan.pattern = pattern_of(texts, plan.template.counts)
        if self._last is not None:
            self._last.next = plan
        self._last = plan

    def _take(self, plan: Plan, parts: "Sequence[str]", number: int, text: str) -> None:
        """The numbers of a line to where they belong."""
        shape = plan.template
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
            self.progressed()

    def _new_plan(self, texts: tuple[str, ...], shape: Template) -> Plan:
        names = [self._called(name) for name in shape.names]
        block = self.columns.block((STEP, EPOCH, *names), 0, 1) if names else None
        plan = Plan(shape, block, loss=any(map(is_loss, names)))
        plans = self._plans[self.evaluating]
        if len(plans) < MOST_TEMPLATES:
            plans[texts] = plan
        return plan

    def _step_and_epoch(self, parts: "Sequence[str]", shape: Template) -> tuple[float, float]:
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

    def _see(self, text: str, number: int) -> None:
        self.stops.see(text, number, trained=self.trained, at=(self.step, self.epoch))

    def progressed(self, times: int = 1) -> None:
        """A loss was logged, so many times."""
        self.trained = True
        if self.stops.found is not None:
            self.stops.progress(self.step, self.epoch, times)

    def _odd(self, names: tuple[str, ...], number: int) -> None:
        """Count the words in place of losses, of which numbers stood before."""
        for name in map(self._called, names):
            if self.columns.has(name):
                self.columns.add_odd(name, number)

    def _called(self, name: str) -> str:
        return in_phase(name, "val") if self.evaluating else name

    def _without_names(self, parts: "Sequence[str]", shape: Template, number: int, text: str) -> None:
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
            self.progressed()

    def _boxed(self, parts: "Sequence[str]", plan: Plan, number: int) -> None:
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
                self.progressed()
        self.box = []
