"""Lines that a console log repeats, one or several at a time: learnt from three repetitions, then taken many at once."""

import re
from array import array
from itertools import chain
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from trainproof_ci.readers.run.alike import Run, run_of
from trainproof_ci.readers.run.columns import EPOCH, STEP
from trainproof_ci.readers.run.console_lines import split_numbers, template
from trainproof_ci.readers.run.console_state import ANSI, LONGEST_PART
from trainproof_ci.readers.run.console_tables import headerless
from trainproof_ci.readers.run.console_words import wording
from trainproof_ci.readers.run.lines import CONFLICT_MARKS
from trainproof_ci.readers.run.vocabulary import is_loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.readers.run.console_lines import Template
    from trainproof_ci.readers.run.console_state import Console

MOST_PIECES = 24
"""Lines of the longest cycle that is looked for."""
WINDOW = 1024
"""Lines that the pattern of a cycle is held against at once."""
ENOUGH = 8
"""Repetitions that make a cycle worth another look; after fewer, some lines are read one by one."""
MOST_CYCLES = 512
CARRIED, NONE = -1, -2
"""Where the step of a row comes from, if not from a number of the cycle: from the lines before it, or from nowhere."""
_SPACES = re.compile(r"(?:\\ )+")
_PLAIN = r"[-+]?[\d.]+"
_NUMBER = rf"{_PLAIN}(?:[eE][-+]?\d+)?"
_UNCLEAR = re.compile(r"[\d.eE]")
"""What might go on a number: were it to stand behind one, there would be several ways to divide the line."""


class Row(NamedTuple):
    """Numbers of a cycle that belong together, by their indices; `line` counts from the cycle's first."""

    names: tuple[str, ...]
    values: tuple[int, ...]
    step: int
    epoch: int
    line: int


class Cycle(NamedTuple):
    """A pattern for all lines of a cycle; `groups` says which of its groups holds the number of an index."""

    pattern: "re.Pattern[str]"
    groups: dict[int, int]
    rows: tuple[Row, ...]
    step: int
    epoch: int
    pieces: int
    lines: int
    boxed: bool


class _Unfit(Exception):  # noqa: N818 - no error, but what a cycle is not
    """These lines do more than give numbers."""


