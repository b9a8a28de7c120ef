"""JSON Lines: one record a line, lines end in LF and nothing else."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from trainproof_ci.readers.dataset import strict_json
from trainproof_ci.readers.dataset.detection import SAMPLED, detect
from trainproof_ci.readers.dataset.layout import refuse_layout
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.screens import is_plain
from trainproof_ci.readers.source import Head, Source

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

CHUNK = 1 << 18
LONGEST_LINE = 80 << 20
"""Bytes; a longer line is skipped and said to be not judged."""
LONG_LINE = 1 << 20
BOM = b"\xef\xbb\xbf"
MARKERS = (b"<<<<<<< ", b"||||||| ", b">>>>>>> ")


class Block(NamedTuple):
    """Whole lines: the first one's number and byte offset. `skipped` is the length of a line too long to hold."""

    line: int
    byte_offset: int
    data: bytes
    skipped: int = 0

    @property
    def lines(self) -> list[bytes]:
        """The lines with their ends."""
        from io import BytesIO  # its line reader is five times faster than bytes.split

        return BytesIO(self.data).readlines()


def blocks(stream: BinaryIO, start: int = 0, end: int | None = None) -> Iterator[Block]:
    """The stream as blocks of whole lines, in bounded memory, from `start` (a line's first byte) to `end`."""
    offset, line = start, 1
    while end is None or offset < end:
        data = stream.read(CHUNK if end is None else min(CHUNK, end - offset))
        if not data:
            return
        if not data.endswith(b"\n"):
            data += stream.readline(LONGEST_LINE)
        if len(data) > LONGEST_LINE and not data.endswith(b"\n"):
            kept, long = data[: data.rfind(b"\n") + 1], len(data) - data.rfind(b"\n") - 1
            if kept:
                yield Block(line, offset, kept)
                line, offset = line + kept.count(b"\n"), offset + len(kept)
            while (more := stream.readline(CHUNK)) and not more.endswith(b"\n"):
                long += len(more)
            yield Block(line, offset, b"", long + len(more))
            line, offset = line + 1, offset + long + len(more)
            continue
        yield Block(line, offset, data)
        line, offset = line + data.count(b"\n"), offset + len(data)


def recognise(head: Head) -> str | None:
    """JSON Lines by name, or by content in a `.json` whose lines are records of a known shape."""
    if head.suffix in {".jsonl", ".ndjson"}:
        return "jsonl"
    if head.suffix == ".json" and head.start.lstrip(BOM + b" \t\r\n")[:1] == b"{":
        samples = sample(head)
        shape = detect(samples) if len(samples) > 1 or (samples and b"\n" not in head.start.strip()) else None
        return "jsonl" if shape is not None and shape.strong else None
    return None


def sample(head: Head) -> list[dict[str, Any]]:
    """The first records of the file, as far as they can be read; the shape is detected from them."""
    found = []
    for line in head.start.split(b"\n")[: SAMPLED * 2]:
        try:
            value, flaws = strict_json.parse(line.removeprefix(BOM).decode())
        except UnicodeDecodeError:
            continue
        if isinstance(value, dict) and not any(flaw.fatal for flaw in flaws):
            found.append(value)
    return found[:SAMPLED]


def scan(source: Source, survey: "Survey") -> None:
    """Measure a whole file."""
    head = Head.of(source.path)
    refuse_layout(head)
    survey.settle(sample(head))
    examiner = Examiner(survey)
    for block in blocks(source.file):
        if block.skipped:
            examiner.skipped(block)
            continue
        offset = block.byte_offset
        for at, line in enumerate(block.lines):
            examiner.explain(line, block.line + at, offset)
            offset += len(line)
    examiner.finish()


def records(path: str) -> Iterator[Record]:
    """The records of a file again, without their faults."""
    number = 0
    with Source(path) as source:
        for block in blocks(source.file):
            offset = block.byte_offset
            for at, line in enumerate(block.lines):
                value = _value(line)
                if value is not None:
                    number += 1
                    yield Record(number, block.line + at, offset, value, line)
                offset += len(line)


def _value(line: bytes) -> dict[str, Any] | None:
    try:
        value, flaws = strict_json.parse(line.removeprefix(BOM).decode())
    except UnicodeDecodeError:
        return None
    return value if isinstance(value, dict) and not any(flaw.fatal for flaw in flaws) else None


