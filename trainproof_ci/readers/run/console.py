"""Console text: dictionaries, `name: value` lines, progress bars, boxes and tables, whatever a trainer prints."""

import re

from trainproof_ci.readers.run.console_cycles import Cycles
from trainproof_ci.readers.run.console_names import looks_like_training
from trainproof_ci.readers.run.console_state import LONGEST_PART, Console
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, redraws_of
from trainproof_ci.readers.run.vocabulary import is_loss
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source


_ENDS = re.compile(r"[\r\n]")
MOST_OF_A_CYCLE = 2 * LONGEST_PART
"""Characters at the end of a repeated cycle that hold its last line."""


_DECIMAL_COMMA = re.compile(r"loss['\"]?\s*[:=]?\s*0,\d")
"""A loss below 1 with a comma; above, it could stand between thousands."""
_COMMA = re.compile(r"(?<![\d.,])(\d+),(\d+)(?![\d.,])")


def recognise(head: "Head") -> bool:
    """Text in which a loss is printed again and again, or whose name says training log."""
    return looks_like_training(head)


def read(source: "Source", target: "Target") -> Reading:
    """Read line after line; each part of a line that a carriage return overwrites counts as a line of its own."""
    console = Console()
    last = _read(source, console)
    console.flush_box()
    series, stop = console.columns.series(), console.stops.at_end(console.number)
    if not series and stop is None:
        raise not_a_log(target.path, "no training metrics in this text")
    marks = console.conflicts
    damage = (Damage("merge conflict markers stand in the log", marks[0], len(marks)),) if marks else ()
    cut = Cut("the last line is cut", console.number) if _is_cut(last) else None
    return Reading(series, console.columns.odd, stop=stop, damage=damage, cut=cut)


def _read(source: "Source", console: Console) -> str:
    """Let the console take in every line; returns the last one that is not empty."""
    cycles, number, last, begins, commas = Cycles(console), 1, "", True, None
    for text in redraws_of(source):
        commas = _DECIMAL_COMMA.search(text) is not None if commas is None else commas
        text = _COMMA.sub(r"\1.\2", text) if commas else text  # noqa: PLW2901 - the same text as others write it
        at = 0
        while at < len(text):
            end, lines = cycles.take(text, at, number)
            if end > at:
                last = next(filter(None, reversed(_ENDS.split(text[max(at, end - MOST_OF_A_CYCLE) : end]))), last)
            else:
                end = _end_of_piece(text, at)
                lines = text[end - 1] == "\n"
                if begins and text.startswith(CONFLICT_MARKS, at):
                    console.conflicts.append(number)
                if end - at > 1:
                    console.line(text[at : min(end - 1, at + LONGEST_PART)], number)
                    last = text[at : end - 1]
            begins = text[end - 1] == "\n"
            at, number = end, number + lines
    return last


def _end_of_piece(text: str, at: int) -> int:
    """Where the line, or the redraw of a progress bar, that begins at `at` has ended."""
    end = text.find("\n", at) + 1 or len(text)
    return text.find("\r", at, end) + 1 or end


def _is_cut(line: str) -> bool:
    """Whether the last line breaks off: a name without its value, or a dictionary that is not closed."""
    text = line.rstrip()
    return (text.endswith((":", "=")) and is_loss(text[-40:].strip(" :=|>"))) or (
        text.startswith("{'") and "}" not in text
    )
