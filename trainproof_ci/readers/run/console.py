"""Console text: dictionaries, `name: value` lines, progress bars, boxes and tables, whatever a trainer prints."""

import re
from math import isnan, nan
from typing import TYPE_CHECKING

from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.console_lines import NUMBERS, Template, template, value_of
from trainproof_ci.readers.run.console_names import looks_like_training
from trainproof_ci.readers.run.console_tables import Table, header, headerless
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, lines_of
from trainproof_ci.readers.run.stops import SIGNS, StopFinder
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS, is_eval, is_loss

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

LONGEST_PART = 4096
"""Characters of a line, or of one redraw of a progress bar, that are looked at."""
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_RULE = re.compile(r"[\s|+:=]*[-─━═]{4,}[\s|+:=\-─━═┼┬┴]*")
_HEADING = re.compile(
    r"(?<![\w/])(?:(eval|evaluation|evaluating|validation|validating|validate|valid|test|testing)|(train|training))(?![\w/])",
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


class _Console:
    """What is known while reading: the step and epoch in force, the table, the box, whether it evaluates."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.stops = StopFinder()
        self.step = self.epoch = nan
        self.evaluating = self.trained = False
        self.table: Table | None = None
        self.box: list[tuple[int, list[tuple[str, float]]]] | None = None
        self.conflicts: list[int] = []
        self.number = 0
        self._wrapped: list[str] = []
        self._wrapped_at = 0

    def line(self, text: str, number: int) -> None:
        """Take in one line."""
        self.number = number
        if "\x1b" in text:
            text = _ANSI.sub("", text)
        if self._wrapped:
            text, number = self._unwrap(text)
            if not text:
                return
        elif text.startswith(("{'", '{"')) and "}" not in text:
            self._wrapped, self._wrapped_at = [text], number
            return
        if any(sign in text for sign in SIGNS):
            self.stops.see(text, number, trained=self.trained)
        parts = NUMBERS.split(text)
        if len(parts) == 1:
            self._words(text)
        elif self.table is None or not self._table_row(text, number):
            self._numbers(parts, number, text)

    def _unwrap(self, text: str) -> tuple[str, int]:
        """The dictionary that the terminal broke, put together again; empty while it is not closed."""
        self._wrapped.append(text)
        if "}" not in text and len(self._wrapped) < MOST_WRAPPED:
            return "", 0
        whole, self._wrapped = "".join(self._wrapped), []
        return whole[:LONGEST_PART], self._wrapped_at

    def _words(self, text: str) -> None:
        """A line without a number: a header, a rule, or the heading of a phase."""
        if _RULE.fullmatch(text):
            self.flush_box()
            self.box = []
            return
        opened = header(text)
        if opened is not None:
            self.table = opened
        elif len(text) <= LONGEST_HEADING:
            found = _HEADING.search(text)
            if found is not None:
                self.evaluating = found[1] is not None

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
        shape = template(tuple(parts[::2]))
        if self.box is not None:
            if shape.boxed:
                self._boxed(parts, shape, number)
                return
            self.flush_box()
            self.box = None
        if not shape.names:
            if found := list(headerless(text)):
                self._row(number, nan, nan, found)
                return
            self._in_force(parts, shape)
            return
        step = value_of(parts[2 * shape.step + 1]) if shape.step >= 0 else nan
        epoch = value_of(parts[2 * shape.epoch + 1]) if shape.epoch >= 0 else nan
        if shape.step >= 0 or shape.epoch >= 0:
            if not isnan(epoch):
                self.epoch = epoch
            if not isnan(step):
                self.step, epoch = step, self.epoch
                self.evaluating = False
        else:
            step, epoch = self.step, self.epoch
        columns = self.columns
        columns.row(number, step, epoch)
        for index, name in shape.names:
            columns.add(self._called(name), value_of(parts[2 * index + 1]))
        self._progressed(name for _, name in shape.names)

    def _progressed(self, names: "Iterable[str]") -> None:
        if (self.stops.found is not None or not self.trained) and any(is_loss(name) for name in names):
            self.trained = True
            self.stops.went_on()

    def _called(self, name: str) -> str:
        return f"val {name}" if self.evaluating and is_loss(name) and not is_eval(name) else name

    def _in_force(self, parts: list[str], shape: Template) -> None:
        """A line that names a step or an epoch and nothing else: it holds for the lines below."""
        if shape.step >= 0:
            self.step = value_of(parts[2 * shape.step + 1])
        if shape.epoch >= 0:
            self.epoch = value_of(parts[2 * shape.epoch + 1])
        if shape.step >= 0 or shape.epoch >= 0:
            self.evaluating = False

    def _row(self, number: int, step: float, epoch: float, found: list[tuple[str, float]]) -> None:
        self.columns.row(number, step, epoch)
        for name, value in found:
            self.columns.add(self._called(name), value)
        self._progressed(name for name, _ in found)

    def _boxed(self, parts: list[str], shape: Template, number: int) -> None:
        assert self.box is not None
        if shape.step >= 0:
            self.step = value_of(parts[2 * shape.step + 1])
        self.box.append((number, [(name, value_of(parts[2 * index + 1])) for index, name in shape.names]))

    def flush_box(self) -> None:
        """The box is complete, so its step is known: its rows take it."""
        for number, found in self.box or ():
            self._row(number, self.step, self.epoch, found)
        self.box = []
