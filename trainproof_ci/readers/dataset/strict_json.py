"""The one exact JSON checker: what a line holds, or what is wrong with it and at which character.

Python's parser is too kind: it takes NaN, repeated keys, lone surrogates and numbers no column can hold.
Here each of them is named. Positions come from this checker only, never from an accelerator.
"""

import json
import re

from trainproof_ci.patterns import later
from trainproof_ci.typed import Any, NamedTuple

LONGEST_NUMBER = 4300
"""Digits; CPython refuses to convert an integer of more than 4300."""


LONGEST_TOKEN = 400
"""Characters; a longer number is found by a plain search, for it would make a regular expression of its size."""


class Flaw(NamedTuple):
    """Something wrong with a text of JSON: its name, the character it begins at (from 0) and how it is measured.

    A `fatal` flaw leaves nothing to judge; the others leave a value.
    """

    name: str
    position: int
    measured: str
    fatal: bool = False


class _Noted:
    """What the parser's hooks came upon in one text."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.nonfinite: str | None = None
        self.number: str | None = None
        self.repeated: str | None = None

    def constant(self, text: str) -> float:
        self.nonfinite = self.nonfinite or text
        return float(text.replace("Infinity", "inf"))

    def integer(self, text: str) -> int:
        if len(text) < 19:
            return int(text)
        value = int(text) if len(text) <= LONGEST_NUMBER else None
        if value is None or not -(1 << 63) <= value < 1 << 63:
            self.number = self.number or text
        return value or 0

    def real(self, text: str) -> float:
        value = float(text)
        if value in {float("inf"), float("-inf")}:
            self.number = self.number or text
        return value

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs) and self.repeated is None:
            seen: set[str] = set()
            self.repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        return value


_NOTED = _Noted()
_DECODER = json.JSONDecoder(
    object_pairs_hook=_NOTED.pairs, parse_constant=_NOTED.constant, parse_int=_NOTED.integer, parse_float=_NOTED.real
)
"""Making a decoder takes as long as parsing a short record; one text is parsed at a time."""


def parse(text: str) -> tuple[Any, list[Flaw]]:
    """The value of one JSON text and its flaws; the value is None when a flaw is fatal."""
    noted = _NOTED
    noted.forget()
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        value, end = _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        from trainproof_ci.readers.dataset.json_wording import described  # most texts are JSON

        return None, [Flaw("syntax", error.pos, described(text, error), fatal=True)]
    except RecursionError:
        return None, [_too_deep(text)]
    rest = len(text) - len(text[end:].lstrip(" \t\r\n"))
    if rest < len(text):
        from trainproof_ci.readers.dataset.json_wording import after_value

        return None, [Flaw("extra", rest, after_value(text, rest), fatal=True)]
    return value, list(_noted(text, noted))


_SCANNER = json.JSONDecoder(parse_int=float)


def end_of_value(text: str, start: int) -> int | None:
    """Where the value that begins at `start` ends, or None when the text is broken, or breaks off, before that."""
    try:
        _, end = _SCANNER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return end


_STEP = later(r"([^.\[\]]+)|\[(\d+)\]")


def position_of(text: str, path: str) -> int:
    """Where the value at a path like `messages[2]` begins in the text of an object; 0 when it is not there."""
    at = 0
    for key, index in _STEP.findall(path):
        found = _member(text, at, key) if key else _item(text, at, int(index))
        if found is None:
            return at
        at = found
    return at


def _member(text: str, start: int, key: str) -> int | None:
    at = start + 1
    while (quoted := re.compile(rf"[\s,]*({_STRING})\s*:\s*").match(text, at)) is not None:
        if _plain(quoted[1]) == key:
            return quoted.end()
        end = end_of_value(text, quoted.end())
        if end is None:
            return None
        at = end
    return None


def _item(text: str, start: int, index: int) -> int | None:
    at = start + 1
    for _ in range(index + 1):
        at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,"))
        begin = at
        end = end_of_value(text, at)
        if end is None:
            return None
        at = end
    return begin


def _noted(text: str, noted: _Noted) -> list[Flaw]:
    flaws = []
    if noted.repeated is not None:
        flaws.append(Flaw("duplicate-key", _second(text, noted.repeated), "2 or more values for one key"))
    if noted.nonfinite is not None:
        flaws.append(Flaw("nonfinite", _bare(text, noted.nonfinite), noted.nonfinite))
    if noted.number is not None:
        digits = len(noted.number.lstrip("-"))
        shown = noted.number if len(noted.number) <= 24 else f"a number of {digits} characters"
        flaws.append(Flaw("number", _bare(text, noted.number), shown))
    if "\\u" in text and (at := _lone_surrogate(text)) is not None:
        flaws.append(Flaw("surrogate", at, "half of a surrogate pair"))
    return flaws


_STRING = r'"(?:[^"\\]|\\.)*"'


def _bare(text: str, token: str) -> int:
    """Where a token stands outside strings."""
    if len(token) > LONGEST_TOKEN:
        return max(text.find(token), 0)
    for found in re.finditer(f"{_STRING}|{re.escape(token)}", text):
        if found[0][0] != '"':
            return found.start()
    return 0


def _second(text: str, key: str) -> int:
    """Where a key stands for the second time; the keys of other objects may stand in between."""
    spelled = [m.start() for m in re.finditer(f"({_STRING})\\s*:", text) if _plain(m[1]) == key]
    return spelled[1] if len(spelled) > 1 else 0


def _plain(quoted: str) -> str:
    return str(json.loads(quoted, strict=False)) if "\\" in quoted else quoted[1:-1]


_ESCAPE = later(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


def _lone_surrogate(text: str) -> int | None:
    """Where an escaped surrogate without its other half begins, or None."""
    pending: int | None = None
    end = -1
    for found in _ESCAPE.finditer(text):
        code = int(found[1], 16) if found[1] else 0
        low = 0xDC00 <= code < 0xE000
        if pending is not None:
            if low and found.start() == end:
                pending = None
                continue
            return pending
        if low:
            return found.start()
        if 0xD800 <= code < 0xDC00:
            pending, end = found.start(), found.end()
    return pending


def _too_deep(text: str) -> Flaw:
    """Deep nesting is beyond the parser; brackets that do not match are provably broken all the same."""
    outside = re.sub(_STRING, "", text)
    for opening, closing in ("[]", "{}"):
        if outside.count(opening) != outside.count(closing):
            return Flaw("syntax", len(text) - 1, "brackets that are never closed", fatal=True)
    return Flaw("depth", 0, "nested deeper than the parser goes", fatal=True)


def ends_early(flaw: Flaw) -> bool:
    """Whether the text is the beginning of correct JSON that was cut off."""
    return flaw.name == "syntax" and flaw.measured in {
        "the text ends too early", "a string without end", "brackets that are never closed",
    }  # fmt: skip
