"""Collects what one pass over a dataset comes upon, grouped so that one cause becomes one finding."""

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.dataset.record import Fault, Record
from trainproof_ci.typed import Any


class Sighting:
    """Something the reader came upon and no rule has judged yet: all its places, and the first measurement."""

    __slots__ = ("measured", "places")

    def __init__(self, measured: str = "") -> None:
        self.measured, self.places = measured, Places()

    def __len__(self) -> int:
        return len(self.places)


class Group:
    """The faults of one rule and severity: the first one speaks, the places are kept of all."""

    __slots__ = ("first", "places")

    def __init__(self, first: Fault) -> None:
        self.first, self.places = first, Places()

    def firing(self) -> Firing:
        """The one finding all of them become."""
        more = f" (and {len(self.places) - 1} more)" if len(self.places) > 1 else ""
        first = self.first
        return Firing(first.message, first.measured + more, first.limit, self.places, severity=first.severity)


class Faults:
    """Faults of record rules by rule and severity, and sightings by name."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.groups: dict[str, dict[tuple[Severity | None, str | None], Group]] = {}
        self.sightings: dict[str, Sighting] = {}

    def add(self, rule_id: str, fault: Fault, record: Record, path: str | None = None) -> None:
        """Keep one fault that a record rule found, in another file than the usual one where `path` names it."""
        kind = (fault.severity, fault.key if fault.apart else None)
        group = self.groups.setdefault(rule_id, {}).setdefault(kind, Group(fault))
        line = fault.line or record.line + _lines_before(record.raw, fault.key) or None
        offset = record.byte_offset if fault.byte_offset is None else fault.byte_offset
        place = Location(path or self.path, line, fault.column, offset, record.number, key=fault.key)
        group.places.add(place, content=record.raw)

    def sight(self, name: str, place: Location, measured: str, content: bytes) -> None:
        """Keep one thing the reader came upon."""
        seen = self.sightings.get(name)
        if seen is None:
            seen = self.sightings[name] = Sighting(measured)
        seen.places.add(place, content=content)

    def count(self) -> int:
        """How many places have been kept so far."""
        groups = sum(len(group.places) for kinds in self.groups.values() for group in kinds.values())
        return groups + sum(len(seen.places) for seen in self.sightings.values())

    def firings(self, rule_id: str) -> list[Firing]:
        """What a record rule found, one firing a severity."""
        return [group.firing() for group in self.groups.get(rule_id, {}).values()]

    def merge(self, other: "Faults", lines: int, records: int, offset: int) -> None:
        """Append what another pass came upon after `lines` lines, `records` records and `offset` bytes."""
        for rule_id, groups in other.groups.items():
            for kind, group in groups.items():
                mine = self.groups.setdefault(rule_id, {}).setdefault(kind, Group(group.first))
                append(mine.places, group.places, lines, records, offset)
        for name, seen in other.sightings.items():
            append(self.sightings.setdefault(name, Sighting(seen.measured)).places, seen.places, lines, records, offset)


def _lines_before(raw: bytes, key: str | None) -> int:
    """How many lines below its beginning a record has the field that a fault is about; 0 where it is one line."""
    if key is None or b"\n" not in raw.strip() or raw[:1] != b"{":
        return 0
    from trainproof_ci.readers.dataset.strict_json import position_of  # only a record over several lines needs it

    text = raw.decode("utf-8", "replace")
    return text.count("\n", 0, position_of(text, key))


def append(mine: Places, other: Places, lines: int, records: int, offset: int) -> None:
    """Append the places of a later part of the same file."""
    mine.shown += [shifted(place, lines, records, offset) for place in other.shown[: 10 - len(mine.shown)]]
    mine.lines.extend(line + lines if line else 0 for line in other.lines)
    mine.keys.extend(other.keys)


def shifted(place: Location, lines: int, records: int, offset: int) -> Location:
    """A place counted from the beginning of a part, counted from the beginning of the file."""

    def plus(value: "int | None", more: int) -> Any:
        return None if value is None else value + more

    return place._replace(
        line=plus(place.line, lines), record=plus(place.record, records), byte_offset=plus(place.byte_offset, offset)
    )