class Examiner:
    """Looks at one line after the other and tells the survey what it is: a record, or what is wrong with it."""

    def __init__(self, survey: "Survey") -> None:
        self.survey = survey
        self.blanks: list[tuple[int, int]] = []
        self.crlf = self.lf = 0
        self.crlf_first = self.lf_first = 0

    def skipped(self, block: Block) -> None:
        """A line too long to be judged."""
        self.survey.lines += 1
        self.survey.sight("too-long", block.line, byte_offset=block.byte_offset, measured=f"{block.skipped} bytes")

    def explain(self, line: bytes, number: int, offset: int) -> None:
        """Judge one physical line."""
        self.survey.lines += 1
        body = self._ended(line, number, offset)
        if not body.strip(b" \t\r"):
            self.blanks.append((number, offset))
            return
        self._blanks("blank-inside")
        if body.startswith(BOM):
            self.survey.sight(
                "bom" if offset == 0 else "bom-inside", number, byte_offset=offset, content=line, measured="EF BB BF"
            )
            body = body[3:]
        if (nul := body.find(b"\0")) >= 0:
            count = body.count(b"\0")
            self.survey.sight("nul", number, byte_offset=offset + nul, content=line, measured=f"{count} NUL bytes")
        elif body.startswith(MARKERS) or body == b"=======":
            self.survey.sight("conflict", number, byte_offset=offset, content=line, measured="conflict markers")
        else:
            self._text(body, line, number, offset)

    def _ended(self, line: bytes, number: int, offset: int) -> bytes:
        """The line without its end, which is counted."""
        if line.endswith(b"\r\n"):
            self.crlf += 1
            self.crlf_first = self.crlf_first or number
            return line[:-2]
        if line.endswith(b"\n"):
            self.lf += 1
            self.lf_first = self.lf_first or number
            return line[:-1]
        self.survey.sight("no-eol", number, byte_offset=offset + len(line), content=line)
        return line

    def _text(self, body: bytes, line: bytes, number: int, offset: int) -> None:
        try:
            text = body.decode()
        except UnicodeDecodeError as error:
            before = body[: error.start].decode("utf-8", "replace")
            at = offset + line.index(body) + error.start
            self.survey.sight(
                "utf8",
                number,
                column=len(before) + 1,
                byte_offset=at,
                content=line,
                measured=f"byte 0x{body[error.start]:02X} at {at}",
            )
            return
        value, flaws = strict_json.parse(text)
        for flaw in flaws:
            self._flaw(flaw, text, line, number, offset)
        if any(flaw.fatal for flaw in flaws):
            return
        if not isinstance(value, dict):
            kind = type(value).__name__
            self.survey.sight("not-object", number, byte_offset=offset, content=line, measured=NAMES.get(kind, kind))
            return
        if len(line) > LONG_LINE:
            self.survey.sight("long", number, byte_offset=offset, content=line, measured=f"{len(line)} bytes")
        self.survey.take(value, line, line=number, byte_offset=offset, plain=is_plain(line))

    def _flaw(self, flaw: strict_json.Flaw, text: str, line: bytes, number: int, offset: int) -> None:
        name = flaw.name
        if name == "syntax" and not line.endswith(b"\n") and strict_json.ends_early(flaw):
            name = "truncated"
        elif name in {"syntax", "extra"} and "\r" in text[: flaw.position].strip():
            name = "cr"
        at = offset + (3 if line.startswith(BOM) else 0) + len(text[: flaw.position].encode())
        self.survey.sight(name, number, column=flaw.position + 1, byte_offset=at, content=line, measured=flaw.measured)

    def _blanks(self, name: str) -> None:
        for number, offset in self.blanks:
            self.survey.sight(name, number, byte_offset=offset)
        self.blanks.clear()

    def finish(self) -> None:
        """What only the end of the file decides."""
        self._blanks("blank-end")
        if self.crlf and self.lf:
            fewer, line = min((self.crlf, -self.crlf_first), (self.lf, -self.lf_first))
            self.survey.sight("mixed-eol", -line, measured=f"{self.crlf} lines end CRLF, {self.lf} LF; {fewer} differ")


NAMES = {
    "str": "a string", "NoneType": "null", "list": "an array", "int": "a number", "float": "a number", "bool": "true or false",
}  # fmt: skip
