"""A JSON file read strictly: UTF-8, no key twice, no NaN, and the line of a key for a finding to stand on."""

import json
import os
import re

from trainproof_ci.readers.pointers import is_pointer
from trainproof_ci.readers.source import Head, Source, leads_outside
from trainproof_ci.typed import Any, NamedTuple

LARGEST = 64 << 20


class Problem(NamedTuple):
    """Why the file is not the JSON it should be, and where."""

    message: str
    measured: str
    line: int
    column: int | None = None


class JsonFile(NamedTuple):
    """A file that is there: its object, or the problem that it has. `pointer`: only a Git LFS pointer is there."""

    path: str
    value: dict[str, Any]
    text: str = ""
    problem: Problem | None = None
    pointer: bool = False

    def line_of(self, key: str) -> int:
        """The line at which `key` first stands as a key; 1 where it does not."""
        found = re.search(rf'"{re.escape(key)}"\s*:', self.text)
        return self.text.count("\n", 0, found.start()) + 1 if found else 1


class _Doubled(Exception):  # noqa: N818 - a state of the file
    """A key stands twice in one object."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        raise _Doubled(next(key for key, _ in pairs if key in seen or seen.add(key)))  # type: ignore[func-returns-value]
    return found


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")


def read_json(path: str) -> JsonFile | None:
    """The JSON object at `path`, None where there is no such file, or only a link that leads out of the working directory."""
    if not os.path.isfile(path) or (os.path.islink(path) and leads_outside(path, os.path.realpath("."))):
        return None
    if is_pointer(Head.of(path)):
        return JsonFile(path, {}, pointer=True)
    with Source(path) as source:
        if source.size > LARGEST:
            return JsonFile(path, {}, problem=Problem("the file is larger than is read", f"{source.size} bytes", 1))
        data = source.file.read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return JsonFile(path, {}, problem=Problem("the file is no UTF-8", f"byte {error.start}", line))
    return _parsed(path, text)


def _parsed(path: str, text: str) -> JsonFile:
    problem = None
    value: Any = None
    try:
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        problem = Problem("the file is no JSON", f"an error at column {error.colno}", error.lineno, error.colno)
    except _Doubled as doubled:
        places = [found.start() for found in re.finditer(rf'"{re.escape(str(doubled))}"\s*:', text)]
        at = places[1] if len(places) > 1 else 0
        problem = Problem(
            "a key stands twice in one object; readers take different ones", "2 of one key", text.count("\n", 0, at) + 1
        )
    except RecursionError:
        problem = Problem("the file is nested too deeply", "beyond the recursion limit", 1)
    except ValueError:
        problem = Problem("the file holds a number that is no JSON", "NaN, Infinity or thousands of digits", 1)
    if problem is None and not isinstance(value, dict):
        problem = Problem("the file holds no JSON object", type(value).__name__, 1)
    return JsonFile(path, value if isinstance(value, dict) and problem is None else {}, text, problem)
