"""The stack of a pickle machine and the opcodes that only put plain values on it."""

# ruff: noqa: D102 - a method is named after the opcode that it does

from trainproof_ci.readers.checkpoint.pickle_nodes import Opaque
from trainproof_ci.readers.checkpoint.pickle_ops import Malformed
from trainproof_ci.typed import Any


class Stack:
    """The stack, the stacks below the marks, and the offset of the opcode at work."""

    def __init__(self) -> None:
        self.at = 0
        self.stack: list[Any] = []
        self.marks: list[list[Any]] = []

    def _to_mark(self) -> list[Any]:
        items, self.stack = self.stack, self.marks.pop()
        return items

    def nothing(self, _: Any) -> None:
        """FRAME and READONLY_BUFFER change nothing that matters here."""

    def mark(self, _: Any) -> None:
        self.marks.append(self.stack)
        self.stack = []

    def pop(self, _: Any) -> None:
        if self.stack:
            self.stack.pop()
        else:
            self._to_mark()

    def pop_mark(self, _: Any) -> None:
        self._to_mark()

    def dup(self, _: Any) -> None:
        self.stack.append(self.stack[-1])

    def push(self, value: Any) -> None:
        self.stack.append(value)

    def opaque(self, _: Any) -> None:
        self.stack.append(Opaque())

    def none(self, _: Any) -> None:
        self.stack.append(None)

    def true(self, _: Any) -> None:
        self.stack.append(True)

    def false(self, _: Any) -> None:
        self.stack.append(False)

    def decimal(self, line: bytes) -> None:
        text = line.rstrip(b"L")
        if text in {b"00", b"01"}:
            self.stack.append(text == b"01")
            return
        try:
            self.stack.append(int(text[:32]))
        except ValueError:
            raise Malformed("a number in it is none", self.at) from None

    def quoted(self, line: bytes) -> None:
        if len(line) < 2 or line[:1] not in {b"'", b'"'} or line[-1:] != line[:1]:
            raise Malformed("a string in it has no quotes", self.at)
        self.stack.append(line[1:-1].decode("latin-1"))

    def text(self, line: bytes) -> None:
        self.stack.append(line.decode("latin-1"))

    def empty_tuple(self, _: Any) -> None:
        self.stack.append(())

    def make_tuple(self, _: Any) -> None:
        items = self._to_mark()
        self.stack.append(tuple(items))

    def _last(self, count: int) -> None:
        if len(self.stack) < count:
            raise IndexError
        self.stack[-count:] = [tuple(self.stack[-count:])]

    def tuple1(self, _: Any) -> None:
        self._last(1)

    def tuple2(self, _: Any) -> None:
        self._last(2)

    def tuple3(self, _: Any) -> None:
        self._last(3)
