"""Console text: dictionaries, `name: value` lines, progress bars, boxes and tables, whatever a trainer prints."""

from typing import TYPE_CHECKING

from trainproof_ci.readers.run.console_names import looks_like_training
from trainproof_ci.readers.run.console_state import LONGEST_PART, Console
from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, lines_of
from trainproof_ci.readers.run.vocabulary import is_loss

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source


def recognise(head: "Head") -> bool:
    """Text in which a loss is printed again and again, or whose name says training log."""
    return looks_like_training(head)


def read(source: "Source", target: "Target") -> Reading:
    """Read line after line; each part of a line that a carriage return overwrites counts as a line of its own."""
    console = Console()
    last = ""
    for number, raw in enumerate(lines_of(source), 1):
        if raw.startswith(CONFLICT_MARKS):
            console.conflicts.append(number)
        for part in raw.split("\r") if "\r" in raw else (raw,):
            if part:
                console.line(part[:LONGEST_PART], number)
                last = part
    console.flush_box()
    series, stop = console.columns.series(), console.stops.at_end(console.number)
    if not series and stop is None:
        raise not_a_log(target.path, "no training metrics in this text")
    marks = console.conflicts
    damage = (Damage("merge conflict markers stand in the log", marks[0], len(marks)),) if marks else ()
    cut = Cut("the last line is cut", console.number) if _is_cut(last) else None
    return Reading(series, console.columns.odd, stop=stop, damage=damage, cut=cut)


def _is_cut(line: str) -> bool:
    """Whether the last line breaks off: a name without its value, or a dictionary that is not closed."""
    text = line.rstrip()
    return (text.endswith((":", "=")) and is_loss(text[-40:].strip(" :=|>"))) or (
        text.startswith("{'") and "}" not in text
    )
