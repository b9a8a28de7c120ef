"""Parallel texts: `train.en` and `train.de`, in which line i of one is the translation of line i of the other."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.delimited import Line, physical_lines
from trainproof_ci.readers.dataset.digests import FolderDigest, sha256
from trainproof_ci.readers.dataset.known_columns import SPLITS
from trainproof_ci.readers.dataset.listed import once_a_folder
from trainproof_ci.readers.dataset.shapes import SHAPES
from trainproof_ci.readers.dataset.whole import refuse_no_text
from trainproof_ci.readers.pointers import refuse_pointer
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.dataset.leaks import Leaks
    from trainproof_ci.readers.dataset.survey import Survey

SIDES = frozenset({"src", "tgt", "trg", "source", "target"})
LANGUAGES = frozenset(
    {
        "af", "ar", "az", "be", "bg", "bn", "bs", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et", "eu", "fa", "fi",
        "fr", "ga", "gl", "gu", "he", "hi", "hr", "hu", "hy", "id", "is", "it", "ja", "ka", "kk", "km", "kn", "ko", "lt", "lv",
        "mr", "ms", "mt", "my", "ne", "nl", "no", "pa", "pl", "pt", "ro", "ru", "si", "sk", "sl", "sq", "sr", "sv", "sw", "ta",
        "te", "th", "tl", "tr", "uk", "ur", "uz", "vi", "zh", "zu",
        "gd", "ha", "ig", "ku", "ky", "la", "lb", "lo", "mg", "mi", "ml", "mn", "ny", "or", "ps", "rw", "sa", "sd",
        "sn", "st", "su", "tg", "ti", "tk", "tn", "tt", "ug", "xh", "yi", "yo",
    }
)  # fmt: skip
CORPORA = SPLITS | {
    "corpus",
    "bitext",
    "parallel",
    "europarl",
    "newstest",
    "tst",
    "flores",
    "iwslt",
    "wmt",
    "multi30k",
    "opus",
}
MARKED = frozenset({b"<", b"=", b">"})
"""What the markers of a merge conflict begin with."""
BREAKS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
"""What `str.splitlines` takes for line ends besides CR and LF."""


def recognise(head: Head) -> str | None:
    """A text whose suffix is a language, with its other side beside it, and a name that speaks of a corpus."""
    stem, suffix = os.path.splitext(head.name)
    if not _is_side(suffix[1:]):
        return None
    words = set(stem.lower().replace(".", "_").replace("-", "_").split("_"))
    telling = suffix[1:].lower() in SIDES or any(word.rstrip("0123456789") in CORPORA for word in words)
    return "parallel-text" if telling and next(_other_sides(head.path), None) is not None else None


def _is_side(suffix: str) -> bool:
    return suffix.lower() in SIDES or suffix.lower().split("_")[0] in LANGUAGES


def _other_sides(path: str) -> Iterator[str]:
    folder, name = os.path.split(path)
    stem, suffix = os.path.splitext(name)
    kind = suffix[1:].lower() in SIDES
    for ending in _sides_beside(folder or ".").get(stem, ()):
        if ending != suffix and (ending[1:].lower() in SIDES) is kind:
            yield os.path.join(folder, stem + ending)


def _sides_in(folder: str) -> Mapping[str, list[str]]:
    """The suffixes of languages and sides in a folder by stem, in order."""
    found: dict[str, list[str]] = {}
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return found
    for name in names:
        stem, ending = os.path.splitext(name)
        if _is_side(ending[1:]):
            found.setdefault(stem, []).append(ending)
    return found


_sides_beside = once_a_folder(_sides_in)


def survey_members(target: "Target", settings: "Settings", survey: "Survey") -> None:
    """Measure all sides line by line; a record is a line of all of them. Raises `Unreadable` where one is no text."""
    refuse_sides(target.members)
    survey.settle((), SHAPES["parallel-text"])
    sides = [_Side(path, survey) for path in target.members]
    for lines in zip_longest(*(side.lines() for side in sides)):
        _together(lines, sides, survey)
    digest = FolderDigest()
    for side in sides:
        side.finish()
        digest.add(side.path, side.digest.hexdigest())
        survey.size += side.size
    counts = [side.count for side in sides]
    if len(set(counts)) > 1:
        shortest = min(sides, key=lambda side: side.count)
        place = Location(shortest.path, max(1, shortest.count))
        survey.faults.sight("par-count", place, " against ".join(f"{count}" for count in counts) + " lines", b"")
    survey.extra |= {"files": len(sides), "lines": max(counts)}
    survey.sha256 = digest.hexdigest()
    survey.leaks = _compared(target.members, survey, settings)


def refuse_sides(paths: Iterable[str]) -> None:
    """Raise `Unreadable` for a side that is no text or not here: nothing is said about the others without it."""
    heads = [Head.of(path) for path in paths]
    for head in heads:
        refuse_no_text(head)
    for head in heads:
        refuse_pointer(head)


def _compared(paths: Sequence[str], survey: "Survey", settings: "Settings") -> "Leaks | str":
    if survey.split != "eval":
        return "not an evaluation split, by configuration or by name"
    from trainproof_ci.readers.dataset.pairs import compared_pairs  # few are evaluation splits

    return compared_pairs(paths, survey, settings)


def _together(lines: tuple[Line | None, ...], sides: "list[_Side]", survey: "Survey") -> None:
    present = [(line, side) for line, side in zip(lines, sides, strict=True) if line is not None]
    if len(present) == len(sides):
        survey.records += 1
        empty = [(line, side) for line, side in present if not line.text.strip()]
        for line, side in empty if len(empty) < len(sides) else ():
            side.sight("par-empty", line, "0 characters on one side")


class _Side:
    """One side: its path and what is wrong with its lines."""

    def __init__(self, path: str, survey: "Survey") -> None:
        self.path, self.survey = path, survey
        self.count = self.size = 0
        self.digest = sha256()
        """Of all lines but those too long to hold, which are said not to be judged."""
        self.unended: Line | None = None
        self._conflict = False
        """Whether a merge conflict is open."""

    def lines(self) -> Iterator[Line]:
        """The lines, looked at on the way; the file is one from its first line to its last."""
        with Source(self.path) as source:
            for line in physical_lines(source.file):
                self.count += 1
                self.digest.update(line.data)
                self.size += len(line.data) or line.skipped
                self._look(line)
                self.unended = None if line.data.endswith(b"\n") else line
                yield line

    def _look(self, line: Line) -> None:
        if line.skipped:
            self.sight("too-long", line, f"{line.skipped} bytes")
        if line.data.startswith(b"\xef\xbb\xbf"):
            self.sight("bom" if line.number == 1 else "bom-inside", line, "EF BB BF")
        if b"\0" in line.data:
            self.sight("nul", line, f"{line.data.count(0)} NUL bytes")
        if line.undecodable is not None:
            at = line.byte_offset + line.undecodable
            self.sight("utf8", line, f"byte 0x{line.data[line.undecodable]:02X} at {at}", at)
        elif any(mark in line.text for mark in BREAKS):
            self.sight("unicode-break", line, "a character that some readers take for a line end")
        if "\r" in line.text:
            self.sight("cr", line, "a lone CR")
        if line.data[:1] in MARKED:
            self._marked(line)

    def _marked(self, line: Line) -> None:
        """What opens a merge conflict, and what follows it: lines of the other two alone underline or quote a text."""
        opens, closes = line.data.startswith(b"<<<<<<< "), line.data.startswith(b">>>>>>> ")
        if opens or (self._conflict and (closes or line.data.rstrip() == b"=======")):
            self.sight("conflict", line, "conflict markers")
            self._conflict = not closes

    def sight(self, name: str, line: Line, measured: str, at: int | None = None) -> None:
        """Tell the survey."""
        place = Location(self.path, line.number, byte_offset=line.byte_offset if at is None else at)
        self.survey.faults.sight(name, place, measured, line.data)

    def finish(self) -> None:
        """What only the end decides."""
        if self.unended is not None and self.unended.data:
            self.sight("no-eol", self.unended, "")
