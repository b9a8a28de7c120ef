"""Looks at one line of JSON Lines after the other and says what it is: a record, or what is wrong with it."""

from trainproof_ci.readers.dataset import strict_json
from trainproof_ci.readers.dataset.habits import replies
from trainproof_ci.readers.dataset.record import DEEPEST, too_deep
from trainproof_ci.readers.dataset.screens import is_plain, is_plain_reply
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainproof_ci.readers.dataset.lines import Block
    from trainproof_ci.readers.dataset.shapes import Shape
    from trainproof_ci.readers.dataset.survey import Survey

LONG_LINE = 1 << 20
TOO_EARLY = "the text ends too early"
BOM = b"\xef\xbb\xbf"
MARKERS = (b"<<<<<<< ", b"||||||| ", b">>>>>>> ")
NAMES = {
    "str": "a string", "NoneType": "null", "list": "an array", "int": "a number", "float": "a number", "bool": "true or false",
}  # fmt: skip


def screen_for(shape: "Shape | None") -> "Callable[[bytes], bool]":
    """What proves a record of this shape plain."""
    return is_plain_reply if shape is not None and replies(shape) else is_plain


class Ends:
    """How lines end: how many in CRLF, how many in LF, and the first of each."""

    def __init__(self) -> None:
        self.crlf = self.lf = self.crlf_first = self.lf_first = 0

    def count(self, lines: int, first: int, *, crlf: bool) -> None:
        """Count lines of one kind."""
        if crlf:
            self.crlf += lines
            self.crlf_first = self.crlf_first or first
        else:
            self.lf += lines
            self.lf_first = self.lf_first or first

    def merge(self, other: "Ends", lines: int) -> None:
        """Append the lines of a later part of the file."""
        if other.crlf:
            self.count(other.crlf, other.crlf_first + lines, crlf=True)
        if other.lf:
            self.count(other.lf, other.lf_first + lines, crlf=False)

    def rarer(self) -> tuple[int, int]:
        """How many lines end in the rarer way, and the first of them; the later first of two that tie."""
        fewer, line = min((self.crlf, -self.crlf_first), (self.lf, -self.lf_first))
        return fewer, -line


