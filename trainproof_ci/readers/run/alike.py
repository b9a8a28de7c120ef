"""Records that are written alike, one after the other: one pattern takes thousands of them apart at once."""

import json
import re

from trainproof_ci.readers.run.records import Records
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

WINDOW = 1 << 17
"""Characters that the pattern is held against at once."""
ENOUGH = 8
"""Records that a look must find to be worth the next look at once; after fewer, some records are read one by one."""
LONGEST = 1 << 12
"""Characters of a record that is worth a pattern."""
_scan = json.scanner.make_scanner(json.JSONDecoder(parse_int=float))  # type: ignore[attr-defined]
_MEMBER = re.compile(
    r'(?P<before>[\s,{]*"(?P<name>[^"\\\x00-\x1f]*)"\s*:\s*)(?:(?P<text>"[^"\\\x00-\x1f]*")|(?P<truth>true|false)|(?P<number>[-\dNI][^\s,}]*))'
)
_LIKE = {"text": r'"([^"\\\x00-\x1f]*)"', "truth": "(true|false)", "number": r'([-\dNI][^\s,}\]"]*)'}
"""How a value of each kind is found; a kind each, for a pattern of several is slower by half."""


class Run(NamedTuple):
    """Repetitions that stand at the beginning of a text: how many, their length, and what each group matched."""

    times: int
    length: int
    columns: list[list[str]]


def run_of(pattern: "re.Pattern[str]", text: str) -> Run:
    """The repetitions of a pattern, whose first group is all of it, up to the first text between two of them."""
    parts = pattern.split(text)
    width = pattern.groups + 1
    gaps = parts[:-1:width]
    count = next(at for at, gap in enumerate(gaps) if gap) if any(gaps) else len(gaps)
    end = count * width
    return Run(count, sum(map(len, parts[1:end:width])), [parts[at:end:width] for at in range(2, width)])


def count_on(first: int, step: int, times: int) -> "Sequence[int]":
    """So many numbers from `first` on: the lines of repetitions."""
    return range(first, first + step * times, step) if step else [first] * times


class _Form(NamedTuple):
    """How a record is written: its names in order, the kinds of their values, and the pattern of its like."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    pattern: "re.Pattern[str]"
    lines: int


class Alike:
    """Takes the records that are written like the one before them, and adds them to `records`."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self._forms: dict[str, _Form | None] = {}
        self._wait = self._penalty = 0

    def take(self, text: str, begun: int, at: int, line: int) -> tuple[int, int]:
        """Read on from `at`, like the record between `begun` and `at`; `line` is that at `at`. Returns where it ended."""
        if self._wait:
            self._wait -= 1
            return at, line
        form = self._form(text[begun:at]) if at - begun <= LONGEST else None
        taken, full = 0, form is not None
        while full and form is not None:
            window = text[at : at + WINDOW]
            found = run_of(form.pattern, window)
            full = found.times > 0 and self._add(form, found, line)
            if full:
                taken += found.times
                at, line = at + found.length, line + found.times * form.lines
                full = len(window) == WINDOW and len(window) - found.length <= LONGEST
        self._penalty = 0 if taken >= ENOUGH else min(2 * self._penalty + 1, 1024)
        self._wait = self._penalty
        return at, line

    def _form(self, record: str) -> _Form | None:
        """The form of a record with what stands behind it, comma or line feed; None for one with records in it."""
        shape, names, kinds, end = "", [], [], 0
        while (found := _MEMBER.match(record, end)) is not None:
            names.append(found["name"])
            kinds.append(next(kind for kind in _LIKE if found[kind] is not None))
            shape += re.escape(found["before"]) + _LIKE[kinds[-1]]
            end = found.end()
        if not names or re.fullmatch(r"\s*\}[\s,]*", record[end:]) is None or len(set(names)) < len(names):
            return None
        shape += re.escape(record[end:])
        if shape not in self._forms and len(self._forms) < ENOUGH**2:
            pattern = re.compile(f"({shape})")
            self._forms[shape] = _Form(tuple(names), tuple(kinds), pattern, record.count("\n"))
        return self._forms.get(shape)

    def _add(self, form: _Form, found: Run, line: int) -> bool:
        """Whether the numbers are such as JSON writes them, and so were added."""
        places = count_on(line, form.lines, found.times)
        try:
            columns = list(map(_values, form.kinds, found.columns))
        except ValueError:
            return False
        self.records.add_alike(dict(zip(form.names, columns, strict=True)), places)
        return True


def _values(kind: str, written: "list[str]") -> "Sequence[Any]":
    """What JSON makes of values of one kind. Raises `ValueError` where some are none."""
    if kind == "number":
        try:
            numbers: list[float] = _scan(f"[{','.join(written)}]", 0)[0]
        except StopIteration:  # how the scanner says that no value stands there; a `map` would take it for its end
            raise ValueError from None
        return numbers
    return list(map("true".__eq__, written)) if kind == "truth" else written
