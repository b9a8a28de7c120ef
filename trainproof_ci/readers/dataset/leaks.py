"""The records that an evaluation split shares with the files that are trained on."""

from collections.abc import Iterable, Mapping

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.duplicates import SPOKEN_ONCE, compared, digest
from trainproof_ci.readers.dataset.record import Record, texts
from trainproof_ci.readers.dataset.splits import training_files
from trainproof_ci.readers.dataset.tally import MOST_LABELS, as_class
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.readers.dataset.shapes import Shape
    from trainproof_ci.readers.dataset.survey import Survey

IDENTITY = frozenset({"id", "_id", "idx", "index", "uid", "uuid", "guid", "split", "__index_level_0__"})
"""Keys that say which record it is, not what it is."""
MOST_RECORDS = 1_000_000
"""An evaluation split with more records is not compared: its keys must fit in memory."""
SHORTEST_NEAR = 16
"""Letters and digits; shorter records agree by chance."""
_FOLD = later(r"[\W_]+")


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
    trained: Mapping[Any, int]
    """The labels that are trained on, as classes, and how many records have each; one more than can be counted at most."""


def compare(
    survey: "Survey", records: Iterable[Record], others: Iterable[tuple[str, Iterable[Record]]]
) -> "Leaks | str":
    """The records of the survey's file that its training files hold too; a reason when they are not compared."""
    if survey.records > MOST_RECORDS:
        return f"{survey.records} records are too many to compare splits"
    shape = survey.shape
    exact: dict[bytes, list[Record]] = {}
    near: dict[bytes, list[Record]] = {}
    for record in records:
        slim = record._replace(value={})
        exact.setdefault(digest(content(record.value, shape)), []).append(slim)
        if (folded := folded_key(record.value)) is not None:
            near.setdefault(folded, []).append(slim)
    found: dict[int, Leak] = {}
    close: dict[int, Leak] = {}
    trained: dict[Any, int] = {}
    label = shape.label if shape else None
    for path, trains in others:
        for train in trains:
            if label and isinstance(train.value.get(label), (str, int, float)):
                _count(as_class(train.value[label]), trained)
            place = Location(path, train.line, record=train.number, note="trained on here")
            _match(exact.get(digest(content(train.value, shape)), ()), place, found)
            if (folded := folded_key(train.value)) is not None:
                _match(near.get(folded, ()), place, close)
    near_only = [leak for number, leak in sorted(close.items()) if number not in found]
    return Leaks([leak for _, leak in sorted(found.items())], near_only, trained)


def _match(copies: Iterable[Record], place: Location, found: dict[int, Leak]) -> None:
    for copy in copies:
        found.setdefault(copy.number, Leak(copy.line, copy.number, copy.byte_offset, copy.raw, place))


def _count(label: Any, trained: dict[Any, int]) -> None:
    if label in trained or len(trained) <= MOST_LABELS:
        trained[label] = trained.get(label, 0) + 1


def content(value: Mapping[str, Any], shape: "Shape | None" = None) -> Mapping[str, Any]:
    """A record without what only says which one it is; of speech, that is the name of the clip."""
    if shape is not None and shape.name in SPOKEN_ONCE:
        return compared(value, shape)
    return {key: child for key, child in value.items() if key.lower() not in IDENTITY}


def folded_key(value: Mapping[str, Any]) -> bytes | None:
    """A key of the letters and digits of a record's texts, in order of keys; None for a record with few of them."""
    folded = "\0".join(_FOLD.sub("", text.casefold()) for _, text in sorted(texts(content(value))))
    if len(folded) < SHORTEST_NEAR:
        return None
    return digest(folded)


def compared_splits(survey: "Survey", module: Any, settings: "Settings") -> "Leaks | str":
    """Compare an evaluation split with its training files where they can be read."""
    from trainproof_ci.readers.dataset import format_of, recognise

    readable = []
    for name in training_files(survey.path, settings, survey.shape):
        try:
            head = Head.of(name)
        except Unreadable:
            continue
        if recognise(head) is not None:
            readable.append((name, format_of(head).records(name)))
    if not readable:
        return "no training file beside this split, and none configured"
    return compare(survey, module.records(survey.path), readable)
