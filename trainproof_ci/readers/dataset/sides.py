"""One side of a parallel text: a file whose line i belongs to line i of the others."""

import os
from collections.abc import Iterator

from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.delimited import Line, line_of
from trainproof_ci.readers.dataset.digests import sha256
from trainproof_ci.readers.dataset.lines import blocks
from trainproof_ci.readers.dataset.plain_lines import wrong_bytes
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.screens import is_plain_text
from trainproof_ci.readers.source import Source
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

MARKED = (b"<", b"=", b">")
"""What the markers of a merge conflict begin with."""
BREAKS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
"""What `str.splitlines` takes for line ends besides CR and LF."""


class Side:
    """One side: its path and what is wrong with its lines."""

    def __init__(self, path: str, survey: "Survey") -> None:
        self.path, self.survey = path, survey
        self.key = os.path.splitext(path)[1][1:]
        self.count = self.size = self.begin = 0
        """The number of the line that was yielded last, where it ends, and where it begins."""
        self.digest = sha256()
        """Of all lines but those too long to hold, which are said not to be judged."""
        self.last = b""
        self._conflict = False
        """Whether a merge conflict is open."""

    def lines(self) -> Iterator[bytes]:
        """The lines, looked at on the way unless their block is harmless; the last one as if it ended like the others.

        The file is one from its first line to its last.
        """
        with Source(self.path) as source:
            for block in blocks(source.file):
                self.digest.update(block.data)
                harmless = not self._conflict and _is_harmless(block.data)
                for data in block.lines or (b"",):
                    self.count += 1
                    self.begin, self.size = self.size, self.size + (len(data) or block.skipped)
                    if block.skipped or not harmless:
                        self._look(line_of(data, self.count, self.begin), block.skipped)
                    self.last = data
                    yield data if data.endswith(b"\n") else data + b"\n"

    def _look(self, line: Line, skipped: int) -> None:
        if skipped:
            self._told("too-long", line, f"{skipped} bytes")
        for name, at, measured in wrong_bytes(line):
            self.sight(name, line.data, at, measured)
        if line.undecodable is None:
            self._read(line)
        if "\r" in line.text:
            self._told("cr", line, "a lone CR")
        if line.data.startswith(MARKED):
            self._marked(line)

    def _read(self, line: Line) -> None:
        if _breaks(line.text):
            self._told("unicode-break", line, "a character that some readers take for a line end")
        if not is_plain_text(line.data):
            value = {self.key: line.text}
            record = Record(line.number, line.number, line.byte_offset, value, line.data)
            self.survey.ask_about_text(record, self.path)

    def _marked(self, line: Line) -> None:
        """What opens a merge conflict, and what follows it: lines of the other two alone underline or quote a text."""
        opens, closes = line.data.startswith(b"<<<<<<< "), line.data.startswith(b">>>>>>> ")
        if opens or (self._conflict and (closes or line.data.rstrip() == b"=======")):
            self._told("conflict", line, "conflict markers")
            self._conflict = not closes

    def _told(self, name: str, line: Line, measured: str) -> None:
        self.sight(name, line.data, line.byte_offset, measured)

    def sight(self, name: str, content: bytes, at: int, measured: str) -> None:
        """Tell the survey of something in the line that was read last."""
        self.survey.faults.sight(name, Location(self.path, self.count, byte_offset=at), measured, content)

    def finish(self) -> None:
        """What only the end decides."""
        if self.last and not self.last.endswith(b"\n"):
            self.sight("no-eol", self.last, self.begin, "")


def _is_harmless(data: bytes) -> bool:
    """Whether nothing has to be said about any line of a block but what it is beside the others."""
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return False
    if data.startswith(MARKED) or any(mark in data and b"\n" + mark in data for mark in MARKED):
        return False
    if not is_plain_text(data):
        return False
    try:
        return not _breaks(data.decode())
    except UnicodeDecodeError:
        return False


def _breaks(text: str) -> bool:
    return any(mark in text for mark in BREAKS)
