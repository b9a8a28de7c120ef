"""One record of a dataset, whatever the format it was written in, and what a rule says about it."""

from collections.abc import Iterator, Mapping

from trainproof_ci.model import Severity
from trainproof_ci.patterns import later
from trainproof_ci.typed import Any, NamedTuple

DEEPEST_WALK = 64


class Record(NamedTuple):
    """A record: a line of JSON Lines, an element of a JSON array, a row of a table.

    `number` counts records from 1, `line` is the physical line it begins on, `byte_offset` where that line begins
    (in the decompressed bytes of a compressed file). `value` holds the fields by name, `raw` the bytes it was made
    from. `plain` promises that the screens found nothing rare in `raw`: rules that need "rare-text" are not asked.
    """

    number: int
    line: int
    byte_offset: int
    value: Mapping[str, Any]
    raw: bytes
    plain: bool = False


class Fault(NamedTuple):
    """What a record rule found in one record; line and offset are those of the record unless given."""

    message: str
    measured: str
    limit: str
    key: str | None = None
    line: int | None = None
    column: int | None = None
    byte_offset: int | None = None
    severity: Severity | None = None
    apart: bool = False
    """Whether the faults of this key are a finding of their own, however many the rule finds in others."""


def json_type(value: object) -> str:
    """The JSON name of the type of a value."""
    return JSON_TYPES.get(type(value), "string")


JSON_TYPES: Mapping[type, str] = {
    str: "string", bool: "boolean", int: "integer", float: "number", list: "list", dict: "object", type(None): "null",
}  # fmt: skip


def texts(value: object, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every string in `value` with the path of keys that leads to it, down to a bounded depth."""
    if isinstance(value, str):
        yield key, value
    elif depth >= DEEPEST_WALK:
        return
    elif isinstance(value, dict):
        for name, child in value.items():
            yield from texts(child, f"{key}.{name}" if key else name, depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, child in enumerate(value):
            yield from texts(child, f"{key}[{index}]", depth + 1)


DEEPEST = 256
"""Levels of nesting beyond which a record is not judged: walking it would exhaust the stack before the parser does."""


def too_deep(value: object, raw: bytes) -> bool:
    """Whether a value is nested deeper than `DEEPEST`; its raw bytes prove most values flat at once."""
    if raw.count(b"[") + raw.count(b"{") <= DEEPEST:
        return False
    level = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, (dict, list))
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: empty, white space, or only characters without width."""
    return not text.strip() or not text.strip("\u200b\u200c\u200d\u2060\ufeff\u00ad \t\r\n\f\v\u00a0")


def is_nothing(value: object) -> bool:
    """Whether a value says nothing: null, a blank text, a list of none or of nothing but those."""
    if isinstance(value, list):
        return all(part is None or (isinstance(part, str) and is_blank(part)) for part in value)
    return value is None or (isinstance(value, str) and is_blank(value))


PLACEHOLDERS = frozenset(
    {
        "todo", "tbd", "fixme", "placeholder", "[placeholder]", "<placeholder>", "[object object]", "undefined", "lorem ipsum",
        "your answer here", "insert answer here", "[insert answer here]", "<answer>", "[answer]", "<completion>", "<response>",
        "<output>", "answer goes here", "to be filled", "to be done", "{answer}", "{{answer}}", "{response}", "{completion}", "{output}",
        "{question}", "[response]", "[output]", "[todo]", "<todo>", "[your answer here]", "<your answer here>", "<insert answer here>",
    }
)  # fmt: skip
LONGEST_PLACEHOLDER = 32
FILLER = ("Lorem ipsum dolor sit", "lorem ipsum dolor sit")
"""What a text begins with that fills a page before the real one is written."""
TEMPLATE = later(r"\{\{\s*[a-zA-Z_]{3,}\s*\}\}")
"""The name of a value that was to be put there."""


def is_placeholder(text: str) -> bool:
    """Whether a text stands where an answer was meant to be written."""
    if len(text) > LONGEST_PLACEHOLDER:
        return text.startswith(FILLER)
    bare = text.strip(" .\n")
    if bare.startswith("{{") and TEMPLATE.fullmatch(bare) is not None:
        return True
    return bare.casefold() in PLACEHOLDERS and bare != "Todo"  # which is "all" in Spanish and Portuguese
