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
MARKERS = ("<<<<<<< ", "||||||| ", ">>>>>>> ", "=======")
"""How the lines begin that a merge leaves between two versions; at the margin, where no text of an array stands."""


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
    """A file read as UTF-8 in pieces; `line`, `column` and `offset` say how far, up to the first byte that is no UTF-8."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream, self.decoder = stream, codecs.getincrementaldecoder("utf-8")("strict")
        self.line = self.column = 1
        self.offset = 0

    def more(self) -> str:
        """The next piece of text; empty at the end. Raises UnicodeDecodeError."""
        while data := self.stream.read(PIECE):
            if text := self._decoded(data):
                return text
        return self._decoded(b"", final=True)

    def _decoded(self, data: bytes, *, final: bool = False) -> str:
        held = len(self.decoder.getstate()[0])
        try:
            text = self.decoder.decode(data, final)
        except UnicodeDecodeError as error:
            self._count(error.object[: error.start].decode())
            self.offset += error.start
            raise
        self._count(text)
        self.offset += held + len(data) - len(self.decoder.getstate()[0])
        return text

    def _count(self, text: str) -> None:
        breaks = text.count("\n")
        self.line += breaks
        self.column = len(text) - text.rfind("\n") if breaks else self.column + len(text)


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
        self.conflicting = False
        """Whether the markers of a merge were met; what follows is no array any more."""

    def __iter__(self) -> Iterator[Element]:
        yield from self._elements()
        if self.conflicting:
            yield from self._more_markers()

    def _elements(self) -> Iterator[Element]:
        self._skip(BOM)
        self.column = 1  # the mark takes no place on its line
        if self._peek() != "[":
            if self._at_marker():
                yield self._marker()
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
        """A fault between two elements, at the place reached; the markers of a merge are one whatever they are in the way of."""
        if self._at_marker():
            return self._marker()
        return Element(None, "", self.line, self.column, self.offset, [strict_json.Flaw(name, 0, said, fatal=True)])

    def _marker(self) -> Element:
        """A line that a merge left, at the place reached."""
        self.conflicting = True
        flaw = strict_json.Flaw("conflict", 0, "conflict markers", fatal=True)
        return Element(None, "", self.line, self.column, self.offset, [flaw])

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

    def _at_marker(self) -> bool:
        """Whether a line that a merge left begins at the place reached."""
        if self.column != 1:
            return False
        if len(self.buffer) - self.at < len(MARKERS[0]) and not self.ended:
            self._read(PIECE)
        return self.buffer.startswith(MARKERS, self.at)

    def _more_markers(self) -> Iterator[Element]:
        """The marker lines after the first: what stands between them are versions to choose from, not elements."""
        while True:
            end = self.buffer.find("\n", self.at) + 1
            if end:
                self._advance(end - self.at)
                if self._at_marker():
                    yield self._marker()
            elif self.ended:
                return
            else:
                self._read(max(PIECE, len(self.buffer) - self.at))

    def _element(self) -> Element:
        if self._at_marker():
            return self._marker()
        size = PIECE
        while True:
            found = self._tried()
            if found is not None or self.ended or len(self.buffer) - self.at > LONGEST:
                break
            self._read(size)
            size *= 2
        text, value, flaws = found or self._broken()
        if found is None and (before := _up_to_marker(text, flaws[0].position)):
            self._advance(before)
            return self._marker()
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


def _up_to_marker(text: str, position: int) -> int:
    """How far into an element a line that a merge left begins, if that is what is wrong at `position`; else 0."""
    begins = text[position - 1 : position] == "\n" and text.startswith(MARKERS, position)
    return position if begins else 0