class _Lesson:
    """Follows the lines of a cycle as `Console` would, with the indices of the numbers in place of their values."""

    def __init__(self, *, boxed: bool) -> None:
        self.step = self.epoch = CARRIED
        self.box: list[Row] | None = [] if boxed else None
        self.rows: list[Row] = []
        self.texts = [""]
        self.plain: list[bool] = []
        self.line = 0

    def see(self, piece: str) -> None:
        """One line with its end. Raises `_Unfit`."""
        text = ANSI.sub("", piece[:-1])
        if len(text) > LONGEST_PART // 2 or text.startswith(CONFLICT_MARKS) or (text[:1] == "{" and "}" not in text):
            raise _Unfit
        parts = split_numbers(text)
        index = len(self.texts) - 1
        self.texts[-1] += parts[0]
        self.texts += parts[2::2]
        self.plain += ("e" not in number and "E" not in number for number in parts[1::2])
        self.texts[-1] += piece[-1]
        if len(parts) > 1:
            self._numbers(text, template(tuple(parts[::2])), index)
        elif text:
            self._words(text)
        self.line += piece[-1] == "\n"

    def _words(self, text: str) -> None:
        said = wording(text)
        if said.error or said.odd or said.table is not None or said.evaluating:
            raise _Unfit
        if said.rule:
            self._flush()
            self.box = []

    def _numbers(self, text: str, shape: "Template", first: int) -> None:
        if shape.error or shape.odd:
            raise _Unfit
        values = tuple(first + at // 2 for at in shape.values)
        step, epoch = (first + at // 2 if at >= 0 else NONE for at in (shape.step, shape.epoch))
        if self.box is not None and shape.boxed:
            self.step = step if step >= 0 else self.step
            if step < 0 and shape.names:
                self.box.append(Row(shape.names, values, NONE, NONE, self.line))
            return
        self._flush()
        self.box = None
        if not shape.names and list(headerless(text)):
            raise _Unfit
        self.epoch = epoch if epoch >= 0 else self.epoch
        self.step = step if step >= 0 else self.step
        if shape.names:
            if step >= 0 or epoch < 0:
                step, epoch = self.step, self.epoch
            self.rows.append(Row(shape.names, values, step, epoch, self.line))

    def _flush(self) -> None:
        self.rows += [row._replace(step=self.step, epoch=self.epoch) for row in self.box or ()]

    def cycle(self, pieces: int, *, boxed: bool) -> Cycle:
        """What was learnt. Raises `_Unfit`."""
        late_step = self.step >= 0 and any(row.step == CARRIED for row in self.rows)
        late_epoch = self.epoch >= 0 and any(row.epoch == CARRIED for row in self.rows)
        unclear = any(_UNCLEAR.match(text) for text in self.texts[1:])
        if self.box or boxed != (self.box is not None) or late_step or late_epoch or unclear or not self.rows:
            raise _Unfit
        used = {self.step, self.epoch, *(at for row in self.rows for at in (*row.values, row.step, row.epoch))}
        wanted = sorted(at for at in used if at >= 0)
        shape = _SPACES.sub(" +", re.escape(self.texts[0]))
        for index, text in enumerate(self.texts[1:]):
            ignored = _PLAIN if self.plain[index] else _NUMBER
            shape += (f"({_NUMBER})" if index in used else ignored) + _SPACES.sub(" +", re.escape(text))
        pattern = re.compile(rf"(?<![^\r\n])({shape})")
        groups = {at: group for group, at in enumerate(wanted)}
        return Cycle(pattern, groups, tuple(self.rows), self.step, self.epoch, pieces, self.line, boxed)


class Cycles:
    """Takes repeated lines off a log and adds their numbers to the columns of `console`."""

    def __init__(self, console: "Console") -> None:
        self.console = console
        self._cycle: Cycle | None = None
        self._learnt: dict[tuple[tuple[tuple[str, ...], ...], bool], Cycle | None] = {}
        self._wait = self._penalty = 0

    def take(self, pieces: "Sequence[str]", at: int, number: int) -> tuple[int, int]:
        """How many of the lines from `at` on, the first of which has that number, were taken; and how many LF in them."""
        console = self.console
        if self._wait:
            self._wait -= 1
            return 0, 0
        if console.table is not None or console.evaluating or console.box or console.wrapped:
            return 0, 0
        if self._cycle is None or self._cycle.boxed != (console.box is not None):
            self._wait = self._learn(pieces[at : at + 3 * MOST_PIECES])
            if self._cycle is None or self._wait:
                self._wait = max(self._wait - 1, 0)
                return 0, 0
        cycle = self._cycle
        times = self._repeat(cycle, pieces, at, number)
        if times < ENOUGH:
            self._cycle = None
        self._penalty = 0 if times >= ENOUGH else min(2 * self._penalty + 1, 4096)
        self._wait = self._penalty
        return times * cycle.pieces, times * cycle.lines

    def _repeat(self, cycle: Cycle, pieces: "Sequence[str]", at: int, number: int) -> int:
        """How many repetitions of the cycle begin at `at`; their numbers are added."""
        times = 0
        while True:
            window = "".join(pieces[at : at + WINDOW])
            if "\x1b" in window:
                window = window if "\x1b]" in window else ANSI.sub("", window)
            if cycle.pattern.match(window) is None:
                return times
            found = run_of(cycle.pattern, window)
            if not self._add(cycle, found, number + times * cycle.lines):
                return times
            times += found.times
            at += found.times * cycle.pieces
            if (found.times + 1) * cycle.pieces <= WINDOW:
                return times

    def _learn(self, pieces: "Sequence[str]") -> int:
        """Look for the shortest cycle; returns the lines before it begins, or how many to wait where there is none."""
        forms: list[tuple[str, ...]] = []
        for size in range(1, len(pieces) // 3 + 1):
            forms += map(_form, pieces[len(forms) : 3 * size])
            once = forms[:size]
            if once != forms[size : 2 * size] or once != forms[2 * size :] or all(len(form) == 1 for form in once):
                continue
            for first in range(size):
                self._cycle = self._known(tuple(forms[first : first + size]), pieces[first : first + size])
                if self._cycle is not None:
                    return first
        self._penalty = min(2 * self._penalty + 1, 4096)
        return self._penalty

    def _known(self, forms: tuple[tuple[str, ...], ...], pieces: "Sequence[str]") -> Cycle | None:
        boxed = self.console.box is not None
        key = forms, boxed
        if key not in self._learnt and len(self._learnt) < MOST_CYCLES:
            lesson = _Lesson(boxed=boxed)
            try:
                for piece in pieces:
                    lesson.see(piece)
                self._learnt[key] = lesson.cycle(len(pieces), boxed=boxed)
            except _Unfit:
                self._learnt[key] = None
        return self._learnt.get(key)

    def _add(self, cycle: Cycle, found: Run, number: int) -> bool:
        """Whether all that was found are numbers, and so were added."""
        console, times = self.console, found.times
        try:
            numbers = {at: array("d", map(float, found.columns[group])) for at, group in cycle.groups.items()}
        except ValueError:
            return False
        steps = {CARRIED: array("d", [console.step]) * times, NONE: array("d", [nan]) * times, **numbers}
        epochs = {**steps, CARRIED: array("d", [console.epoch]) * times}
        for names in dict.fromkeys(row.names for row in cycle.rows):
            rows = [row for row in cycle.rows if row.names == names]
            block = console.columns.block((STEP, EPOCH, *names), 0, 1)
            if block is not None:
                columns = ([steps[row.step], epochs[row.epoch], *(numbers[at] for at in row.values)] for row in rows)
                places = ([number + row.line + cycle.lines * at for at in range(times)] for row in rows)
                block.extend(list(map(_woven, *columns)), _woven(*places))
            if any(map(is_loss, names)):
                console.progressed()
        console.step, console.epoch = steps[cycle.step][-1], epochs[cycle.epoch][-1]
        console.number = number + times * cycle.lines - 1 if cycle.lines else number
        return True


def _woven(*parts: "Sequence[float]") -> "Sequence[Any]":
    """The first of each part, the second of each, and so on: rows of one shape stay in the order of the lines."""
    return parts[0] if len(parts) == 1 else list(chain.from_iterable(zip(*parts, strict=True)))


def _form(piece: str) -> tuple[str, ...]:
    """The texts of a line between its numbers, however many spaces there are."""
    return tuple(re.sub(" +", " ", text) for text in split_numbers(ANSI.sub("", piece))[::2])
