"""The lines of parallel texts as records, to hold an evaluation split against what is trained on."""

import os
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack

from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.dataset.delimited import physical_lines
from trainproof_ci.readers.dataset.leaks import MOST_RECORDS, Leaks, compare
from trainproof_ci.readers.dataset.parallel import refuse_sides
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.splits import training_files
from trainproof_ci.readers.source import Source
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.readers.dataset.survey import Survey


FEWEST = 32
"""Characters of all sides together; shorter lines agree by chance."""
LOOKED_AT, BEGINNING = 40, 8
"""Characters of a line that are looked at for so many letters and digits to know it by."""


def compared_pairs(paths: Sequence[str], survey: "Survey", settings: "Settings") -> "Leaks | str":
    """Compare an evaluation split with the training texts that have all of its sides."""
    endings = [os.path.splitext(path)[1] for path in paths]
    begun: set[str] = set()
    trained = []
    for name in training_files(survey.path, settings):
        stem = os.path.splitext(name)[0]
        sides = [stem + ending for ending in endings]
        try:
            refuse_sides(sides)
        except Unreadable:
            continue
        trained.append((name, records(sides, begun)))
    if len(paths) < 2 or not trained:
        return "no training texts of the same sides beside this split, and none configured"
    if survey.records <= MOST_RECORDS:
        begun |= {beginning(record.value[endings[0]]) for record in records(paths)}
    return compare(survey, records(paths), trained)


def records(paths: Sequence[str], begun: Container[str] | None = None) -> Iterator[Record]:
    """The lines that all sides have, numbered as they were measured, without the short ones.

    Only those whose first side begins like one of `begun`, where that is given: so few are worth a comparison.
    """
    endings = [os.path.splitext(path)[1] for path in paths]
    with ExitStack() as opened:
        sides = [physical_lines(opened.enter_context(Source(path)).file) for path in paths]
        for number, lines in enumerate(zip(*sides, strict=False), 1):
            first = lines[0]
            if begun is not None and beginning(first.text) not in begun:
                continue
            if sum(len(line.text) for line in lines) >= FEWEST:
                value = {ending: line.text for ending, line in zip(endings, lines, strict=True)}
                yield Record(number, first.number, first.byte_offset, value, first.data)


def beginning(text: str) -> str:
    """The first letters and digits of a line, mostly the same for lines that differ in case, punctuation and white space."""
    return "".join([letter for letter in text[:LOOKED_AT].casefold() if letter.isalnum()])[:BEGINNING]
