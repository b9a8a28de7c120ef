"""The records that an evaluation split shares with the files that are trained on."""

from array import array
from collections.abc import Iterable, Mapping

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.duplicates import SPOKEN_ONCE, compared, digest
from trainproof_ci.readers.dataset.hashes import repeated_in
from trainproof_ci.readers.dataset.headers import is_number
from trainproof_ci.readers.dataset.known_columns import LABELS
from trainproof_ci.readers.dataset.record import Record, texts
from trainproof_ci.readers.dataset.splits import training_files
from trainproof_ci.readers.dataset.tally import MOST_LABELS, as_class
from trainproof_ci.readers.dataset.vocabulary import IDENTITY
from trainproof_ci.readers.dataset.whole import refuse_whole
from trainproof_ci.readers.pointers import refuse_pointer
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.readers.dataset.shapes import Shape
    from trainproof_ci.readers.dataset.survey import Survey

NO_CONTENT = IDENTITY | {"id", "split", "__index_level_0__", "", "unnamed: 0"}
"""Keys that say which record it is, or where it belongs, not what it is."""
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
    compared: int
    """How many records of the split hold anything that tells them from others."""
    alike: float
    """Which part of the training records equal another of them; 0 where the shape says which text a record is about."""


def compare(
    survey: "Survey", records: Iterable[Record], others: Iterable[tuple[str, Iterable[Record]]]
) -> "Leaks | str":
    """The records of the survey's file that its training files hold too; a reason when they are not compared."""
    if survey.records > MOST_RECORDS:
        return f"{survey.records} records are too many to compare splits"
    split = _Split(survey.shape)
    for record in records:
        split.add(record)
    for path, trains in others:
        try:
            for train in trains:
                split.hold_against(train, path)
        except Unreadable as why:
            return _unread(path, why)
    return split.shared()


def _unread(path: str, why: Unreadable) -> str:
    return f"{path}, which is trained on, could not be read: {why.reason}"


class _Split:
    """The records of an evaluation split, and which of them were met among those that are trained on."""

    def __init__(self, shape: "Shape | None") -> None:
        self.shape, self.label = shape, shape.label if shape else None
        self.exact: dict[bytes, list[Record]] = {}
        self.near: dict[bytes, list[Record]] = {}
        self.compared = 0
        self.found: dict[int, Leak] = {}
        self.close: dict[int, Leak] = {}
        self.trained: dict[Any, int] = {}
        self.keys: array[int] = array("q")
        """A hash of each training record that no shape says a text of."""

    def add(self, record: Record) -> None:
        """Keep what a record is found by."""
        slim = record._replace(value={})
        if told := content(record.value, self.shape):
            self.compared += 1
            self.exact.setdefault(digest(told), []).append(slim)
        if (folded := folded_key(record.value)) is not None:
            self.near.setdefault(folded, []).append(slim)

    def hold_against(self, train: Record, path: str) -> None:
        """Look whether a training record stands in the split, and count its label."""
        if self.label and isinstance(train.value.get(self.label), (str, int, float)):
            _count(as_class(train.value[self.label]), self.trained)
        place = Location(path, train.line, record=train.number, note="trained on here")
        if told := content(train.value, self.shape):
            key = digest(told)
            _match(self.exact.get(key, ()), place, self.found)
            if self.shape is None:
                self.keys.append(int.from_bytes(key[:8], "big", signed=True))
        if (folded := folded_key(train.value)) is not None:
            _match(self.near.get(folded, ()), place, self.close)

    def shared(self) -> Leaks:
        """What was found."""
        exact = [leak for _, leak in sorted(self.found.items())]
        near_only = [leak for number, leak in sorted(self.close.items()) if number not in self.found]
        repeated = repeated_in([self.keys]) if exact or near_only else set()
        alike = sum(key in repeated for key in self.keys) / max(1, len(self.keys))
        return Leaks(exact, near_only, self.trained, self.compared, alike)


def _match(copies: Iterable[Record], place: Location, found: dict[int, Leak]) -> None:
    for copy in copies:
        found.setdefault(copy.number, Leak(copy.line, copy.number, copy.byte_offset, copy.raw, place))


def _count(label: Any, trained: dict[Any, int]) -> None:
    if label in trained or len(trained) <= MOST_LABELS:
        trained[label] = trained.get(label, 0) + 1


def content(value: Mapping[str, Any], shape: "Shape | None" = None) -> Mapping[str, Any]:
    """A record without what only says which one it is; of speech, that is the name of the clip.

    Of a label alone the name of the record says what it is about; a number only counts the records of a file. Empty
    where nothing is left that tells one record from another.
    """
    if shape is not None and shape.name in SPOKEN_ONCE:
        return compared(value, shape)
    left = {key: child for key, child in value.items() if key.lower() not in NO_CONTENT}
    if len(left) > 1 or not all(_is_label(key, child) for key, child in left.items()):
        return left
    named = {key: child for key, child in value.items() if key.lower() != "split" and _is_name(child)}
    return {**named, **left} if named.keys() - left else {}


def _is_label(key: str, child: Any) -> bool:
    """Whether a value is a class or a number, which many records have."""
    if isinstance(child, str) and not is_number(child):
        return key.lower() in LABELS and len(child) < SHORTEST_NEAR
    return child is None or isinstance(child, (str, int, float))


def _is_name(child: Any) -> bool:
    return isinstance(child, str) and bool(child) and not is_number(child)


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
            refuse_pointer(head)
            refuse_whole(head)
        except Unreadable as why:
            return _unread(name, why)
        if recognise(head) is not None:
            readable.append((name, format_of(head).records(name)))
    if not readable:
        return "no training file beside this split, and none configured"
    return compare(survey, module.records(survey.path), readable)
