"""JSON histories: a list of records, lists by name (Keras), or pandas index -> value, with scalars between them."""

import re
from array import array
from typing import TYPE_CHECKING

from trainproof_ci.readers.run.alike import Alike
from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.documents import Document, as_json, not_a_log
from trainproof_ci.readers.run.encodings import encoding_of
from trainproof_ci.readers.run.facts import Reading, Series
from trainproof_ci.readers.run.lines import is_text
from trainproof_ci.readers.run.names import named_after_losses, named_like_a_log
from trainproof_ci.readers.run.records import Records, number
from trainproof_ci.readers.run.vocabulary import EVAL_WORDS, TRAIN_WORDS, is_eval, is_loss, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

DEEPEST = 4
VALUE = "value"
"""What a record under the name of a loss calls it: `"epoch_loss": [{"epoch": 0, "value": 3.2}]`."""
PHASES = EVAL_WORDS | TRAIN_WORDS
_KEY = r'"([^"\\]{1,64})"\s*:\s*'
_LISTED = re.compile(_KEY + r"\[\s*(?:-?[\d.]|null|NaN|-?Infinity)")
_VALUED = re.compile(_KEY + r'\[\s*\{[^{}\[\]]{0,200}"value"\s*:\s*-?[\d.]')
_INDEXED = re.compile(_KEY + r'\{\s*"0"\s*:\s*-?[\d.]')
_LOGGED = re.compile(_KEY + r'"?(?:-?[\d.]|NaN|-?Infinity|nan)')
_STEPPED = re.compile(
    r'"(?:epoch|step|iter|iteration|global_step|current_steps|learning_rate|lr)"\s*:\s*"?-?[\d.]', re.IGNORECASE
)
_PHASED = re.compile(r'"(?:train|training|val|valid|validation)"\s*:\s*\[\s*(\{?)')
_NUMBERED = re.compile(r'\{\s*"(?:[Ee]poch[_ ]?)?\d{1,9}"\s*:\s*\{')
_BARE = re.compile(r'\[\s*"?-?\d[^\[{]{0,1000}')
_JOINED = re.compile(r"\}\s*\{")
"""Objects one behind the other, which are no lines of JSON where they are spread over several."""
_ATOM = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\[\]"]+')


def recognise(head: "Head") -> bool:
    """A list of numbers under the name of a loss, or several records with a loss and a step."""
    if head.suffix not in {".json", ".txt", ".log", ""} or not is_text(head):
        return False
    text = as_json(head.start.decode(encoding_of(head.start[:4096]), "replace").lstrip("\ufeff \t\r\n"))
    if not text.startswith(("{", "[")):
        return False
    if any(is_loss(found[1]) for pattern in (_LISTED, _INDEXED, _VALUED) for found in pattern.finditer(text)):
        return True
    phased = _PHASED.search(text)
    if named_after_losses(head.path) and (_BARE.match(text) is not None or (phased and not phased[1])):
        return True
    records = sum(is_loss(found[1]) for found in _LOGGED.finditer(text))
    listed = "[" in text[:65536] or _NUMBERED.match(text) is not None or _JOINED.search(text) is not None
    stepped = len(_STEPPED.findall(text)) >= 2 or (phased is not None and phased[1] == "{")
    return records >= 2 and listed and (stepped or named_like_a_log(head))


def read(source: "Source", target: "Target") -> Reading:
    """Walk the document once; lists of numbers become series, lists of objects records."""
    document = Document(source, target.path)
    start = document.skip_space(0)
    first = document.text[start : start + 1]
    if first not in {"{", "["}:
        raise not_a_log(target.path, "the file is empty" if not first else "neither a JSON object nor a list")
    walk = _Walk(document)
    notes: tuple[str, ...] = ()
    try:
        end = walk.value(start, "", 0)
        others = [] if document.damage else list(_values(document, end))
        if len(others) > 1 and first == "{":
            walk = _Walk(document)
            walk.objects([(start, end), *others])
        elif others:
            notes = (
                f"{len(others) + 1} JSON documents stand in the file, one behind the other: the longest is judged",
            )
            longest = max(others, key=lambda span: span[1] - span[0])
            if longest[1] - longest[0] > end - start:
                walk = _Walk(document)
                walk.value(longest[0], "", 0)
    except ValueError as error:
        walk.broken(error)
    walk.document.check_end()
    records = walk.columns.series()
    lists = {
        name: found for name, found in walk.lists.items() if name not in records or found.size > records[name].size
    }
    damage, cut = walk.document.damage, walk.document.cut
    return Reading({**records, **lists}, walk.columns.odd, damage=damage, cut=cut, notes=notes)


def _values(document: Document, position: int) -> "Iterator[tuple[int, int]]":
    """Where the JSON objects and arrays begin and end that stand one behind the other. Raises ValueError."""
    while document.text.startswith(("{", "["), start := document.skip_space(position)):
        position = document.value(start)[1]
        yield start, position


