"""Regular expressions that are compiled when they are first used: most files never need most of them."""

import re

from trainproof_ci.typed import Any, AnyStr, cast


class _Later:
    """Stands for a pattern; the first use compiles it and keeps its methods."""

    def __init__(self, pattern: Any, flags: int) -> None:
        self.source, self.chosen = pattern, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self.source, self.chosen)
        for method in ("search", "match", "fullmatch", "findall", "finditer", "sub", "split", "pattern"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def later(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """The pattern, compiled at its first use; only the methods of a pattern may be used of it."""
    return cast("re.Pattern[AnyStr]", _Later(pattern, flags))


class Narrowed:
    """A pattern behind one that is simpler and finds something wherever it does: mostly that one is all it takes."""

    def __init__(self, simple: "re.Pattern[bytes] | Narrowed", pattern: bytes) -> None:
        self._simple, self._pattern = simple, later(pattern)

    def search(self, data: bytes) -> re.Match[bytes] | None:
        """As the method of a pattern."""
        return None if self._simple.search(data) is None else self._pattern.search(data)
