"""Parallel texts: sides of another length, or empty."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired


@rule("TP-PAR-COUNT", Severity.FAIL, needs=("parallel",))
def other_count(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The sides of a parallel text have different numbers of lines.

    Why: line i of one side is the translation of line i of the other; from the first missing line on every pair is
    wrong, and nothing raises.
    Fix: align the sides again. A reader that also splits at U+2028 or U+0085 makes this fault in sound files.
    """
    yield from fired(data, "par-count", "the sides have different numbers of lines", "{first}", "as many on each side")


@rule("TP-PAR-EMPTY", Severity.WARN, needs=("parallel",))
def empty_side(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A line is empty on one side only.

    Why: the model learns to translate a sentence into nothing, or nothing into a sentence.
    Fix: remove the line on every side.
    """
    yield from fired(data, "par-empty", "a line is empty on one side only", "{n} lines", "text on every side")


@rule("TP-LINE-UNICODE-BREAK", Severity.WARN, needs=("parallel",))
def unicode_break(data: Survey, limits: Limits) -> Iterator[Firing]:
    r"""A line of plain text holds a character that some readers take for a line end.

    Why: `str.splitlines()` and some tokenizers split at U+2028, U+2029, U+0085, VT, FF and the separators; the sides
    then shift against each other.
    Fix: replace the character by a space. In JSON these characters are ordinary and do not fire.
    """
    yield from fired(data, "unicode-break", "a character that some readers take for a line end", "{n} lines", "0")
