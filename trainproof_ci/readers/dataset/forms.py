"""The written form of flat records: the bytes around their texts, which are the same from line to line.

Where the bytes around the texts of a line are known and proved, the line needs no parse: what stands between them is
text as long as no quote, no control character and no doubtful escape occurs in it. Texts are compared as they are
written, in one spelling: of all escapes only those of line ends, tabs and quotes, and a quote as NUL.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from json import JSONDecoder
from json.encoder import encode_basestring
from operator import contains
from typing import Any, NamedTuple, NoReturn

from trainproof_ci.readers.dataset.screens import ENTITY, RAW, is_plain

ODD = re.compile(rb'\\[^nrtf"]')
"""Every escape but those that have one spelling only and mean no more than they show."""
ODDER = re.compile(rb'\\[^nrtf"u]')
NO_TEXT = bytes([*range(10), *range(11, 32), 127])
"""Bytes that no string holds as they are, but for the line feed, which ends the line."""
QUOTE, ESCAPED_QUOTE = b'"', b'\\"'


def spelled(text: str) -> bytes:
    """A text in the one spelling in which texts are compared."""
    return encode_basestring(text)[1:-1].encode("utf-8", "surrogatepass").replace(ESCAPED_QUOTE, b"\0")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


SCAN: Any = vars(JSONDecoder(object_pairs_hook=tuple, parse_constant=_refuse))["scan_once"]
"""One parse: an object becomes its pairs in order, so that a repeated key cannot hide."""


class Form(NamedTuple):
    """The bytes before the first text, between the texts and after the last one; the keys in order."""

    head: bytes
    between: tuple[bytes, ...]
    tail: bytes
    keys: tuple[str, ...]

    def line(self, texts: Iterable[bytes]) -> bytes:
        """The line that holds these texts."""
        first, *rest = texts
        return self.head + first + b"".join(map(b"".join, zip(self.between, rest, strict=True))) + self.tail


def form_of(line: bytes, keys: tuple[str, ...]) -> Form | None:
    """The form of a line whose record has these keys and nothing but texts; None where it has not one that is proved."""
    marked = line.replace(ESCAPED_QUOTE, b"\0") if b"\\\\" not in line else b""
    parts = marked.split(QUOTE)
    if len(parts) != 4 * len(keys) + 1 or not line.endswith(b"}\n"):
        return None
    head = QUOTE.join([*parts[:3], b""])
    between = tuple(QUOTE.join([b"", *parts[at : at + 3], b""]) for at in range(4, len(parts) - 1, 4))
    form = Form(head, between, QUOTE + parts[-1], keys)
    fixed = (form.head, *form.between, form.tail)
    if any(b"\\" in part or b"\0" in part for part in fixed) or not all(part.isascii() for part in fixed):
        return None
    try:
        found, end = SCAN(form.line([b"x"] * len(keys)).decode(), 0)
    except (ValueError, StopIteration):
        return None
    return (
        form if found == tuple((key, "x") for key in keys) and end == len(form.line([b"x"] * len(keys))) - 1 else None
    )


def texts_of(lines: Sequence[bytes], form: Form) -> list[Sequence[bytes]]:
    """The texts of the lines, one sequence a key, up to the first line that is not proved to have the form.

    Every text is then valid JSON and valid UTF-8 and holds nothing rare; whether it is blank is not asked.
    """
    if not _framed(lines, form):
        lines = lines[: _first(not _framed((line,), form) for line in lines)]
    if lines and not is_sound(lines):
        lines = lines[: _first(not is_sound([line]) for line in lines)]
    start, stop = len(form.head), -len(form.tail)
    rows: Sequence[bytes] = [line[start:stop] for line in lines]
    data = b"".join(rows)
    if b"\\" not in data:
        return _columns(rows, form)
    texts = _columns(_unescaped(lines, rows, form, quoted=False), form)
    cut = any(any(map(bytes.endswith, column, repeat(b"\\"))) for column in texts)
    if not cut and (len(texts[0]) == len(rows) or ESCAPED_QUOTE not in data):
        return texts
    return _columns(_unescaped(lines, rows, form, quoted=True), form)


def _framed(lines: Sequence[bytes], form: Form) -> bool:
    return all(map(bytes.startswith, lines, repeat(form.head))) and all(map(bytes.endswith, lines, repeat(form.tail)))


def is_sound(lines: Sequence[bytes]) -> bool:
    """Whether lines are UTF-8 and hold neither control characters nor anything rare, but for what escapes may spell."""
    data = b"".join(lines) if len(lines) > 1 else lines[0]
    if len(data.translate(None, NO_TEXT)) < len(data) or (b"&" in data and ENTITY.search(data) is not None):
        return False
    if data.isascii():
        return True
    wide = [line for line in lines if not line.isascii()]
    try:
        for line in wide:
            line.decode()
    except UnicodeDecodeError:
        return False
    data = b"".join(wide)
    return not any(first in data and pattern.search(data) is not None for first, pattern in RAW)


def _unescaped(lines: Sequence[bytes], rows: Sequence[bytes], form: Form, *, quoted: bool) -> list[bytes]:
    """The rows with their texts in one spelling, up to the first in which an escape is wrong or rare."""
    found: list[bytes] = []
    for line, row in zip(lines, rows, strict=True):
        if b"\\" not in row:
            found.append(row)
        elif ODD.search(row) is None and not row.endswith(b"\\"):  # or the quote after it is part of the text
            found.append(row.replace(ESCAPED_QUOTE, b"\0") if quoted else row)
        elif is_plain(line) and (spelled_ := respelled(row) or _parsed(line, form)):
            found.append(spelled_)
        else:
            break
    return found


def respelled(row: bytes) -> bytes | None:
    """A row whose characters beyond ASCII are escapes, in the one spelling; None where it holds others."""
    if not row.isascii() or row.endswith(b"\\") or ODDER.search(row) is not None:
        return None
    try:
        return row.replace(ESCAPED_QUOTE, b"\0").decode("raw_unicode_escape").encode()
    except UnicodeError:
        return None


def _parsed(line: bytes, form: Form) -> bytes | None:
    """The row of a line with other escapes, read as JSON and written again."""
    try:
        text = line.decode()
        pairs, end = SCAN(text, 0)
        names, values = zip(*pairs, strict=True)
    except (ValueError, StopIteration, RecursionError, TypeError):
        return None
    if names != form.keys or len(text) - end != 1 or set(map(type, values)) != {str}:
        return None
    return form.line(map(spelled, values))[len(form.head) : -len(form.tail)]


def _columns(rows: Sequence[bytes], form: Form) -> list[Sequence[bytes]]:
    if not rows:
        return [()] * len(form.keys)
    found: list[Sequence[bytes]] = []
    good = len(rows)
    rest = rows
    for separator in form.between:
        texts, between, after = zip(*map(bytes.partition, rest, repeat(separator)), strict=True)
        rest = after
        found.append(texts)
        good = min(good, between.index(b"") if b"" in between else good)
    found.append(rest)
    for column in found:
        if QUOTE in b"".join(column):
            good = min(good, _first(map(contains, column, repeat(QUOTE))) or 0)
    return found if good == len(rows) else [texts[:good] for texts in found]


def _first(wrong: Iterable[bool]) -> int | None:
    """The number of lines before the first that is wrong; None for all of them."""
    return next((at for at, is_wrong in enumerate(wrong) if is_wrong), None)
