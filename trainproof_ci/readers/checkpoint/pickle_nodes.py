"""Inert nodes that stand for what a pickle would import, call and build."""

from trainproof_ci.typed import Any, NamedTuple


class Global(NamedTuple):
    """Something the pickle would import."""

    module: str
    name: str

    @property
    def dotted(self) -> str:
        """`module.name`."""
        return f"{self.module}.{self.name}"


class Opaque(NamedTuple):
    """A value of no interest: a float as text, a byte array."""


class Persistent(NamedTuple):
    """A persistent identifier: in a checkpoint, a storage."""

    identifier: Any
    offset: int


class Mapping:
    """A dictionary that the pickle builds, as pairs in order."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        self.pairs: list[tuple[Any, Any]] = []

    def get(self, key: str) -> Any:
        """The last value under `key`, None without one."""
        return next((value for name, value in reversed(self.pairs) if name == key), None)

    def keys(self) -> list[str]:
        """The keys that are strings."""
        return [key for key, _ in self.pairs if isinstance(key, str)]


class Call(Mapping):
    """An object that the pickle would make by calling `function` with `arguments`; nothing is called here."""

    __slots__ = ("arguments", "function", "items", "offset", "state")

    def __init__(self, function: Any, arguments: Any, offset: int) -> None:
        super().__init__()
        self.function, self.arguments, self.offset = function, arguments, offset
        self.state: Any = None
        self.items: list[Any] = []
