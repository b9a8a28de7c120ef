"""Which types stand below the top level of the records: in the fields of objects, and in lists.

Only what every record should have alike is looked at. Messages, tools and their arguments are of many types by design;
so is a list, or a field of the objects of a list, that has several types in one record.
"""

from array import array
from collections.abc import Iterable, Iterator

from trainproof_ci.readers.dataset.record import JSON_TYPES, Record
from trainproof_ci.typed import Any, NamedTuple

Path = tuple[str, ...]
"""The keys that lead to a field; `[]` for the elements of a list."""
OPAQUE = frozenset(
    {
        "messages", "conversations", "conversation", "contents", "interactions", "history", "turns", "dialog", "dialogue", "prompt",
        "completion", "completions", "chosen", "rejected", "input", "output", "preferred_output", "non_preferred_output", "system",
        "tools", "functions", "function", "available_tools", "toolConfig", "tool_calls", "function_call", "arguments", "parameters",
        "params", "args", "kwargs", "properties", "schema", "json_schema", "response_format", "generationConfig", "default", "enum",
        "const", "content", "value", "values", "parts", "input_ids", "attention_mask", "token_type_ids", "position_ids",
    }
)  # fmt: skip
"""Keys below which types differ by design, or which other rules look at."""
DEEPEST = 3
"""Levels below the top one that are looked at."""
MOST_PATHS = 512
"""More fields than this, and their names are data."""
MOST_PLACES = 64
"""Places that are kept of each type of a field."""
MOST_OBJECTS = 64
"""Objects of one list that are looked at."""
MOST_PLANS = 4096
"""Forms of values that are remembered."""
KINDS = {**JSON_TYPES, int: "number"}
MIXED = "mixed"
"""What stands for the type of a field that has several types in one record."""


class Plan(NamedTuple):
    """What values of one form have below them: paths with their types, and names below which there is more."""

    noted: tuple[tuple[Path, str], ...]
    nested: tuple[tuple[str, Path], ...]


class Seen:
    """The records in which a field has one type: how many, and where they stand."""

    __slots__ = ("count", "lines", "numbers")

    def __init__(self) -> None:
        self.count = 0
        self.lines: array[int] = array("q")
        self.numbers: array[int] = array("q")


class Inner:
    """The types of the fields below the top level, by path; of each type the first places are kept."""

    def __init__(self) -> None:
        self.paths: dict[Path, dict[str, Seen]] = {}
        self.varied = False
        self._plans: dict[Any, Plan] = {}

    def add(self, record: Record, keys: Iterable[str]) -> None:
        """Count the fields below some keys of one record."""
        if self.varied:
            return
        found: dict[Path, str] = {}
        for key in keys:
            self._walk(record.value[key], (key,), DEEPEST, found)
        for path, kind in found.items():
            types = self.paths.get(path)
            if types is None:
                if len(self.paths) >= MOST_PATHS:
                    self.varied = True
                    self._plans.clear()
                    return
                types = self.paths[path] = {}
            seen = types.get(kind)
            if seen is None:
                seen = types[kind] = Seen()
            seen.count += 1
            if seen.count <= MOST_PLACES:
                seen.lines.append(record.line)
                seen.numbers.append(record.number)

    def _walk(self, value: Any, path: Path, deepest: int, found: dict[Path, str]) -> None:
        """Collect the types below one value."""
        if len(value) > MOST_PATHS and isinstance(value, dict):
            self.varied = True  # so many keys are data
            return
        listed = isinstance(value, list)
        form = (path, frozenset(map(type, value))) if listed else (path, tuple(value), tuple(map(type, value.values())))
        plan = self._plans.get(form)
        if plan is None:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            plan = self._plans[form] = (_elements if listed else _fields)(*form)
        for below, kind in plan.noted:
            if found.setdefault(below, kind) != kind:
                found[below] = MIXED
        if deepest > 1:
            for name, below in plan.nested:
                for child in value[:MOST_OBJECTS] if listed else (value[name],):
                    if child is not None:
                        self._walk(child, below, deepest - 1, found)

    def drifting(self) -> Iterator[tuple[Path, dict[str, Seen]]]:
        """The fields that have one type in some records and another in others."""
        if not self.varied:
            yield from ((path, types) for path, types in self.paths.items() if len(types) > 1 and MIXED not in types)

    def merge(self, other: "Inner", lines: int, records: int) -> None:
        """Append what a later part of the file has."""
        self.varied |= other.varied or len(self.paths.keys() | other.paths.keys()) > MOST_PATHS
        if self.varied:
            return
        for path, types in other.paths.items():
            mine = self.paths.setdefault(path, {})
            for kind, seen in types.items():
                known = mine.setdefault(kind, Seen())
                known.count += seen.count
                room = MOST_PLACES - len(known.lines)
                known.lines.extend(line + lines for line in seen.lines[:room])
                known.numbers.extend(number + records for number in seen.numbers[:room])


def _fields(path: Path, names: tuple[str, ...], types: tuple[type, ...]) -> Plan:
    """The plan for objects with these fields."""
    looked = [
        ((*path, name), name, type_) for name, type_ in zip(names, types, strict=True)
        if name not in OPAQUE and type_ is not type(None)
    ]  # fmt: skip
    noted = tuple((below, KINDS.get(type_, "string")) for below, _, type_ in looked)
    return Plan(noted, tuple((name, below) for below, name, type_ in looked if type_ in {dict, list}))


def _elements(path: Path, types: frozenset[type]) -> Plan:
    """The plan for lists with elements of these types; lists in lists are not looked into."""
    below, kinds = (*path, "[]"), {KINDS.get(type_, "string") for type_ in types} - {"null"}
    if not kinds:
        return Plan((), ())
    kind = next(iter(kinds)) if len(kinds) == 1 else MIXED
    return Plan(((below, kind),), ((("[]", below),) if kind == "object" else ()))
