"""Parallel texts: `train.en` and `train.de`, in which line i of one is the translation of line i of the other."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest

from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.digests import FolderDigest
from trainproof_ci.readers.dataset.duplicates import prove
from trainproof_ci.readers.dataset.known_columns import SPLITS
from trainproof_ci.readers.dataset.listed import once_a_folder
from trainproof_ci.readers.dataset.shapes import SHAPES
from trainproof_ci.readers.dataset.sides import Side
from trainproof_ci.readers.dataset.whole import refuse_no_text
from trainproof_ci.readers.pointers import refuse_pointer
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.dataset.leaks import Leaks
    from trainproof_ci.readers.dataset.record import Record
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
BLANKS_BEGIN = frozenset({b"", *(bytes([code]) for code in b" \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f\xc2\xe1\xe2\xe3")})
"""The bytes that a line without anything to be seen begins with; those beyond ASCII begin wide spaces, among much else."""
LONG_PAIR = 160
"""Bytes of all sides together; shorter sentences come back in speech and subtitles."""


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
    sides = [Side(path, survey) for path in target.members]
    _hold_together(sides, survey)
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
    survey.repeats, _ = prove(survey.duplicates, partial(_again, target.members), survey.shape)


def _again(paths: Sequence[str], wanted: frozenset[int]) -> "Iterator[Record]":
    from trainproof_ci.readers.dataset.pairs import records  # few texts repeat themselves

    found = (record for record in records(paths) if record.number in wanted)
    return (each._replace(raw="\n".join(each.value.values()).encode("utf-8", "surrogatepass")) for each in found)


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


def _hold_together(sides: list[Side], survey: "Survey") -> None:
    """Hold the lines of one number against each other; where all sides have one it is a record."""
    note, number = survey.duplicates.keys.append, 0
    for lines in zip_longest(*(side.lines() for side in sides)):
        if None in lines:
            continue
        number += 1
        for line in lines:
            if line[:1] in BLANKS_BEGIN:
                _sight_empty(lines, sides)
                break
        note(hash(lines) if sum(map(len, lines)) >= LONG_PAIR else number)
    survey.records = number


def _sight_empty(lines: tuple[bytes, ...], sides: list[Side]) -> None:
    empty = [side for line, side in zip(lines, sides, strict=True) if not line.decode("utf-8", "replace").strip()]
    for side in empty if len(empty) < len(sides) else ():
        side.sight("par-empty", side.last, side.begin, "0 characters on one side")
