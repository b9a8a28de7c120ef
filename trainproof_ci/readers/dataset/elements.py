"""The elements of one JSON array, one after the other, with no more of the text in memory than the longest of them."""

import codecs
from collections.abc import Iterator

from trainproof_ci.readers.dataset import strict_json
from trainproof_ci.typed import Any, BinaryIO, NamedTuple

PIECE = 1 << 18
LONGEST = 80 << 20
"""Characters of one element; a longer one cannot be judged in bounded memory."""
BLANK = " \t\r\n"
BOM = "\ufeff"


class Element(NamedTuple):
    """One element of the array with its text and place; `flaws` say what is wrong with it."""

    value: Any
    text: str
    line: int
    column: int
    byte_offset: int
    flaws: list[strict_json.Flaw]


class Text:
    """A text that is all there, read like a file."""

    def __init__(self, text: str) -> None:
        self.rest = text

    def more(self) -> str:
        """All of it at once, then nothing."""
        piece, self.rest = self.rest, ""
        return piece


class Decoded:
    """A file read as UTF-8 in pieces."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.decoder = stream, codecs.getincrementaldecoder("utf-8")("strict")

    def more(self) -> str:
        """The next piece of text; empty at the end. Raises UnicodeDecodeError."""
        while data := self.stream.read(PIECE):
            if text := self.decoder.decode(data):
                return text
        return self.decoder.decode(b"", final=True)


class Elements:
    """Walks over the elements of one array, holding no more text than the longest of them."""

    def __init__(self, text: "Text | Decoded") -> None:
        self.text = text
        self.buffer = ""
        self.at = 0
        self.line = 1
        self.column = 1
        self.offset = 0
        self.ended = False

    def __iter__(self) -> Iterator[Element]:
        self._skip(BOM)
        if self._peek() != "[":
            return
        self._advance(1)
        first = True
        while (char := self._peek()) not in {"]", ""}:
            if not first:
                if char != ",":
                    yield self._fault("syntax", "no comma between two elements")
                    return
                self._advance(1)
                if self._peek() in {",", "]"}:
                    yield self._fault("syntax", "a comma without an element after it")
                    return
            element = self._element()
            yield element
            if any(flaw.fatal for flaw in element.flaws):
                return
            first = False
        yield from self._ending(char)

    def _fault(self, name: str, said: str) -> Element:
        """A fault between two elements, at the place reached."""
        return Element(None, "", self.line, self.column, self.offset, [strict_json.Flaw(name, 0, said, fatal=True)])

    def _ending(self, char: str) -> Iterator[Element]:
        """What follows the last element: nothing but the bracket, or a fault."""
        if char == "]":
            self._advance(1)
        rest = self._peek()
        if char == "" or rest:
            cut = char == ""
            yield (
                self._fault("truncated", "the array is never closed")
                if cut
                else self._fault("extra", "something after the array")
            )

    def _element(self) -> Element:
        size = PIECE
        while True:
            found = self._tried()
            if found is not None or self.ended or len(self.buffer) - self.at > LONGEST:
                break
            self._read(size)
            size *= 2
        text, value, flaws = found or self._broken()
        element = Element(value, text, self.line, self.column, self.offset, flaws)
        self._advance(len(text))
        return element

    def _tried(self) -> "tuple[str, Any, list[strict_json.Flaw]] | None":
        """The element that begins here, or None when it may only need more text."""
        end = strict_json.end_of_value(self.buffer, self.at)
        if end is None or (end == len(self.buffer) and not self.ended):
            return None
        text = self.buffer[self.at : end]
        value, flaws = strict_json.parse(text)
        return text, value, flaws

    def _broken(self) -> "tuple[str, Any, list[strict_json.Flaw]]":
        text = self.buffer[self.at :]
        value, flaws = strict_json.parse(text)
        if flaws and strict_json.ends_early(flaws[0]):
            flaws = [flaws[0]._replace(name="truncated")]
        return text, value, flaws or [strict_json.Flaw("extra", 0, "something after a value", fatal=True)]

    def _peek(self) -> str:
        self._skip(BLANK)
        return self.buffer[self.at : self.at + 1]

    def _skip(self, chars: str) -> None:
        while True:
            start = self.at
            while self.at < len(self.buffer) and self.buffer[self.at] in chars:
                self.at += 1
            self._count(self.buffer[start : self.at])
            if self.at < len(self.buffer) or self.ended:
                return
            self._read(PIECE)

    def _advance(self, length: int) -> None:
        self._count(self.buffer[self.at : self.at + length])
        self.at += length

    def _count(self, text: str) -> None:
        breaks = text.count("\n")
        self.line += breaks
        self.column = len(text) - text.rfind("\n") if breaks else self.column + len(text)
        self.offset += len(text.encode("utf-8", "surrogatepass"))

    def _read(self, size: int) -> None:
        """Drop what was read and append at least `size` characters, if there are so many."""
        pieces = [self.buffer[self.at :]]
        self.at, read = 0, 0
        while read < size:
            piece = self.text.more()
            if not piece:
                self.ended = True
                break
            pieces.append(piece)
            read += len(piece)
        self.buffer = "".join(pieces)
