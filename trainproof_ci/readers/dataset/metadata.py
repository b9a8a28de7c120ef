"""Speech metadata: one clip a line, fields between vertical bars, no header and no quotes (LJSpeech, piper, Coqui)."""

from collections.abc import Iterable, Iterator

from trainproof_ci.readers.dataset.delimited import Line, physical_lines
from trainproof_ci.readers.dataset.dialects import first_lines
from trainproof_ci.readers.dataset.plain_lines import Ends, is_marker
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.shapes import SHAPES, Shape
from trainproof_ci.readers.dataset.whole import is_hollow, legible
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import SOUNDS
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

COLUMNS = {
    "ljspeech-2col": ("id", "text"),
    "ljspeech-3col": ("id", "text", "normalized"),
    "piper-multispeaker": ("id", "speaker", "text"),
    "coqui": ("audio_file", "text", "speaker_name"),
}
COQUI_HEADER = "audio_file"
CLIPS = (*SOUNDS, ".npy", ".pt")
"""What sounds, and what was computed from them, are called."""
LONGEST_ID = 256
FOLDERS = ("wavs", "wav", "audio", "clips")


def recognise(head: Head) -> str | None:
    """Lines of one number of bars whose first field is a clip: by name, by a folder of clips beside, or by `.wav`."""
    if head.suffix not in {".csv", ".txt", ".tsv"}:
        return None
    if is_hollow(head):
        found = head.name.lower() == "metadata.csv" and any(map(head.beside, FOLDERS))
    else:
        found = b"|" in head.start and _lists_clips(head)
    return "tts" if found else None


def _lists_clips(head: Head) -> bool:
    lines = [line for line in first_lines(legible(head)) if not is_marker(line.data)]
    if lines and lines[0].text.split("|")[0].strip() == COQUI_HEADER:
        return True
    rows = [line.text.split("|") for line in lines]
    usual = max(rows, key=lambda row: sum(len(other) == len(row) for other in rows), default=[])
    alike = [row for row in rows if len(row) == len(usual)]
    if len(usual) not in {2, 3} or len(alike) * 10 < len(rows) * 6:
        return False
    if _most(row[0].strip().lower().endswith(CLIPS) and len(row[0]) <= LONGEST_ID for row in alike):
        return True
    named = "metadata" in head.name.lower() or "transcript" in head.name.lower()
    return (
        _most(_is_clip(row[0]) for row in alike) and head.suffix == ".csv" and (named or any(map(head.beside, FOLDERS)))
    )


def admit(head: Head) -> str | None:
    """None: a file named on purpose is read as a table unless it is recognised."""
    return recognise(head)


def _most(said: Iterable[bool]) -> bool:
    """Whether it is said of nine in ten: one clip that is called otherwise must not hide what the file is."""
    answers = list(said)
    return sum(answers) * 10 >= len(answers) * 9


def _is_clip(field: str) -> bool:
    return bool(field) and len(field) <= LONGEST_ID and not any(letter.isspace() for letter in field.strip())


def _shape(head: Head, configured: str | None) -> Shape:
    """The configured shape, else the one that the number of fields shows; the middle or last of three may be a speaker."""
    if configured in COLUMNS:
        return SHAPES[configured]
    rows = [line.text.split("|") for line in first_lines(head)]
    if rows and rows[0][0].strip() == COQUI_HEADER:
        return SHAPES["coqui"]
    three = [row for row in rows if len(row) == 3]
    if len(three) * 2 <= len(rows):
        return SHAPES["ljspeech-2col"]
    if _are_speakers([row[1] for row in three]):
        return SHAPES["piper-multispeaker"]
    last = [row[2] for row in three]
    return SHAPES["coqui" if _are_speakers(last) and 2 * len(set(last)) <= len(last) else "ljspeech-3col"]


def _are_speakers(fields: list[str]) -> bool:
    """Whether fields name who speaks: short, and some of them more than once."""
    short = all(0 < len(field.strip()) <= 40 and " " not in field.strip() for field in fields)
    return short and (len(set(fields)) < len(fields) or len(fields) < 3)


def scan(source: Source, survey: "Survey") -> None:
    """Measure the whole file."""
    head = Head.of(source.path)
    shape = _shape(head, survey.options.shape)
    survey.settle((), shape)
    reading = _Reading(survey, shape.name)
    for line in physical_lines(source.file):
        reading.take(line)
    reading.ends.finish()


def records(path: str) -> Iterator[Record]:
    """The records again, without their faults; the shape is asked of the file, as a configured one has the same fields."""
    head = Head.of(path)
    name = _shape(head, None).name
    number = 0
    with Source(path) as source:
        for line in physical_lines(source.file):
            value = _value(line, name)
            if value is not None:
                number += 1
                yield Record(number, line.number, line.byte_offset, value, line.data)


def _value(line: Line, shape: str) -> dict[str, str] | None:
    """The record of a line, or None for a line that is none."""
    columns = COLUMNS[shape]
    fields = line.text.removeprefix("\ufeff").split("|")
    if line.undecodable is not None or b"\0" in line.data or line.skipped or not line.text.strip():
        return None
    if len(fields) != len(columns) and not (shape == "coqui" and 2 <= len(fields) <= 4):
        return None
    if shape == "coqui" and line.number == 1 and fields[0].strip() == COQUI_HEADER:
        return None
    return dict(zip(columns, fields, strict=False))


class _Reading:
    """Looks at one line after the other."""

    def __init__(self, survey: "Survey", shape: str) -> None:
        self.survey, self.shape = survey, shape
        self.ends = Ends(survey)
        survey.extra["columns"] = len(COLUMNS[shape])

    def take(self, line: Line) -> None:
        """Judge one line."""
        if not self.ends.take(line):
            return
        if is_marker(line.data):
            self._sight("conflict", line, "conflict markers")
            return
        if b"\r" in line.data.rstrip(b"\r\n"):
            self._sight("cr", line, "a lone CR")
            return
        value = _value(line, self.shape)
        if value is not None:
            self.survey.take(value, line.data, line=line.number, byte_offset=line.byte_offset)
        elif not (line.number == 1 and line.text.split("|")[0].strip() == COQUI_HEADER):
            self._sight("fields", line, f"{line.text.count('|') + 1} fields")

    def _sight(self, name: str, line: Line, measured: str) -> None:
        self.survey.sight(name, line.number, byte_offset=line.byte_offset, measured=measured, content=line.data)
