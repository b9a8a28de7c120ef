"""Which file is trained on and which evaluated, and the records they share."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from trainproof_ci.errors import Unreadable
from trainproof_ci.globs import matches
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.duplicates import digest
from trainproof_ci.readers.dataset.record import Record, texts
from trainproof_ci.readers.dataset.tally import Label, as_class, classes
from trainproof_ci.readers.source import Head

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.readers.dataset.survey import Survey

TRAIN_WORDS = ("training", "train")
EVAL_WORDS = ("validation", "evaluation", "valid", "eval", "test", "testing", "dev", "val")
_WORD = re.compile(r"[^a-z]+")
IDENTITY = frozenset({"id", "_id", "idx", "index", "uid", "uuid", "guid", "split", "__index_level_0__"})
"""Keys that say which record it is, not what it is."""
MOST_RECORDS = 1_000_000
"""An evaluation split with more records is not compared: its keys must fit in memory."""
SHORTEST_NEAR = 16
"""Letters and digits; shorter records agree by chance."""
_FOLD = re.compile(r"[\W_]+")


class Leak(NamedTuple):
    """A record of an evaluation split, and where it is trained on."""

    line: int
    number: int
    byte_offset: int
    content: bytes
    train: Location


class Leaks(NamedTuple):
    """What an evaluation split shares with its training files."""

    exact: list[Leak]
    near: list[Leak]
    unseen: Mapping[Any, Label]


def split_of(path: str, settings: "Settings") -> str | None:
    """Whether a file is "train" or "eval": by configuration first, then by the words of its name or folder."""
    named = settings.dataset(path).split
    if named is not None:
        return "train" if named == "train" else "eval"
    if any(matches(path, split.eval) for split in settings.splits):
        return "eval"
    if any(matches(path, split.train) for split in settings.splits):
        return "train"
    for part in reversed(path.lower().split("/")[-2:]):
        words = _WORD.split(part.split(".")[0])
        if any(word in TRAIN_WORDS for word in words):
            return "train"
        if any(word in EVAL_WORDS for word in words):
            return "eval"
    return None


def training_files(path: str, settings: "Settings") -> list[str]:
    """The training files that an evaluation split must not share records with."""
    named = [split.train for split in settings.splits if matches(path, split.eval)]
    if named:
        return [name for name in named if os.path.isfile(name)]
    if any(matches(path, pattern) for split in settings.splits for pattern in split):
        return []
    return sorted(name for name in _renamed(path) if name != path and os.path.isfile(name))


def others_beside(path: str) -> bool:
    """Whether another file of the same suffix lies in the folder of `path`."""
    folder, name = os.path.split(path)
    suffix = os.path.splitext(name)[1]
    with os.scandir(folder or ".") as listing:  # the first one found ends it, however many files there are
        return any(other.name != name and other.name.endswith(suffix) for other in listing)


def _renamed(path: str) -> Iterator[str]:
    """The path with the word for its split, in the name or the folder, replaced by a word for training."""
    parts = path.split("/")
    for at in range(max(0, len(parts) - 2), len(parts)):
        for word in EVAL_WORDS:
            for found in re.finditer(rf"(?<![a-zA-Z]){word}(?![a-zA-Z])", parts[at], re.IGNORECASE):
                for train in TRAIN_WORDS:
                    cased = train.upper() if found[0].isupper() else train.title() if found[0].istitle() else train
                    changed = parts[at][: found.start()] + cased + parts[at][found.end() :]
                    yield "/".join((*parts[:at], changed, *parts[at + 1 :]))


def compare(
    survey: "Survey", records: Iterable[Record], others: Iterable[tuple[str, Iterable[Record]]]
) -> "Leaks | str":
    """The records of the survey's file that its training files hold too; a reason when they are not compared."""
    if survey.records > MOST_RECORDS:
        return f"{survey.records} records are too many to compare splits"
    exact: dict[bytes, list[Record]] = {}
    near: dict[bytes, list[Record]] = {}
    for record in records:
        slim = record._replace(value={})
        exact.setdefault(digest(content(record.value)), []).append(slim)
        if (folded := folded_key(record.value)) is not None:
            near.setdefault(folded, []).append(slim)
    found: dict[int, Leak] = {}
    close: dict[int, Leak] = {}
    trained: dict[Any, Label] = {}
    label = survey.shape.label if survey.shape else None
    for path, trains in others:
        for train in trains:
            if label and isinstance(train.value.get(label), (str, int, float)):
                trained.setdefault(as_class(train.value[label]), Label(train.line, train.number))
            place = Location(path, train.line, record=train.number, note="trained on here")
            _match(exact.get(digest(content(train.value)), ()), place, found)
            if (folded := folded_key(train.value)) is not None:
                _match(near.get(folded, ()), place, close)
    unseen = {} if not trained or survey.tally.many_labels else _unseen(survey, trained)
    near_only = [leak for number, leak in sorted(close.items()) if number not in found]
    return Leaks([leak for _, leak in sorted(found.items())], near_only, unseen)


def _match(copies: Iterable[Record], place: Location, found: dict[int, Leak]) -> None:
    for copy in copies:
        found.setdefault(copy.number, Leak(copy.line, copy.number, copy.byte_offset, copy.raw, place))


def _unseen(survey: "Survey", trained: Mapping[Any, Label]) -> dict[Any, Label]:
    return {name: label for name, label in classes(survey.tally.labels).items() if name not in trained and name != -1}


def content(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A record without what only says which one it is."""
    return {key: child for key, child in value.items() if key.lower() not in IDENTITY}


def folded_key(value: Mapping[str, Any]) -> bytes | None:
    """A key of the letters and digits of a record's texts, in order of keys; None for a record with few of them."""
    folded = "\0".join(_FOLD.sub("", text.casefold()) for _, text in sorted(texts(content(value))))
    if len(folded) < SHORTEST_NEAR:
        return None
    return digest(folded)


def compared(survey: "Survey", module: Any, settings: "Settings") -> "Leaks | str":
    """Compare a file with its training files where it is an evaluation split and they can be read."""
    from trainproof_ci.readers.dataset import format_of, recognise

    if survey.split != "eval":
        return "not an evaluation split, by configuration or by name"
    readable = []
    for name in training_files(survey.path, settings):
        try:
            head = Head.of(name)
        except Unreadable:
            continue
        if recognise(head) is not None:
            readable.append((name, format_of(head).records(name)))
    if not readable:
        return "no training file beside this split, and none configured"
    return compare(survey, module.records(survey.path), readable)
