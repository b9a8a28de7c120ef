"""Proves the texts of many lines at once: what of them is valid, and free of anything rare, without a parse of any.

Everything is asked of all texts together, by searches in C; only where one finds something the lines are told apart.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, count, filterfalse, repeat
from operator import add

from trainproof_ci.patterns import later
from trainproof_ci.readers.dataset.forms import QUOTE, Form
from trainproof_ci.readers.dataset.lines import lines_of
from trainproof_ci.readers.dataset.screens import DOUBTFUL, ENTITY, RAW
from trainproof_ci.typed import NamedTuple

LF = 0x0A
PAIRED = later(rb"\\(?:\\|\0|\Z)")
"""A backslash that is escaped itself: before another, before the mark of a quote, or before the quote at the end."""
CONTROLS = (*range(2, LF), *range(LF + 1, 32), 127)
"""What no string holds as it is, but for NUL and the line feed, which are asked for before, and the marks."""
CONTROL, NO_MARK = later(rb"[\x01-\x1f\x7f]"), later(rb"[\x02-\x1f\x7f]")
UNESCAPED = later(rb'"(?<!\\")')
ODD = later(rb'\\(?:[^nrtf"\0][^\0]*|\0)')
"""What follows an escape that is not the only spelling of what it means, or is none."""
NO_ROW = b'"'
"""Stands for the texts of a line that has another form; it holds what no text holds."""


class Doubts(NamedTuple):
    """What was found in texts that are numbered from 0.

    Those that must be looked at alone; those that can be spelled otherwise; whether there are escapes; and whether a text
    is doubted for a backslash that is escaped itself.
    """

    texts: set[int]
    odd: set[int]
    escaped: bool
    paired: bool


class Texts(NamedTuple):
    """The texts of lines by key; the numbers of the lines (from 0) that are doubted, and of those that are oddly spelled."""

    columns: list[Sequence[bytes]]
    doubted: set[int]
    odd: set[int]
    escaped: bool
    paired: bool


def texts_of(data: bytes, form: Form, *, marks: bool = False) -> Texts:
    """The texts of whole lines, and which of them are not proved to be texts in lines of this form.

    Of all lines but the doubted ones every text is then valid JSON and valid UTF-8 and holds nothing rare. `marks` says
    that marks stand for escaped backslashes.
    """
    rows = _split(data, form)
    if rows is not None:
        found, whole = _columns(rows, form)
        joined = _joined(found)
        if whole and LF not in joined:
            return _proved(found, joined, marks=marks)
    found, _ = _columns(_framed(lines_of(data), form), form)
    return _proved(found, _joined(found), marks=marks)


def _split(data: bytes, form: Form) -> list[bytes] | None:
    """What stands between head and tail of each line, if all lines have them and none has NUL."""
    if b"\0" in data or not data.startswith(form.head) or not data.endswith(form.tail):
        return None
    return data[len(form.head) : -len(form.tail)].split(form.tail + form.head)


def _framed(lines: Iterable[bytes], form: Form) -> list[bytes]:
    head, tail = form.head, form.tail
    start, stop, least = len(head), -len(tail), len(head) + len(tail)
    return [
        line[start:stop]
        if line.startswith(head) and line.endswith(tail) and len(line) >= least and b"\0" not in line
        else NO_ROW
        for line in lines
    ]


def _columns(rows: list[bytes], form: Form) -> tuple[list[Sequence[bytes]], bool]:
    """The texts by key, and whether all are there."""
    found: list[Sequence[bytes]] = []
    whole = True
    for separator in form.between:
        pieces = list(chain.from_iterable(map(bytes.partition, rows, repeat(separator))))
        texts, between, rows = pieces[::3], pieces[1::3], pieces[2::3]
        if not all(between):
            whole = False
            texts = [text if is_there else NO_ROW for text, is_there in zip(texts, between, strict=True)]
        found.append(texts)
    return [*found, rows], whole


def _joined(columns: Iterable[Sequence[bytes]]) -> bytes:
    """All texts in one, each with NUL behind it."""
    return b"\0".join([*chain.from_iterable(columns), b""])


def _proved(columns: list[Sequence[bytes]], joined: bytes, *, marks: bool) -> Texts:
    rows = len(columns[0])
    doubts = doubts_of(list(chain.from_iterable(columns)), joined, marks=marks)
    doubted = {at % rows for at in doubts.texts}
    return Texts(columns, doubted, {at % rows for at in doubts.odd}, doubts.escaped, doubts.paired)


def doubts_of(texts: list[bytes], joined: bytes, *, marks: bool) -> Doubts:
    """What is to be said of texts, given also in one, each with NUL behind it."""
    escaped = b"\\" in joined
    places, odd = list(_places(joined, marks=marks)), set[int]()
    oddly = _found(ODD, joined) if escaped else []
    doubted: set[int] = set()
    if places or oddly:
        from bisect import bisect_right  # most blocks hold nothing odd

        ends = list(map(add, accumulate(map(len, texts)), count(1)))
        doubted = {bisect_right(ends, at) for at in places}
        odd = {bisect_right(ends, at) for at in oddly}
    wrong = [at for at in odd if DOUBTFUL.search(texts[at]) is not None]
    doubted.update(wrong)
    if not joined.isascii():
        doubted |= _beyond_ascii(texts)
    return Doubts(doubted, odd, escaped, any(PAIRED.search(texts[at]) is not None for at in wrong))


def _places(joined: bytes, *, marks: bool) -> Iterator[int]:
    """Where texts hold what must be looked at, but for escapes."""
    if any(map(joined.__contains__, CONTROLS)) or (not marks and 1 in joined):
        yield from _found(NO_MARK if marks else CONTROL, joined)
    if QUOTE in joined:
        yield from _found(UNESCAPED, joined)
    if b"&" in joined:
        yield from _found(ENTITY, joined)


def _found(pattern: re.Pattern[bytes], joined: bytes) -> list[int]:
    return [match.start() for match in pattern.finditer(joined)]


def _beyond_ascii(texts: list[bytes]) -> set[int]:
    """The texts that are not UTF-8, or hold rare characters as they are."""
    wide = list(filterfalse(bytes.isascii, texts))
    joined = b"\0".join(wide)
    rare = [pattern for first, pattern in RAW if first in joined and pattern.search(joined) is not None]
    if not rare and _are_utf8(wide):
        return set()
    return {
        at
        for at, text in enumerate(texts)
        if not text.isascii() and (any(pattern.search(text) for pattern in rare) or not _are_utf8([text]))
    }


def _are_utf8(texts: list[bytes]) -> bool:
    try:
        deque(map(bytes.decode, texts), maxlen=0)  # all in one would make every character as wide as the widest
    except UnicodeDecodeError:
        return False
    return True
