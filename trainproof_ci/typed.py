"""What the modules need of `typing` while they run: `typing` itself takes longer to load than a small file to judge.

A type checker sees the originals. In their place annotations, which nobody reads while a program runs, get a name each,
and a named tuple is made without a look at the types of its fields.
"""

import sys

TYPE_CHECKING = False

if TYPE_CHECKING or sys.version_info >= (3, 14):
    # From 3.14 on, the annotations of a class do not stand in its body.
    from typing import IO, Any, AnyStr, BinaryIO, NamedTuple, NoReturn, Protocol, cast
else:
    from collections import _tuplegetter  # what a field of its named tuples is
    from collections.abc import Iterable
    from functools import cache
    from types import CodeType, FunctionType

    class _NamedTuple(tuple):
        __slots__ = ()

        @classmethod
        def _make(cls, values: Iterable[object]) -> "_NamedTuple":
            return cls(*values)

        def _replace(self, /, **changes: object) -> "_NamedTuple":
            made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self) -> dict[str, object]:
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self) -> tuple[object, ...]:
            return tuple(self)

        def __repr__(self) -> str:
            said = (f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({', '.join(said)})"

    class _NamedTuples(type):
        """Makes a class as `collections.namedtuple` does, which takes five times as long, once for every class."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, object]) -> type:
            del bases
            fields = tuple(body.get("__annotations__", ()))
            defaults = {field: body.pop(field) for field in fields if field in body}
            code = _maker(len(fields)).replace(co_varnames=("_cls", *fields))
            new = FunctionType(code, {"_new": tuple.__new__}, "__new__", tuple(defaults.values()))
            new.__qualname__ = f"{name}.__new__"
            own = {
                "__slots__": (),
                "__new__": new,
                "__match_args__": fields,
                "_fields": fields,
                "_field_defaults": defaults,
                **{field: _tuplegetter(place, "") for place, field in enumerate(fields)},
            }
            return type(name, (_NamedTuple,), own | body)

    @cache
    def _maker(count: int) -> CodeType:
        """The code that makes a named tuple of so many fields, whose names are still to be put in."""
        fields = "".join(f"f{place}, " for place in range(count))
        made: CodeType = eval(f"lambda _cls, {fields}: _new(_cls, ({fields}))").__code__  # noqa: S307 - nothing from outside
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
