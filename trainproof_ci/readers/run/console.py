"""Console text: dictionaries, `name: value` lines, progress bars, boxes and tables, whatever a trainer prints."""

import re
from typing import TYPE_CHECKING

from trainproof_ci.readers.run.console_cycles import Cycles
from trainproof_ci.readers.run.console_names import looks_like_training
from trainproof_ci.readers.run.console_state import LONGEST_PART, Console
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, blocks_of
from trainproof_ci.readers.run.vocabulary import is_loss

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source


_PIECE = re.compile(r"[^\r\n]*[\r\n]")


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
    cycles, number, last = Cycles(console), 1, ""
    for block in blocks_of(source):
        pieces = _PIECE.findall(block + "\n") if "\r" in block else [line + "\n" for line in block.split("\n")]
        at = 0
        while at < len(pieces):
            taken, lines = cycles.take(pieces, at, number)
            if taken:
                at, number = at + taken, number + lines
                last = next(filter(None, (piece[:-1] for piece in reversed(pieces[at - taken : at]))), last)
                continue
            piece = pieces[at]
            if piece.startswith(CONFLICT_MARKS) and (at == 0 or pieces[at - 1][-1] == "\n"):
                console.conflicts.append(number)
            if len(piece) > 1:
                console.line(piece[: min(len(piece) - 1, LONGEST_PART)], number)
                last = piece[:-1]
            at, number = at + 1, number + (piece[-1] == "\n")
    return last


def _is_cut(line: str) -> bool:
    """Whether the last line breaks off: a name without its value, or a dictionary that is not closed."""
    text = line.rstrip()
    return (text.endswith((":", "=")) and is_loss(text[-40:].strip(" :=|>"))) or (
        text.startswith("{'") and "}" not in text
    )
