"""A small, bounded reading of YAML: plain values with their lines, and an error for everything surprising.

Built from the parser's events, so that no object is ever constructed. Anchors, aliases, tags, merge keys, several
documents, duplicate keys, deep nesting and large files are refused. Bare words are strings but for
true, false, null and decimal numbers: `off`, `no` and `1:30` mean what they say.
"""

import math
import re

from trainproof_ci.errors import UsageError
from trainproof_ci.typed import Any, NamedTuple

LARGEST = 64 << 10
DEEPEST = 16
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?\Z")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}


class Node(NamedTuple):
    """A value and the line it stands on: `value` is a dict of str to Node, a list of Node, or a scalar."""

    value: Any
    line: int


class InvalidYamlError(UsageError):
    """What no reader of YAML takes, at line `line`."""

    def __init__(self, name: str, line: int | None, problem: str) -> None:
        super().__init__(f"{name}{f':{line}' if line else ''}: not valid YAML ({problem})")
        self.line, self.problem = line, problem


def load(data: bytes, name: str) -> Node:
    """Read one YAML document. Raises `UsageError` with `name` and the line for anything not plainly understood."""
    if len(data) > LARGEST:
        raise UsageError(f"{name}: {len(data)} bytes; a configuration holds at most {LARGEST}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 at byte {error.start}") from None
    try:
        import yaml  # only a run with a configuration needs it
    except ImportError:
        raise UsageError(
            f"{name}: reading a configuration needs PyYAML, which is not installed (pip install PyYAML)"
        ) from None

    try:
        return _Builder(name).build(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InvalidYamlError(name, line, error.context or "syntax") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise UsageError(f"{name}: not valid YAML (a character or a structure that YAML does not allow)") from None


class _Builder:
    """Turns parser events into nodes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.open: list[tuple[Node, list[Node]]] = []  # the collections being read, with their children so far
        self.root: Node | None = None
        self.documents = 0

    def build(self, events: Any) -> Node:
        for event in events:
            self.take(type(event).__name__, event)
        return self.root or Node(None, 1)

    def take(self, kind: str, event: Any) -> None:
        line = event.start_mark.line + 1
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                raise self.error(line, "several documents; one is read")
        elif kind == "AliasEvent" or getattr(event, "anchor", None):
            raise self.error(line, "anchors and aliases are not supported; write the value out")
        elif getattr(event, "tag", None):
            raise self.error(line, "tags are not supported")
        elif kind == "ScalarEvent":
            self.add(Node(event.value if event.style else self.plain(event.value, line), line))
        elif kind in {"MappingStartEvent", "SequenceStartEvent"}:
            if len(self.open) >= DEEPEST:
                raise self.error(line, f"nested deeper than {DEEPEST} levels")
            self.open.append((Node({} if kind[0] == "M" else [], line), []))
        elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
            self.close()

    def close(self) -> None:
        node, children = self.open.pop()
        if isinstance(node.value, list):
            node.value.extend(children)
        else:
            for key, value in zip(children[::2], children[1::2], strict=True):
                self.set_key(node.value, key, value)
        self.add(node)

    def set_key(self, mapping: dict[str, Node], key: Node, value: Node) -> None:
        if not isinstance(key.value, (str, int)) or isinstance(key.value, bool):
            raise self.error(key.line, "a key must be a plain word or a whole number")
        if key.value == "<<":
            raise self.error(key.line, "merge keys are not supported")
        if str(key.value) in mapping:
            raise self.error(key.line, "a key stands here for the second time")
        mapping[str(key.value)] = Node(value.value, value.line)

    def add(self, node: Node) -> None:
        if self.open:
            self.open[-1][1].append(node)
        else:
            self.root = node

    def plain(self, word: str, line: int) -> Any:
        if word.lower() in _WORDS:
            return _WORDS[word.lower()]
        if _NUMBER.match(word):
            number = float(word) if not word.lstrip("+-").isdigit() else int(word)
            if math.isfinite(number):
                return number
        if word[:1].isdigit() and word.replace("_", "").isdigit():
            raise self.error(line, "a number with a leading zero, a separator or too many digits; write it plainly")
        return word

    def error(self, line: int, problem: str) -> UsageError:
        return UsageError(f"{self.name}:{line}: {problem}")
