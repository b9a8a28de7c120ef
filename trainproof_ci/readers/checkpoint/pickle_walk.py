"""Walks a pickle opcode by opcode without building any object it asks for: nothing is imported, nothing is called.

What the pickle would import, call and reduce becomes inert nodes. Numbers and short strings are kept as they are.
"""

from trainproof_ci.readers.checkpoint.pickle_nodes import Call, Global, Mapping, Persistent
from trainproof_ci.readers.checkpoint.pickle_ops import OPS, WEIGHTS_ONLY, Endless, Malformed, Op, argument_at
from trainproof_ci.readers.checkpoint.pickle_stack import Stack
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_OPCODES = 2_500_000
"""A tensor takes about twenty, so this is the pickle of more than a hundred thousand tensors, walked in seconds."""
MOST_CONTAINERS = 600_000
MOST_REFUSED = 50
UNHASHABLE = frozenset({"collections.OrderedDict", "collections.Counter", "builtins.set", "builtins.bytearray"})


class Walked(NamedTuple):
    """The outcome: the root, everything it would import with the offset of the first time, and what it would call."""

    root: Any
    imports: dict[Global, int]
    calls: list[Call]
    storages: list[Persistent]
    refused: dict[str, int]


def walk(data: bytes) -> Walked:
    """Walk the pickle in `data` to its STOP. Raises `Malformed`."""
    return _Machine(data).run()


class _Machine(Stack):
    """The stack machine of pickle over inert nodes."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.data = data
        self.containers = 0
        self.memo: dict[int, Any] = {}
        self.imports: dict[Global, int] = {}
        self.calls: list[Call] = []
        self.storages: list[Persistent] = []
        self.refused: dict[str, int] = {}

    def run(self) -> Walked:
        data, place, end, ops = self.data, 0, len(self.data), OPS
        actions: dict[int, tuple[Op, Callable[[Any], object]]] = {
            code: (op, getattr(self, op.action)) for code, op in ops.items()
        }
        for _ in range(MOST_OPCODES):
            if place >= end:
                raise Malformed("it breaks off before its STOP", place)
            code = data[place]
            self.at = place
            if code not in actions:
                raise Malformed(f"byte 0x{code:02x} is no opcode", place)
            if code not in WEIGHTS_ONLY:
                self._refuse(f"opcode 0x{code:02x}")
            op, action = actions[code]
            value, place = argument_at(data, place + 1, op.argument) if op.argument else (None, place + 1)
            try:
                if action(value) is Walked:
                    return Walked(self.stack.pop(), self.imports, self.calls, self.storages, self.refused)
            except IndexError:
                raise Malformed("it takes from an empty stack", self.at) from None
        raise Endless(f"it has more than {MOST_OPCODES} opcodes", place)

    def _refuse(self, what: str) -> None:
        if len(self.refused) < MOST_REFUSED:
            self.refused.setdefault(what, self.at)

    def _top(self, *kinds: type) -> Any:
        top = self.stack[-1]
        if not isinstance(top, kinds):
            raise Malformed(f"it adds to a {type(top).__name__.lower()} as if it were a collection", self.at)
        return top

    def _hashable(self, key: Any, depth: int = 0) -> Any:
        made = key.function if isinstance(key, Call) else None
        if isinstance(key, list) or type(key) is Mapping or (isinstance(made, Global) and made.dotted in UNHASHABLE):
            raise Malformed("it uses a collection as a key", self.at)
        if type(key) is tuple and depth < 4 and len(key) < 64:
            for part in key:
                self._hashable(part, depth + 1)
        return key

    def _count(self) -> None:
        self.containers += 1
        if self.containers > MOST_CONTAINERS:
            raise Endless(f"it makes more than {MOST_CONTAINERS} containers", self.at)

    def empty_list(self, _: Any) -> None:
        self._count()
        self.stack.append([])

    empty_set = empty_list

    def empty_dict(self, _: Any) -> None:
        self._count()
        self.stack.append(Mapping())

    def protocol(self, version: int) -> None:
        if version > 5:  # torch's own reader goes on with a warning
            self._refuse(f"protocol {version}")

    def stop(self, _: Any) -> object:
        return Walked

    def append(self, _: Any) -> None:
        item = self.stack.pop()
        self._add(self._top(list, Call), [item])

    def appends(self, _: Any) -> None:
        items = self._to_mark()
        self._add(self._top(list, Call), items)

    add_items = appends

    @staticmethod
    def _add(target: Any, items: list[Any]) -> None:
        (target.items if isinstance(target, Call) else target).extend(items)

    def make_list(self, _: Any) -> None:
        items = self._to_mark()
        self.stack.append(items)

    frozen_set = make_list

    def make_dict(self, _: Any) -> None:
        items = self._to_mark()
        self.stack.append(Mapping())
        self._pairs(items)

    def set_item(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._pairs([key, value])

    def set_items(self, _: Any) -> None:
        self._pairs(self._to_mark())

    def _pairs(self, items: list[Any]) -> None:
        target = self._top(Mapping)
        if len(items) % 2:
            raise Malformed("a key in it has no value", self.at)
        target.pairs.extend(zip(map(self._hashable, items[::2]), items[1::2], strict=True))

    @staticmethod
    def _index(key: Any) -> int:
        """The number that a memo opcode names, -1 for a line that is none."""
        if type(key) is int:
            return key
        return int(key) if key.isdigit() and len(key) < 20 else -1

    def get(self, key: Any) -> None:
        index = self._index(key)
        if index not in self.memo:
            raise Malformed("it asks for something it never kept", self.at)
        self.stack.append(self.memo[index])

    def put(self, key: Any) -> None:
        self.memo[self._index(key)] = self.stack[-1]

    def memoize(self, _: Any) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def global_(self, names: tuple[str, str]) -> None:
        self._import(*names)

    def stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        if not isinstance(name, str) or not isinstance(module, str):
            raise Malformed("it imports by something that is no name", self.at)
        self._import(module, name)

    def _import(self, module: str, name: str) -> None:
        found = Global(module, name)
        self.imports.setdefault(found, self.at)
        self.stack.append(found)

    def instance(self, names: tuple[str, str]) -> None:
        arguments = tuple(self._to_mark())
        self._import(*names)
        self._call(self.stack.pop(), arguments)

    def object_(self, _: Any) -> None:
        made = self._to_mark()
        self._call(made[0], tuple(made[1:]))

    def reduce(self, _: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        self._call(function, arguments)

    def new_object(self, _: Any) -> None:
        self.reduce(None)

    def new_object_ex(self, _: Any) -> None:
        self.stack.pop()
        self.reduce(None)

    def _call(self, function: Any, arguments: Any) -> None:
        if not isinstance(function, (Global, Call)):
            raise Malformed(f"it calls a {type(function).__name__.lower()}", self.at)
        if not isinstance(arguments, tuple) and not isinstance(arguments, Call):
            raise Malformed("it calls something without a tuple of arguments", self.at)
        self._count()
        if not isinstance(function, Global):
            self._refuse("protocol of calls on what was made before")
        made = Call(function, arguments, self.at)
        self.calls.append(made)
        self.stack.append(made)

    def build(self, _: Any) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if not isinstance(target, (Call, Global)):
            raise Malformed(f"it sets the state of a {type(target).__name__.lower()}", self.at)
        if isinstance(target, Call):
            target.state = state

    def persistent_line(self, _: Any) -> None:
        raise Malformed("a storage is named by text, which torch does not read", self.at)

    def persistent(self, _: Any) -> None:
        made = Persistent(self.stack.pop(), self.at)
        self.storages.append(made)
        self.stack.append(made)
