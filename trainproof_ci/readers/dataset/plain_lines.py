"""What is wrong with the lines of a text whatever its fields: marks, bytes, blanks and line ends."""

from collections.abc import Iterator

from trainproof_ci.readers.dataset.delimited import Line
from trainproof_ci.readers.dataset.examiner import BOM, MARKERS
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey


def is_marker(data: bytes) -> bool:
    """Whether a line marks a merge conflict."""
    return data.startswith(MARKERS) or data.rstrip(b"\r\n") == b"======="


def wrong_bytes(line: Line) -> Iterator[tuple[str, int, str]]:
    """A mark of byte order, NUL and what is no UTF-8 in a line: the name of each, its byte offset, what was measured."""
    if line.data.startswith(BOM):
        yield "bom" if line.byte_offset == 0 else "bom-inside", line.byte_offset, "EF BB BF"
    if b"\0" in line.data:
        yield "nul", line.byte_offset, f"{line.data.count(0)} NUL bytes"
    if line.undecodable is not None:
        at = line.byte_offset + line.undecodable
        yield "utf8", at, f"byte 0x{line.data[line.undecodable]:02X} at {at}"


class Ends:
    """Looks at every physical line of a file, in order."""

    def __init__(self, survey: "Survey") -> None:
        self.survey = survey
        self.blanks: list[Line] = []
        self.crlf = self.lf = self.crlf_first = self.lf_first = 0
        self.last = b"\n"

    def take(self, line: Line, *, blanks: bool = True, ends_row: bool = True) -> bool:
        """Tell the survey what is wrong with the line; False when it is blank or cannot be read.

        The end of a line inside a quoted cell is text (`ends_row=False`): who writes CRLF after rows leaves it as it is.
        """
        survey = self.survey
        survey.lines += 1
        if ends_row:
            self._ended(line)
        if line.skipped:
            survey.sight("too-long", line.number, byte_offset=line.byte_offset, measured=f"{line.skipped} bytes")
            return False
        for name, at, measured in wrong_bytes(line):
            survey.sight(name, line.number, byte_offset=at, content=line.data, measured=measured)
        if blanks and not line.text.strip():
            self.blanks.append(line)
            return False
        if blanks:
            self.told("blank-inside")
        return line.undecodable is None and b"\0" not in line.data

    def passed(self, count: int, first: int, *, crlf: bool) -> None:
        """Take lines from number `first` in which nothing is wrong and none is blank."""
        self.told("blank-inside")
        self.survey.lines += count
        if crlf:
            self.crlf, self.crlf_first = self.crlf + count, self.crlf_first or first
        else:
            self.lf, self.lf_first = self.lf + count, self.lf_first or first
        self.last = b"\n"

    def _ended(self, line: Line) -> None:
        if line.data.endswith(b"\r\n"):
            self.crlf, self.crlf_first = self.crlf + 1, self.crlf_first or line.number
        elif line.data.endswith(b"\n"):
            self.lf, self.lf_first = self.lf + 1, self.lf_first or line.number
        self.last = line.data[-1:] or self.last

    def told(self, name: str) -> None:
        """Name the blank lines seen so far."""
        for line in self.blanks:
            self.survey.sight(name, line.number, byte_offset=line.byte_offset)
        self.blanks.clear()

    def finish(self) -> None:
        """What only the end of the file decides."""
        self.told("blank-end")
        if self.last != b"\n":
            self.survey.sight("no-eol", self.survey.lines, byte_offset=self.survey.size)
        if self.crlf and self.lf:
            fewer, line = min((self.crlf, self.crlf_first), (self.lf, self.lf_first))
            self.survey.sight("mixed-eol", line, measured=f"{self.crlf} lines end CRLF, {self.lf} LF; {fewer} differ")