class _Walk:
    """What has been found so far in one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.columns = Columns()
        self.records = Records(self.columns)
        self.lists: dict[str, Series] = {}
        self._of_losses = named_after_losses(document.path)

    def objects(self, spans: "Iterable[tuple[int, int]]") -> None:
        """Take in objects that stand one behind the other, a record each. Raises ValueError."""
        for start, _ in spans:
            entry = self.document.value(start)[0]
            if isinstance(entry, dict):
                self.records.add(entry, self.document.line_of(start))

    def value(self, position: int, name: str, depth: int) -> int:
        """Take in the value at `position`, called `name`; returns the position behind it. Raises ValueError."""
        document = self.document
        opening = document.text[position : position + 1]
        if opening == "[":
            inside = document.skip_space(position + 1)
            if document.text.startswith("{", inside):
                return self._records(position, name)
            return self._list(position, name)
        if opening == "{" and depth < DEEPEST:
            return self._object(position, name, depth)
        return document.value(position)[1]

    def _object(self, position: int, name: str, depth: int) -> int:
        if _NUMBERED.match(self.document.text, position):
            return self._numbered(position)
        if re.compile(r'\{\s*"0"\s*:').match(self.document.text, position):
            return self._indexed(position, name)
        for key, start in self._members(position):
            self._end = self.value(start, key, depth + 1)
        return self._end

    def _members(self, position: int) -> "Iterator[tuple[str, int]]":
        """The (key, position of the value) pairs of an object; the caller sets `_end` behind each value."""
        document, text = self.document, self.document.text
        self._end = document.skip_space(position + 1)
        while not text.startswith("}", self._end):
            key, after = document.value(self._end)
            colon = document.skip_space(after)
            if not isinstance(key, str) or not text.startswith(":", colon):
                raise _syntax(document, colon)
            yield key, document.skip_space(colon + 1)
            self._end = document.skip_space(self._end)
            if text.startswith(",", self._end):
                self._end = document.skip_space(self._end + 1)
            elif not text.startswith("}", self._end):
                raise _syntax(document, self._end)
        self._end += 1

    def _indexed(self, position: int, name: str) -> int:
        places, values = array("q"), array("d")
        for _, start in self._members(position):
            places.append(self.document.line_of(start))
            value, self._end = self.document.value(start)
            found = number(value)
            values.append(float("nan") if found is None else found)
        self._keep(name, values, places, frozenset(), ())
        return self._end

    def _numbered(self, position: int) -> int:
        """Records under the number of their epoch."""
        for key, start in self._members(position):
            line = self.document.line_of(start)
            entry, self._end = self.document.value(start)
            digits = key.lower().removeprefix("epoch").strip("_ ")
            if isinstance(entry, dict) and digits.isdecimal():
                self.records.add({"epoch": float(digits), **entry}, line)
        return self._end

    def _records(self, position: int, name: str) -> int:
        """A list of records; one called `val` holds evaluations."""
        apart, measured = is_eval(name), is_loss(name)
        records = Records(Columns()) if apart else self.records
        for line, entry in self.document.entries(position, None if measured else Alike(records).take):
            if isinstance(entry, dict):
                records.add(
                    {name if key == VALUE else key: value for key, value in entry.items()} if measured else entry, line
                )
        if apart:
            self.lists |= {
                f"{name}/{key}": one._replace(name=f"{name}/{key}") for key, one in records.columns.series().items()
            }
        end = self.document.position
        if self.document.cut or self.document.damage:
            return len(self.document.text)
        return end

    def _list(self, position: int, name: str) -> int:
        found, end = self.document.value(position)
        numbers = [number(value) for value in found]
        nulls = frozenset(i for i, value in enumerate(found) if value is None)
        odd = [i for i, value in enumerate(numbers) if value is None and i not in nulls]
        if len(odd) * 2 >= len(found):
            return end
        values = array("d", [float("nan") if value is None else value for value in numbers])
        places = self._lines(position, end, len(found))
        self._keep(name, values, places, nulls, odd)
        return end

    def _lines(self, position: int, end: int, size: int) -> "array[int]":
        """The line of each of the `size` plain values between two positions."""
        first = self.document.line_of(position)
        if "\n" not in self.document.text[position:end]:
            return array("q", [first]) * size
        lines = array("q")
        for atom in _ATOM.finditer(self.document.text, position + 1, end - 1):
            lines.append(self.document.line_of(atom.start()))
        return lines if len(lines) == size else array("q", [first]) * size

    def _keep(
        self, name: str, values: "array[float]", places: "array[int]", nulls: frozenset[int], odd: "Sequence[int]"
    ) -> None:
        if len(nulls) == len(values):
            return
        if self._of_losses and PHASES.issuperset(words(name)):
            name = f"{name} loss".strip()
        while name in self.lists:
            name += "'"
        steps = array("d", range(1, len(values) + 1))
        series = Series(name, values, steps, places, nulls=nulls, stepped=False)
        if odd:
            self.columns.add_odd(name, places[odd[0]], len(odd))
            series = series.picked(sorted(set(range(series.size)).difference(odd)))
        self.lists[name] = series

    def broken(self, error: ValueError) -> None:
        """The document breaks off, or is no JSON."""
        self.document.break_off(error)


def _syntax(document: Document, position: int) -> ValueError:
    import json

    return json.JSONDecodeError("expected something else", document.text[:0], position)
