"""Which types stand below the top level of the records: in the fields of objects, and in lists.

Only what every record should have alike is looked at. Messages, tools and their arguments are of many types by design;
so is a list, or a field of the objects of a list, that has several types in one record.
"""

from array import array
from collections.abc import Iterable, Iterator

from trainproof_ci.readers.dataset.record import JSON_TYPES, Record
from trainproof_ci.typed import Any

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
MOST_OBJECTS = 64
"""Objects of one list that are looked at."""
KINDS = {**JSON_TYPES, int: "number"}
MIXED = "mixed"
"""What stands for the type of a field that has several types in one record."""


class Seen:
    """The records in which a field has one type: how many, and where they stand."""

    __slots__ = ("count", "lines", "numbers")

    def __init__(self) -> None:
        self.count = 0
        self.lines: array[int] = array("q")
        self.numbers: array[int] = array("q")


class Inner:
    """The types of the fields below the top level, by path; of the type that was met first, one place is kept."""

    def __init__(self) -> None:
        self.paths: dict[Path, dict[str, Seen]] = {}
        self.varied = False

    def add(self, record: Record, keys: Iterable[str]) -> None:
        """Count the fields below some keys of one record."""
        found: dict[Path, set[str]] = {}
        for key in keys:
            _walk(record.value[key], (key,), DEEPEST, found)
        for path, kinds in found.items():
            types = self.paths.get(path)
            if types is None:
                if self.varied or len(self.paths) >= MOST_PATHS:
                    self.varied = True
                    continue
                types = self.paths[path] = {}
            kind = next(iter(kinds)) if len(kinds) == 1 else MIXED
            seen = types.get(kind)
            if seen is None:
                seen = types[kind] = Seen()
            seen.count += 1
            if seen.count == 1 or len(types) > 1:
                seen.lines.append(record.line)
                seen.numbers.append(record.number)

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
                known.lines.extend(line + lines for line in seen.lines)
                known.numbers.extend(number + records for number in seen.numbers)


def _walk(value: Any, path: Path, deepest: int, found: dict[Path, set[str]]) -> None:
    """Collect the types below one value."""
    if isinstance(value, dict):
        for name, child in value.items():
            if name not in OPAQUE and child is not None:
                below = (*path, name)
                found.setdefault(below, set()).add(KINDS.get(type(child), "string"))
                if deepest > 1 and isinstance(child, (dict, list)):
                    _walk(child, below, deepest - 1, found)
    elif value:
        below = (*path, "[]")
        kinds = {KINDS.get(kind, "string") for kind in set(map(type, value))} - {"null"}
        if kinds:
            found.setdefault(below, set()).update(kinds)
        if kinds == {"object"} and deepest > 1:
            for child in value[:MOST_OBJECTS]:
                _walk(child or {}, below, deepest - 1, found)
