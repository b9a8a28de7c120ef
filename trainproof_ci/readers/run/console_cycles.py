"""Lines that a console log repeats, one or several at a time: learnt from three repetitions, then taken many at once."""

import re
from array import array
from itertools import chain, islice
from math import nan

from trainproof_ci.readers.run.alike import Run, count_on, run_of
from trainproof_ci.readers.run.columns import EPOCH, STEP
from trainproof_ci.readers.run.console_lesson import CARRIED, NONE, Cycle, Lesson, Unfit
from trainproof_ci.readers.run.console_lines import split_numbers
from trainproof_ci.readers.run.console_state import ANSI
from trainproof_ci.readers.run.vocabulary import is_loss
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.readers.run.console_state import Console

MOST_PIECES = 24
"""Lines of the longest cycle that is looked for."""
WINDOW = 1 << 16
"""Characters that the pattern of a cycle is held against at once."""
MOST_ESCAPES = 16
"""Different ANSI sequences that are taken out one after the other, which is faster than by a pattern."""
ENOUGH = 8
"""Repetitions that make a cycle worth another look; after fewer, some lines are read one by one."""
MOST_CYCLES = 512
_PIECE = re.compile(r"[^\r\n]*[\r\n]")


class Cycles:
    """Takes repeated lines off a log and adds their numbers to the columns of `console`."""

    def __init__(self, console: "Console") -> None:
        self.console = console
        self._cycle: Cycle | None = None
        self._learnt: dict[tuple[tuple[tuple[str, ...], ...], bool], Cycle | None] = {}
        self._escapes: list[str] = []
        self._wait = self._penalty = 0

    def take(self, text: str, at: int, number: int) -> tuple[int, int]:
        """Take lines from `at` on, the first of which has that number. Returns where they ended, and the LF in them."""
        console = self.console
        if self._wait:
            self._wait -= 1
            return at, 0
        if console.table is not None or console.evaluating or console.box or console.wrapped:
            return at, 0
        if self._cycle is None or self._cycle.boxed != (console.box is not None):
            self._wait = self._learn([found[0] for found in islice(_PIECE.finditer(text, at), 3 * MOST_PIECES)])
            if self._cycle is None or self._wait:
                self._wait = max(self._wait - 1, 0)
                return at, 0
        cycle = self._cycle
        times, at = self._repeat(cycle, text, at, number)
        if times < ENOUGH:
            self._cycle = None
        self._penalty = 0 if times >= ENOUGH else min(2 * self._penalty + 1, 4096)
        self._wait = self._penalty
        return at, times * cycle.lines

    def _repeat(self, cycle: Cycle, text: str, at: int, number: int) -> tuple[int, int]:
        """How many repetitions of the cycle begin at `at`, and where they end; their numbers are added."""
        times = 0
        while True:
            end = max(text.rfind("\n", at, at + WINDOW), text.rfind("\r", at, at + WINDOW)) + 1
            raw = text[at:end]
            window = self._plain(raw) if "\x1b" in raw else raw
            if not raw or cycle.pattern.match(window) is None:
                return times, at
            found = run_of(cycle.pattern, window)
            if not self._add(cycle, found, number + times * cycle.lines):
                return times, at
            times += found.times
            rest = raw.count("\n") + raw.count("\r") - found.times * cycle.pieces
            at = _before(text, end, rest) if window is not raw else at + found.length
            if rest >= cycle.pieces:
                return times, at

    def _plain(self, text: str) -> str:
        """The text without ANSI sequences; as it is where some reach over a line."""
        if "\x1b]" in text:
            return text
        if sum(map(text.count, self._escapes)) < text.count("\x1b"):
            self._escapes = sorted({*self._escapes, *ANSI.findall(text)})[:MOST_ESCAPES]
            return ANSI.sub("", text)
        for escape in self._escapes:
            text = text.replace(escape, "")
        return text

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
            lesson = Lesson(boxed=boxed)
            try:
                for piece in pieces:
                    lesson.see(piece)
                self._learnt[key] = lesson.cycle(len(pieces), boxed=boxed)
            except Unfit:
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
                places = (count_on(number + row.line, cycle.lines, times) for row in rows)
                block.extend(list(map(_woven, *columns)), _woven(*places))
        console.step, console.epoch = steps[cycle.step][-1], epochs[cycle.epoch][-1]
        if any(is_loss(name) for row in cycle.rows for name in row.names):
            console.progressed(times)
        console.number = number + times * cycle.lines - 1 if cycle.lines else number
        return True


def _before(text: str, end: int, pieces: int) -> int:
    """Where the last so many lines, or redraws, in front of `end` begin."""
    for _ in range(pieces + 1):
        end = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end))
    return end + 1


def _woven(*parts: "Sequence[float]") -> "Sequence[Any]":
    """The first of each part, the second of each, and so on: rows of one shape stay in the order of the lines."""
    return parts[0] if len(parts) == 1 else list(chain.from_iterable(zip(*parts, strict=True)))


def _form(piece: str) -> tuple[str, ...]:
    """The texts of a line between its numbers, however many spaces there are."""
    return tuple(re.sub(" +", " ", text) for text in split_numbers(ANSI.sub("", piece))[::2])
