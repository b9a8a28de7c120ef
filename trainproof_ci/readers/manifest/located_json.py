"""JSON whose top-level arrays keep the line of each of their elements."""

import json
import re
from collections.abc import Iterator

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.typed import Any, NamedTuple, NoReturn

MOST_ELEMENTS = 100_000
_SPACE = re.compile(r"[ \t\n\r]*")


class Located(NamedTuple):
    """An element and the line that it begins on."""

    value: Any
    line: int


class Repeated(dict[str, Any]):
    """An object in which a key stands twice: nobody can say which value was meant."""


def top_level(text: str, path: str) -> dict[str, Any]:
    """The object in `text`; each array directly below it is a list of `Located`. Raises `Unreadable` with the line."""
    reading = _Reading(text, path)
    try:
        return dict(reading.members())
    except json.JSONDecodeError as error:
        reading.fail("not valid JSON", error.pos)
    except RecursionError:
        reading.fail("nested too deeply", reading.at)
    except ValueError:  # an integer of thousands of digits
        reading.fail("holds a number that cannot be read", reading.at)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    return plain if len(plain) == len(pairs) else Repeated(plain)


class _Reading:
    """A position in the text that moves from member to member."""

    def __init__(self, text: str, path: str) -> None:
        self.text, self.path, self.at = text, path, 0
        self.line, self._counted = 1, 0
        self.decode = json.JSONDecoder(object_pairs_hook=_object).raw_decode

    def members(self) -> Iterator[tuple[str, Any]]:
        seen: set[str] = set()
        self.expect("{")
        while not self.take("}"):
            if seen:
                self.expect(",")
            key = self.value()
            if not isinstance(key, str) or key in seen:
                self.fail("a top-level key is no text, or stands twice", self.at)
            seen.add(key)
            self.expect(":")
            yield key, self.elements() if self.take("[") else self.value()
        if self.skip() != len(self.text):
            self.fail("something follows the object", self.at)

    def elements(self) -> list[Located]:
        found: list[Located] = []
        while not self.take("]"):
            if found:
                self.expect(",")
            if len(found) == MOST_ELEMENTS:
                self.fail(f"more than {MOST_ELEMENTS} entries", self.at)
            line = self.line_at(self.skip())
            found.append(Located(self.value(), line))
        return found

    def value(self) -> Any:
        value, self.at = self.decode(self.text, self.skip())
        return value

    def skip(self) -> int:
        match = _SPACE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return self.at

    def take(self, character: str) -> bool:
        if self.text[self.skip() : self.at + 1] != character:
            return False
        self.at += 1
        return True

    def expect(self, character: str) -> None:
        if not self.take(character):
            self.fail(f'"{character}" is missing', self.at)

    def line_at(self, at: int) -> int:
        self.line += self.text.count("\n", self._counted, at)
        self._counted = at
        return self.line

    def fail(self, problem: str, at: int) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        raise Unreadable(
            f"the manifest cannot be used: {problem} (line {line})",
            rule="TP-MANIFEST-SYNTAX", measured=f"{problem}, line {line}", limit="a whole manifest",
            location=Location(self.path, line=line, column=at - self.text.rfind("\n", 0, at)),
        )  # fmt: skip
