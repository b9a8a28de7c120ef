"""What the lines of a cycle say: which numbers belong together, and a pattern that finds them in every repetition."""

import re

from trainproof_ci.readers.run.console_lines import split_numbers, template_of
from trainproof_ci.readers.run.console_state import ANSI, LONGEST_PART
from trainproof_ci.readers.run.console_tables import headerless
from trainproof_ci.readers.run.console_words import wording
from trainproof_ci.readers.run.lines import CONFLICT_MARKS
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.run.console_lines import Template

CARRIED, NONE = -1, -2
"""Where the step of a row comes from, if not from a number of the cycle: from the lines before it, or from nowhere."""
_SPACES = re.compile(r"(?:\\ )+")
_PLAIN = r"[-+]?[\d.]+"
_NUMBER = rf"{_PLAIN}(?:[eE][-+]?\d+)?"
_WHOLE = r"\d+"
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


class Unfit(Exception):  # noqa: N818 - no error, but what a cycle is not
    """These lines do more than give numbers."""


class Lesson:
    """Follows the lines of a cycle as `Console` would, with the indices of the numbers in place of their values."""

    def __init__(self, *, boxed: bool) -> None:
        self.step = self.epoch = CARRIED
        self.box: list[Row] | None = [] if boxed else None
        self.rows: list[Row] = []
        self.texts = [""]
        self.alike: list[str] = []
        self.line = 0

    def see(self, piece: str) -> None:
        """One line with its end. Raises `Unfit`."""
        text = ANSI.sub("", piece[:-1])
        if len(text) > LONGEST_PART // 2 or text.startswith(CONFLICT_MARKS) or (text[:1] == "{" and "}" not in text):
            raise Unfit
        parts = split_numbers(text)
        index = len(self.texts) - 1
        self.texts[-1] += parts[0]
        self.texts += parts[2::2]
        self.texts[-1] += piece[-1]
        if len(parts) > 1:
            shape = template_of(parts)
            self.alike += (_like(number, whole=at in shape.counts) for at, number in enumerate(parts) if at % 2)
            self._numbers(text, shape, index)
        elif text:
            self._words(text)
        self.line += piece[-1] == "\n"

    def _words(self, text: str) -> None:
        said = wording(text)
        if said.error or said.odd or said.table is not None or said.evaluating:
            raise Unfit
        if said.rule:
            self._flush()
            self.box = []

    def _numbers(self, text: str, shape: "Template", first: int) -> None:
        if shape.error or shape.odd:
            raise Unfit
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
            raise Unfit
        self.epoch = epoch if epoch >= 0 else self.epoch
        self.step = step if step >= 0 else self.step
        if shape.names:
            if step >= 0 or epoch < 0:
                step, epoch = self.step, self.epoch
            self.rows.append(Row(shape.names, values, step, epoch, self.line))

    def _flush(self) -> None:
        self.rows += [row._replace(step=self.step, epoch=self.epoch) for row in self.box or ()]

    def cycle(self, pieces: int, *, boxed: bool) -> Cycle:
        """What was learnt. Raises `Unfit`."""
        late_step = self.step >= 0 and any(row.step == CARRIED for row in self.rows)
        late_epoch = self.epoch >= 0 and any(row.epoch == CARRIED for row in self.rows)
        unclear = any(_UNCLEAR.match(text) for text in self.texts[1:])
        if self.box or boxed != (self.box is not None) or late_step or late_epoch or unclear or not self.rows:
            raise Unfit
        used = {self.step, self.epoch, *(at for row in self.rows for at in (*row.values, row.step, row.epoch))}
        wanted = sorted(at for at in used if at >= 0)
        shape = _SPACES.sub(" +", re.escape(self.texts[0]))
        for index, text in enumerate(self.texts[1:]):
            alike = _NUMBER if index in used and self.alike[index] is not _WHOLE else self.alike[index]
            shape += (f"({alike})" if index in used else alike) + _SPACES.sub(" +", re.escape(text))
        pattern = re.compile(rf"(?<![^\r\n])({shape})")
        groups = {at: group for group, at in enumerate(wanted)}
        return Cycle(pattern, groups, tuple(self.rows), self.step, self.epoch, pieces, self.line, boxed)


def _like(number: str, *, whole: bool) -> str:
    """The pattern of numbers like this one."""
    return _WHOLE if whole else _NUMBER if "e" in number or "E" in number else _PLAIN
