"""A JSON document as a text that is walked entry by entry, with the line of each."""

import json
import re
from collections.abc import Callable, Iterator

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.run.encodings import decoded
from trainproof_ci.readers.run.facts import Cut, Damage
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.readers.source import Source

LARGEST = 64 << 20
"""Bytes of a JSON document that is held in memory; larger logs are JSON Lines."""
_JSON_FOR = {"nan": "NaN", "inf": "Infinity", "None": "null", "True": "true", "False": "false"}
_WORD = re.compile(r"(?<![\w\"'.])(?:nan|inf|None|True|False)(?![\w\"'])")
_PRINTED = re.compile(r"\s*(?:\[\s*(?:\{\s*)?'|\{\s*'[^']{1,64}'\s*:\s*\[)")
"""How a list, or a dictionary of lists, begins; a dictionary of numbers is a line that a trainer prints."""
_scan = json.scanner.make_scanner(json.JSONDecoder(parse_int=float))  # type: ignore[attr-defined]
"""Integers as floats: a number of 5,000 digits must be infinite, not an error."""


def as_json(text: str) -> str:
    """A text with what Python prints of lists and dictionaries as JSON writes it: quotes, `nan`, `inf`, `None`."""
    if _PRINTED.match(text) is not None:
        text = text.replace("'", '"')
    if any(word in text for word in _JSON_FOR):
        text = _WORD.sub(lambda found: _JSON_FOR[found[0]], text)
    return text


def not_a_log(path: str, why: str, location: Location | None = None) -> Unreadable:
    """What a reader raises for a file without a training log in it."""
    return Unreadable(
        why, rule="TP-RUN-NOT-A-LOG", measured="no training log", limit="a training log",
        location=location or Location(path, line=1),
    )  # fmt: skip


class Document:
    """The decoded text of a JSON file. `cut` is set when an array ended with the file, `damage` when it broke off."""

    def __init__(self, source: "Source", path: str) -> None:
        if source.size > LARGEST:
            raise Unreadable(
                "the JSON document is too large to be held in memory; write one record a line",
                measured=f"{source.size} bytes", limit=f"at most {LARGEST} bytes", location=Location(path, line=1),
            )  # fmt: skip
        self.text = as_json(decoded(source.file.read(LARGEST)))
        self.path = path
        self.cut: Cut | None = None
        self.position = 0
        """Behind the array that `entries` walked last."""
        self.damage: tuple[Damage, ...] = ()
        self._counted, self._line = 0, 1

    def line_of(self, position: int) -> int:
        """The line (from 1, counting LF) of a position that is not before the one asked last."""
        if position < self._counted:
            self._counted, self._line = 0, 1
        self._line += self.text.count("\n", self._counted, position)
        self._counted = position
        return self._line

    def skip_space(self, position: int) -> int:
        """The next position that is no JSON white space."""
        text, end = self.text, len(self.text)
        while position < end and text[position] in " \t\r\n":
            position += 1
        return position

    def value(self, position: int) -> tuple[Any, int]:
        """The JSON value at `position` and the position behind it. Raises ValueError."""
        try:
            value, end = _scan(self.text, position)
        except StopIteration as stop:
            raise json.JSONDecodeError("no value", "", stop.value) from None
        return value, end

    def entries(
        self, start: int, take: "Callable[[str, int, int, int], tuple[int, int]] | None" = None
    ) -> Iterator[tuple[int, Any]]:
        """The (line, value) pairs of the array that begins at `start`; stops where it cannot be read on.

        `take` may read on behind an entry: it is told the text, where the entry begins and ends, and the line.
        """
        position = self.skip_space(start + 1)
        while position < len(self.text) and self.text[position] != "]":
            line, begun = self.line_of(position), position
            try:
                value, position = self.value(position)
            except ValueError as error:
                self.break_off(error, line)
                return
            yield line, value
            position = self.skip_space(position)
            if self.text.startswith(",", position):
                position = self.skip_space(position + 1)
                if take is not None and isinstance(value, dict):
                    position, self._line = take(self.text, begun, position, self.line_of(position))
                    self._counted = position
        self.position = position + 1
        if position >= len(self.text):
            self.cut = Cut("the array is never closed", self.line_of(len(self.text)))

    def check_end(self) -> None:
        """Remember it when the document does not end as JSON does, or holds the markers of a merge conflict."""
        marks = [mark for mark in ("<<<<<<< ", ">>>>>>> ") if mark in self.text]
        if marks:
            at = min(self.text.index(mark) for mark in marks)
            self.damage = (*self.damage, Damage("merge conflict markers stand in the log", self.line_of(at)))
        elif self.cut is None and not self.damage and not self.text.rstrip().endswith(("}", "]")):
            self.cut = Cut("the document is never closed", self.line_of(len(self.text)))

    def break_off(self, error: ValueError, line: int | None = None) -> None:
        """Remember where the text stops being JSON: cut off, or damaged."""
        at = min(getattr(error, "pos", 0), len(self.text))
        line = self.line_of(at) if line is None else line
        if not self.text[at:].strip(" \t\r\n.eE+-") or "nterminated" in str(error):
            self.cut = Cut("the file ends in the middle of an entry", line)
        else:
            self.damage = (Damage("an entry is no valid JSON", self.line_of(at), rest_lost=True),)
