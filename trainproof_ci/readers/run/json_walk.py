"""One walk through a JSON document: lists of numbers become series, lists of objects records."""

import re
from array import array

from trainproof_ci.readers.run.alike import Alike
from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.documents import Document
from trainproof_ci.readers.run.facts import Series
from trainproof_ci.readers.run.names import bare_loss, named_after_losses
from trainproof_ci.readers.run.records import Records, number
from trainproof_ci.readers.run.vocabulary import EVAL_WORDS, TRAIN_WORDS, is_eval, is_loss, words
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEEPEST = 4
VALUE = "value"
"""What a record under the name of a loss calls it: `"epoch_loss": [{"epoch": 0, "value": 3.2}]`."""
PHASES = EVAL_WORDS | TRAIN_WORDS
NUMBERED = re.compile(r'\{\s*"(?:[Ee]poch[_ ]?)?\d{1,9}"\s*:\s*\{')
_ATOM = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,\[\]"]+')


class Walk:
    """What has been found so far in one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.columns = Columns()
        self.records = Records(self.columns)
        self.lists: dict[str, Series] = {}
        self._of_losses = named_after_losses(document.path)

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
        if NUMBERED.match(self.document.text, position):
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
            name = f"{name} loss" if name else bare_loss(self.document.path)
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
