"""Which keys the records have, with which types, from which record to which."""

from array import array
from collections.abc import Iterator, Sequence

from trainproof_ci.readers.dataset.record import JSON_TYPES, Record
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.inner import Inner

Signature = tuple[tuple[str, ...], tuple[type, ...]]
MOST_SIGNATURES = 512
"""More kinds of record than this, and the keys are data, not columns."""
MOST_COLUMNS = 1024
"""The same for the keys of one record."""


class Kind:
    """The records of one signature: how many, the first and the last, where they stand, which keys have more below."""

    __slots__ = ("count", "first", "kept", "last", "lines", "nested", "numbers")

    def __init__(self, first: int) -> None:
        self.count, self.first, self.last, self.kept = 0, first, first, True
        self.lines: array[int] = array("q")
        self.numbers: array[int] = array("q")
        self.nested: tuple[str, ...] = ()


class Column(NamedTuple):
    """One key: the number of records that have it, the first and last of them, and their number by JSON type."""

    present: int
    first: int
    last: int
    types: dict[str, int]


class Columns:
    """The kinds of record by signature."""

    def __init__(self) -> None:
        self.kinds: dict[Signature, Kind] = {}
        self.inner: Inner | None = None
        """What stands below the top level, once a record has anything there."""
        self.varied = False
        self.primary: Signature | None = None
        """The signature of the first record; the lines of its kind are not kept, it is the rule and no exception."""
        self.latest: Signature | None = None
        self._named: dict[str, Column] | None = None

    def add(self, record: Record) -> None:
        """Count one record."""
        signature = (tuple(record.value), tuple(map(type, record.value.values())))
        kind = self.kinds.get(signature)
        if kind is None:
            if self.varied or len(self.kinds) >= MOST_SIGNATURES or len(signature[0]) > MOST_COLUMNS:
                self.varied, self.latest = True, None
                return
            kind = self.kinds[signature] = Kind(record.number)
            kind.kept = signature != self.primary
            kind.nested = _nested(*signature)
        self.latest = signature
        if kind.nested:
            self.inner = self.inner or _inner()
            self.inner.add(record, kind.nested)
        self.more(kind, (record.line,), (record.number,))

    def more(self, kind: Kind, lines: Sequence[int], numbers: Sequence[int]) -> None:
        """Count more records of one kind, in order."""
        self._named = None
        kind.count += len(numbers)
        kind.last = numbers[-1]
        if kind.kept:
            kind.lines.extend(lines)
            kind.numbers.extend(numbers)

    def named(self) -> dict[str, Column]:
        """The columns by key."""
        if self._named is None:  # several rules ask
            self._named = self._by_key()
        return self._named

    def _by_key(self) -> dict[str, Column]:
        found: dict[str, Column] = {}
        for (keys, types), kind in self.kinds.items():
            for key, type_ in zip(keys, types, strict=True):
                old = found.get(key) or Column(0, kind.first, kind.last, {})
                name = JSON_TYPES.get(type_, "string")
                old.types[name] = old.types.get(name, 0) + kind.count
                found[key] = Column(
                    old.present + kind.count, min(old.first, kind.first), max(old.last, kind.last), old.types
                )
        return found

    def first(self, key: str, type_name: str) -> int:
        """The number of the first record in which `key` has a type."""
        return min((number for _, number in self.having(key, type_name)), default=0)

    def having(self, key: str, type_name: str | None = None) -> Iterator[tuple[int, int]]:
        """(line, record number) of the records that have `key`, of one JSON type if given; line 0 for the first kind."""
        for (keys, types), kind in self.kinds.items():
            if key in keys and type_name in {None, JSON_TYPES.get(types[keys.index(key)], "string")}:
                yield from zip(kind.lines, kind.numbers, strict=True) if kind.lines else ((0, kind.first),)

    def merge(self, other: "Columns", lines: int, records: int) -> None:
        """Append what a later part of the file has."""
        self.varied |= other.varied
        self._named = None
        if other.inner is not None:
            self.inner = self.inner or _inner()
            self.inner.merge(other.inner, lines, records)
        for signature, kind in other.kinds.items():
            mine = self.kinds.get(signature)
            if mine is None:
                if len(self.kinds) >= MOST_SIGNATURES:
                    self.varied = True
                    continue
                mine = self.kinds[signature] = Kind(kind.first + records)
                mine.kept, mine.nested = kind.kept, kind.nested
            mine.count += kind.count
            mine.last = kind.last + records
            if mine.kept:
                mine.lines.extend(line + lines for line in kind.lines)
                mine.numbers.extend(number + records for number in kind.numbers)


def _inner() -> "Inner":
    from trainproof_ci.readers.dataset.inner import Inner  # most records are flat

    return Inner()


def _nested(keys: tuple[str, ...], types: tuple[type, ...]) -> tuple[str, ...]:
    """The keys below which types are compared."""
    if dict not in types and list not in types:
        return ()
    from trainproof_ci.readers.dataset.inner import OPAQUE

    return tuple(key for key, type_ in zip(keys, types, strict=True) if type_ in {dict, list} and key not in OPAQUE)
