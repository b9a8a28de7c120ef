"""What the modules need of `typing` while they run: `typing` itself takes longer to load than a small file to judge.

A type checker sees the originals. In their place annotations, which nobody reads while a program runs, get a name each,
and a named tuple is made by `collections` without a look at the types of its fields.
"""

import sys

TYPE_CHECKING = False

if TYPE_CHECKING or sys.version_info >= (3, 14):
    # From 3.14 on, the annotations of a class do not stand in its body.
    from typing import IO, Any, AnyStr, BinaryIO, NamedTuple, NoReturn, Protocol, cast
else:
    from collections import namedtuple

    class _NamedTuples(type):
        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            del bases
            fields = body.get("__annotations__", {})
            defaults = [body[field] for field in fields if field in body]
            made = namedtuple(name, fields, defaults=defaults, module=body["__module__"])  # noqa: PYI024 - its typed twin is what we do without
            for key, value in body.items():
                if key not in fields and key not in {"__module__", "__qualname__"}:
                    setattr(made, key, value)
            return made

    NamedTuple = type.__new__(_NamedTuples, "NamedTuple", (), {})

    class Any:
        """Stands for any type, and for a type with parameters."""

        def __class_getitem__(cls, parameters: object) -> type:
            return cls

    IO = AnyStr = BinaryIO = NoReturn = Protocol = Any

    def cast(kind: object, value: object) -> object:
        """The value as it is."""
        del kind
        return value


__all__ = ["IO", "TYPE_CHECKING", "Any", "AnyStr", "BinaryIO", "NamedTuple", "NoReturn", "Protocol", "cast"]
