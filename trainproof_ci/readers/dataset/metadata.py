"""Speech metadata: one clip a line, fields between vertical bars, no header and no quotes (LJSpeech, piper, Coqui)."""

from collections.abc import Iterable, Iterator, Sequence

from trainproof_ci.readers.dataset.delimited import Line, physical_lines
from trainproof_ci.readers.dataset.dialects import first_lines
from trainproof_ci.readers.dataset.plain_lines import Ends, is_marker
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.shapes import SHAPES, Shape
from trainproof_ci.readers.dataset.whole import is_hollow, legible
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import SOUNDS
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

COLUMNS = {
    "ljspeech-2col": ("id", "text"),
    "ljspeech-3col": ("id", "text", "normalized"),
    "piper-multispeaker": ("id", "speaker", "text"),
    "coqui": ("audio_file", "text", "speaker_name", "emotion_name"),
}
"""The fields of a line by shape; Coqui's last ones may be left out, and its first line may name them."""
COQUI_HEADER = "audio_file"
NAMES = frozenset(
    {
        COQUI_HEADER, "audio", "audio_path", "audio_filepath", "wav", "wav_path", "wav_filename", "path", "file", "filename", "file_name", "id",
        "utt_id", "text", "transcript", "transcription", "sentence", "normalized", "normalized_text", "raw_text", "speaker", "speaker_name",
        "speaker_id", "emotion", "emotion_name", "language", "lang", "phonemes", "duration",
    }
)  # fmt: skip
"""What a first line that names the fields calls them."""
CLIPS = (*SOUNDS, ".npy", ".pt")
"""What sounds, and what was computed from them, are called."""
LONGEST_ID = 256
FOLDERS = ("wavs", "wav", "audio", "clips")


class Layout(NamedTuple):
    """What the lines of a file hold: their shape, and the name of each field in the words of the shape."""

    shape: Shape
    columns: tuple[str, ...]


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
    rows = [fields_of(line) for line in first_lines(legible(head)) if not is_marker(line.data)]
    if rows and rows[0][0].strip() == COQUI_HEADER:
        return True
    usual = _usual(rows)
    alike = [row for row in rows if len(row) == usual and not _names_fields(row)]
    if usual not in {2, 3} or len(alike) * 10 < len(rows) * 6:
        return False
    clips = [row[0] for row in alike if row[0].strip()]
    if 2 * len(clips) <= len(alike):
        return False
    if _most(clip.strip().lower().endswith(CLIPS) and len(clip) <= LONGEST_ID for clip in clips):
        return True
    named = "metadata" in head.name.lower() or "transcript" in head.name.lower()
    return _most(map(_is_clip, clips)) and head.suffix == ".csv" and (named or any(map(head.beside, FOLDERS)))


def fields_of(line: Line) -> list[str]:
    """The fields of a line."""
    return line.text.removeprefix("\ufeff").split("|")


def _usual(rows: Sequence[Sequence[str]]) -> int:
    """How many fields most of these lines have, 0 without any line."""
    widths = [len(row) for row in rows]
    return max(widths, key=widths.count, default=0)


def _names_fields(fields: Sequence[str]) -> bool:
    """Whether a line names the fields of the others."""
    if fields[0].strip().lower() not in NAMES:  # few lines take more than that
        return False
    names = {field.strip().lower() for field in fields}
    return len(names) == len(fields) > 1 and names <= NAMES


def admit(head: Head) -> str | None:
    """None: a file named on purpose is read as a table unless it is recognised."""
    return recognise(head)


def _most(said: Iterable[bool]) -> bool:
    """Whether it is said of nine in ten: one clip that is called otherwise must not hide what the file is."""
    answers = list(said)
    return sum(answers) * 10 >= len(answers) * 9


def _is_clip(field: str) -> bool:
    return bool(field) and len(field) <= LONGEST_ID and not any(letter.isspace() for letter in field.strip())


def layout_of(head: Head, configured: str | None) -> Layout:
    """The configured shape, else the one that the fields show; how many Coqui has is said by its first line, or by most."""
    rows = [fields_of(line) for line in first_lines(head)]
    names = tuple(field.strip() for field in rows[0]) if rows and _names_fields(rows[0]) else ()
    shape = (
        SHAPES[configured] if configured in COLUMNS else _shape([row for row in rows if not _names_fields(row)], names)
    )
    columns = COLUMNS[shape.name]
    if shape.name == "coqui":
        columns = names if names[:1] == (COQUI_HEADER,) else columns[: max(2, _usual(rows))]
    return Layout(shape, columns)


def _shape(rows: list[list[str]], names: tuple[str, ...]) -> Shape:
    """The shape that the number of fields shows; the middle or last of three may be a speaker."""
    if names[:1] == (COQUI_HEADER,):
        return SHAPES["coqui"]
    three = [row for row in rows if len(row) == 3]
    if len(three) * 2 <= len(rows):
        return SHAPES["ljspeech-2col"]
    if _are_speakers([row[1] for row in three]):
        return SHAPES["piper-multispeaker"]
    last = [row[2] for row in three]
    return SHAPES["coqui" if _are_speakers(last) and 2 * len(set(last)) <= len(last) else "ljspeech-3col"]


def _are_speakers(fields: list[str]) -> bool:
    """Whether fields name who speaks: short, hardly any empty, and numbers all of them or some more than once."""
    named = [field for field in fields if field.strip()]
    short = all(len(field.strip()) <= 40 and " " not in field.strip() for field in named)
    told = len(set(named)) < len(named) or len(named) < 3 or all(field.strip().isdigit() for field in named)
    return short and told and _most(bool(field.strip()) for field in fields)


def scan(source: Source, survey: "Survey") -> None:
    """Measure the whole file."""
    layout = layout_of(Head.of(source.path), survey.options.shape)
    survey.settle((), layout.shape)
    reading = _Reading(survey, layout)
    for line in physical_lines(source.file):
        reading.take(line)
    reading.ends.finish()


def records(path: str) -> Iterator[Record]:
    """The records again, without their faults; the shape is asked of the file, as a configured one has the same fields."""
    layout = layout_of(Head.of(path), None)
    number = 0
    with Source(path) as source:
        for line in physical_lines(source.file):
            value = _value(line, layout)
            if value is not None:
                number += 1
                yield Record(number, line.number, line.byte_offset, value, line.data)


def _value(line: Line, layout: Layout) -> dict[str, str] | None:
    """The record of a line, or None for a line that is none."""
    if line.undecodable is not None or b"\0" in line.data or line.skipped or not line.text.strip():
        return None
    fields = fields_of(line)
    if len(fields) != len(layout.columns) or _names_fields(fields):
        return None
    return dict(zip(layout.columns, fields, strict=True))


class _Reading:
    """Looks at one line after the other."""

    def __init__(self, survey: "Survey", layout: Layout) -> None:
        self.survey, self.layout = survey, layout
        self.ends = Ends(survey)
        survey.extra["columns"] = len(layout.columns)

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
        value = _value(line, self.layout)
        if value is not None:
            self.survey.take(value, line.data, line=line.number, byte_offset=line.byte_offset)
        elif not _names_fields(fields := fields_of(line)):
            self._sight("fields", line, f"{len(fields)} fields")
        elif line.number > 1:
            self._sight("header-again", line, "the column names as a row")
        elif fields[0].strip() != COQUI_HEADER:
            self._sight("header-unknown", line, f"{len(fields)} other names")

    def _sight(self, name: str, line: Line, measured: str) -> None:
        self.survey.sight(name, line.number, byte_offset=line.byte_offset, measured=measured, content=line.data)