class Examiner:
    """Tells the survey what each line is, in order."""

    def __init__(self, survey: "Survey") -> None:
        self.survey = survey
        self.blanks: list[tuple[int, int]] = []
        self.ends = Ends()
        self.spoke = False
        """Whether any line but a blank one was seen."""
        self.begun: tuple[int, int, int, bytes, str] | None = None
        """Where a record stops at the end of its line, and how: what follows may be the rest of it."""
        self.screen = screen_for(survey.shape)

    def skipped(self, block: "Block") -> None:
        """A line too long to be judged."""
        self.survey.lines += 1
        self.inside()
        self.close()
        self.survey.sight("too-long", block.line, byte_offset=block.byte_offset, measured=f"{block.skipped} bytes")

    def passed(self, count: int, line: int, *, crlf: bool) -> None:
        """Lines that were accepted without being explained."""
        self.inside()
        self.close()
        self.ends.count(count, line, crlf=crlf)

    def explain(self, line: bytes, number: int, offset: int) -> None:
        """Judge one physical line."""
        self.survey.lines += 1
        ended = self._ended(line, number, offset)
        if not line.strip(b" \t\r\n"):
            self.blanks.append((number, offset))
            return
        self.inside()
        start = 0
        if line.startswith(BOM):
            name = "bom" if offset == 0 else "bom-inside"
            self.survey.sight(name, number, byte_offset=offset, content=line, measured="EF BB BF")
            start = 3
        if (nul := line.find(b"\0")) >= 0:
            measured = f"{line.count(0)} NUL bytes"
            self.survey.sight("nul", number, byte_offset=offset + nul, content=line, measured=measured)
        elif line.startswith(MARKERS, start) or line[start:40].rstrip() == b"=======":
            self.survey.sight("conflict", number, byte_offset=offset, content=line, measured="conflict markers")
        else:
            self._text(line, start, len(line) - ended, number, offset)

    def _ended(self, line: bytes, number: int, offset: int) -> int:
        """How many bytes end the line."""
        if not line.endswith(b"\n"):
            self.survey.sight("no-eol", number, byte_offset=offset + len(line), content=line)
            return 0
        crlf = line.endswith(b"\r\n")
        self.ends.count(1, number, crlf=crlf)
        return 2 if crlf else 1

    def _text(self, line: bytes, start: int, stop: int, number: int, offset: int) -> None:
        weight = len(line) if line.isascii() else 4 * len(line)
        if weight > HEAVIEST:
            self.survey.sight("too-long", number, byte_offset=offset, content=line, measured=f"{len(line)} bytes")
            return
        try:
            text = str(memoryview(line)[start:stop], "utf-8")
        except UnicodeDecodeError as error:
            self._not_utf8(error, line, start, number, offset)
            return
        value, flaws = strict_json.parse(text)
        if self.begun is not None and self._goes_on(line, value):
            return
        for flaw in flaws:
            self._flaw(flaw, text, line, number, offset + start)
        if any(flaw.fatal for flaw in flaws):
            return
        del text
        self._value(value, line, number, offset)

    def _not_utf8(self, error: UnicodeDecodeError, line: bytes, start: int, number: int, offset: int) -> None:
        wrong = start + error.start
        before = line[start:wrong].decode("utf-8", "replace")
        self.survey.sight(
            "utf8", number, column=len(before) + 1, byte_offset=offset + wrong, content=line,
            measured=f"byte 0x{line[wrong]:02X} at {offset + wrong}",
        )  # fmt: skip

    def _value(self, value: Any, line: bytes, number: int, offset: int) -> None:
        if not isinstance(value, dict):
            kind = type(value).__name__
            self.survey.sight("not-object", number, byte_offset=offset, content=line, measured=NAMES.get(kind, kind))
            return
        if too_deep(value, line):
            self.survey.sight("depth", number, byte_offset=offset, content=line, measured=f"more than {DEEPEST} levels")
            return
        if len(line) > LONG_LINE:
            self.survey.sight("long", number, byte_offset=offset, content=line, measured=f"{len(line)} bytes")
        self.survey.take(value, line, line=number, byte_offset=offset, plain=self.screen(line))

    def _flaw(self, flaw: strict_json.Flaw, text: str, line: bytes, number: int, offset: int) -> None:
        name, at = flaw.name, flaw.position
        if name == "syntax" and not line.endswith(b"\n") and strict_json.ends_early(flaw):
            name = "truncated"
        elif name in {"syntax", "extra"} and text.find("\r", 0, at) > 0:
            name = "cr"
        offset += at if text.isascii() else len(text[:at].encode())
        if name == "syntax" and line.startswith(b"{") and flaw.measured == TOO_EARLY:
            self.begun = number, at + 1, offset, line, flaw.measured
            return
        self.survey.sight(name, number, column=at + 1, byte_offset=offset, content=line, measured=flaw.measured)

    def _goes_on(self, line: bytes, value: Any) -> bool:
        """Whether a line belongs to the record begun above: it is indented and no record, or closes the record at the margin."""
        if isinstance(value, dict) or line[:1] not in {b" ", b"\t", b"}"}:
            self.close()
            return False
        if line.startswith(b"}"):
            self.close("pretty")
        return True

    def close(self, name: str = "syntax") -> None:
        """Tell what a begun record is: laid out over several lines, or one that breaks off."""
        if self.begun is not None:
            number, column, offset, line, measured = self.begun
            self.begun = None
            self.survey.sight(name, number, column=column, byte_offset=offset, content=line, measured=measured)

    def inside(self) -> None:
        """The blank lines so far stand between others."""
        self.spoke = True
        self._blanks("blank-inside")

    def _blanks(self, name: str) -> None:
        for number, offset in self.blanks:
            self.survey.sight(name, number, byte_offset=offset)
        self.blanks.clear()

    def finish(self) -> None:
        """What only the end of the file decides."""
        self._blanks("blank-end")
        if self.ends.crlf and self.ends.lf:
            fewer, line = self.ends.rarer()
            measured = f"{self.ends.crlf} lines end CRLF, {self.ends.lf} LF; {fewer} differ"
            self.survey.sight("mixed-eol", line, measured=measured)


HEAVIEST = 80 << 20
"""Bytes of one line as text in memory, where a character beyond ASCII may take four."""
