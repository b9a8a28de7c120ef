"""Path patterns of the configuration and the command line: `*`, `?`, `[...]` inside a segment, `**` across segments."""

from fnmatch import fnmatchcase
from functools import lru_cache

WILD = frozenset("*?[")


def is_pattern(text: str) -> bool:
    """Whether `text` holds a wildcard."""
    return not WILD.isdisjoint(text)


@lru_cache(maxsize=512)
def _segments(pattern: str) -> tuple[str, ...]:
    kept: list[str] = []
    for segment in pattern.removeprefix("./").split("/"):
        if not (segment == "**" and kept[-1:] == ["**"]):  # `**/**` says no more than `**`
            kept.append(segment)
    return tuple(kept)


def matches(path: str, pattern: str) -> bool:
    """Whether the `/`-separated relative `path` fits `pattern`; a pattern that names a folder fits all below it.

    Takes O(segments of path x segments of pattern) whatever the pattern.
    """
    parts, wanted = path.split("/"), _segments(pattern.rstrip("/"))
    reachable = {0}
    for part in parts:
        reachable = _step(reachable, wanted, part)
        if len(wanted) in reachable:  # all of the pattern is used up: the path itself, or a folder above it
            return True
        if not reachable:
            return False
    return any(all(segment == "**" for segment in wanted[at:]) for at in reachable)


def _step(reachable: set[int], wanted: tuple[str, ...], part: str) -> set[int]:
    following: set[int] = set()
    pending = list(reachable)
    while pending:
        at = pending.pop()
        if at >= len(wanted):
            continue
        if wanted[at] == "**":
            following.add(at)  # this part is one of those that `**` covers
            pending.append(at + 1)  # or `**` covered none
        elif fnmatchcase(part, wanted[at]):
            following.add(at + 1)
    return following
