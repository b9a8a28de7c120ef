"""JSON histories: records, lists by name (Keras) or bare, or pandas index -> value, with scalars between them."""

import re

from trainproof_ci.readers.run.documents import Document, as_json, not_a_log
from trainproof_ci.readers.run.encodings import encoding_of
from trainproof_ci.readers.run.facts import Damage, Reading
from trainproof_ci.readers.run.json_walk import NUMBERED, Walk
from trainproof_ci.readers.run.lines import is_text
from trainproof_ci.readers.run.names import named_after_losses, named_like_a_log
from trainproof_ci.readers.run.vocabulary import is_loss
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

_KEY = r'"([^"\\]{1,64})"\s*:\s*'
_LISTED = re.compile(_KEY + r"\[\s*(?:-?[\d.]|null|NaN|-?Infinity)")
_VALUED = re.compile(_KEY + r'\[\s*\{[^{}\[\]]{0,200}"value"\s*:\s*-?[\d.]')
_INDEXED = re.compile(_KEY + r'\{\s*"0"\s*:\s*-?[\d.]')
_LOGGED = re.compile(_KEY + r'"?(?:-?[\d.]|NaN|-?Infinity|nan)')
_STEPPED = re.compile(
    r'"(?:epoch|step|iter|iteration|global_step|current_steps|learning_rate|lr)"\s*:\s*"?-?[\d.]', re.IGNORECASE
)
_PHASED = re.compile(r'"(?:train|training|val|valid|validation)"\s*:\s*\[\s*(\{|-?\d|"-?\d)')
_BARE = re.compile(r'\[\s*"?-?\d[^\[{]{0,1000}')
_JOINED = re.compile(r"\}\s*\{")
"""Objects one behind the other, which are no lines of JSON where they are spread over several."""


def recognise(head: "Head") -> bool:
    """A list of numbers under the name of a loss, or in a file named so, or several records with a loss and a step."""
    if head.suffix not in {".json", ".txt", ".log", ""} or not is_text(head):
        return False
    text = as_json(head.start.decode(encoding_of(head.start[:4096]), "replace").lstrip("\ufeff \t\r\n"))
    if not text.startswith(("{", "[")):
        return False
    if any(is_loss(found[1]) for pattern in (_LISTED, _INDEXED, _VALUED) for found in pattern.finditer(text)):
        return True
    phased = _PHASED.search(text)
    if named_after_losses(head.path) and (_BARE.match(text) is not None or (phased and phased[1] != "{")):
        return True
    records = sum(is_loss(found[1]) for found in _LOGGED.finditer(text))
    listed = "[" in text[:65536] or NUMBERED.match(text) is not None or _JOINED.search(text) is not None
    stepped = len(_STEPPED.findall(text)) >= 2 or (phased is not None and phased[1] == "{")
    return records >= 2 and listed and (stepped or named_like_a_log(head))


def read(source: "Source", target: "Target") -> Reading:
    """Walk the document once; lists of numbers become series, lists of objects records."""
    document = Document(source, target.path)
    start = document.skip_space(0)
    first = document.text[start : start + 1]
    if first not in {"{", "["}:
        raise not_a_log(target.path, "the file is empty" if not first else "neither a JSON object nor a list")
    walk, notes = _walked(document, start)
    walk.document.check_end()
    records = walk.columns.series()
    lists = {
        name: found for name, found in walk.lists.items() if name not in records or found.size > records[name].size
    }
    damage, cut = walk.document.damage, walk.document.cut
    return Reading({**records, **lists}, walk.columns.odd, damage=damage, cut=cut, notes=notes)


def _walked(document: Document, start: int) -> "tuple[Walk, tuple[str, ...]]":
    """The document taken in; of several, one behind the other, the longest, unless each is a record of one run."""
    walk = Walk(document)
    try:
        end = walk.value(start, "", 0)
    except ValueError as error:
        walk.broken(error)
        return walk, ()
    others = [] if document.damage else list(_values(document, end))
    if not others:
        return walk, ()
    entries = [(at, document.value(at)[0]) for at, _ in ((start, end), *others)]
    if all(_is_record(entry) for _, entry in entries):
        walk = Walk(document)
        for at, entry in entries:
            walk.records.add(entry, document.line_of(at))
        return walk, ()
    longest = max(others, key=lambda span: span[1] - span[0])
    if longest[1] - longest[0] > end - start:
        walk = Walk(document)
        walk.value(longest[0], "", 0)
    return walk, (f"{len(entries)} JSON documents stand in the file, one behind the other: the longest is judged",)


def _is_record(entry: object) -> bool:
    return isinstance(entry, dict) and not any(isinstance(value, (list, dict)) for value in entry.values())


def _values(document: Document, position: int) -> "Iterator[tuple[int, int]]":
    """Where the JSON objects and arrays begin and end that stand behind a position; the document knows what broke off."""
    start = document.skip_space(position)
    while document.text.startswith(("{", "["), start):
        try:
            position = document.value(start)[1]
        except ValueError as error:
            document.break_off(error)
            return
        yield start, position
        start = document.skip_space(position)
    if start < len(document.text):
        document.damage = (
            Damage("something that is no JSON stands behind an entry", document.line_of(start), rest_lost=True),
        )
