"""Where a rule fired: a place in a file, and all the places of one finding."""

from array import array
from functools import cache, lru_cache

from trainproof_ci.typed import Any, NamedTuple

SHOWN_PLACES = 10
"""Places of one finding that reports show; the finding counts and keeps all of them."""


class Location(NamedTuple):
    """A place in a file.

    `line` counts LF from 1 and is None for a place in a binary file; `column` counts code points from 1,
    `byte_offset` bytes from 0, `record` records from 1; `step` is the training step, `key` a key path of the
    format's own vocabulary; `note` says what a related place is ("first copy").
    """

    path: str
    line: int | None = None
    column: int | None = None
    byte_offset: int | None = None
    record: int | None = None
    step: float | None = None
    key: str | None = None
    note: str | None = None


class Places:
    """Every place a rule fired at: the first ten in full, of all of them the line and a content key.

    A content key is 64 bits that stay the same when lines above are added or removed, so that a known finding
    is recognised by what it is about. Without content it is derived from the place itself.
    """

    __slots__ = ("keys", "lines", "shown")

    def __init__(self, *locations: Location) -> None:
        self.shown: list[Location] = []
        self.lines: array[int] = array("q")
        self.keys: array[int] = array("Q")
        for location in locations:
            self.add(location)

    def add(self, location: Location, content: bytes = b"") -> None:
        """Keep one more place; `content` is what the content key is made of and is itself not kept."""
        if len(self.shown) < SHOWN_PLACES:
            self.shown.append(location if location.line != 0 else location._replace(line=None))
        self.lines.append(location.line or 0)
        self.keys.append(content_key(content or repr((location.key, location.step, location.record)).encode()))

    def __len__(self) -> int:
        return len(self.lines)


def content_key(content: bytes) -> int:
    """64 bits of a digest of `content`: equal content, equal key, on every machine."""
    return _known_key(content) if len(content) <= SHORT else _key(content)


def _key(content: bytes) -> int:
    return int.from_bytes(_blake2b()(content, digest_size=8).digest(), "big")


SHORT = 256
"""Bytes; the keys of contents that are no longer are remembered, as copies follow each other."""
_known_key = lru_cache(maxsize=256)(_key)


@cache
def _blake2b() -> Any:
    try:
        from _blake2 import blake2b  # `hashlib` loads OpenSSL first, which takes longer than a small file to judge
    except ImportError:
        from hashlib import blake2b

    return blake2b


def safe_key(key: str) -> str:
    """A key outside the format's own vocabulary is data: print it only if it is identifier-like and short."""
    if len(key) <= 24 and key.isascii() and key.replace("_", "a").replace("-", "a").replace("/", "a").isalnum():
        return key
    return f"<a key of {len(key)} characters>"


def safe_path(path: str) -> str | None:
    """A key path as a report may print it, of short, identifier-like names and indices; None where it is not."""
    import re  # most files are judged without a key path to print

    name = r"[A-Za-z_][A-Za-z0-9_-]{0,23}(?:\[\d+\])*"
    return path if len(path) <= 60 and all(re.fullmatch(name, part) for part in path.split(".")) else None
