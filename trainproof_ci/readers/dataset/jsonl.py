"""JSON Lines: one record a line, lines end in LF and nothing else."""

import json
from collections import Counter
from collections.abc import Iterator

from trainproof_ci.readers.dataset import strict_json
from trainproof_ci.readers.dataset.detection import SAMPLED, detect
from trainproof_ci.readers.dataset.examiner import BOM, MARKERS, Examiner
from trainproof_ci.readers.dataset.layout import refuse_layout
from trainproof_ci.readers.dataset.lines import LONG, Block, Index, blocks
from trainproof_ci.readers.dataset.record import Record, too_deep
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import JSON_LINES, named_like_split, words_of
from trainproof_ci.typed import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey


__all__ = ["BOM", "MARKERS", "Examiner", "blocks", "records_of", "sample"]


NO_DATASET = frozenset({"log", "logs", "logging", "metrics", "telemetry", "events"})
"""Words of the name of a file that an application or an evaluation wrote, unless its records have a known shape."""


def recognise(head: Head) -> str | None:
    """JSON Lines by name, but for logs of no known shape, or by content in a `.json` whose lines have a known shape.

    Under a name that says data or a split, lines that are records of the same keys are enough.
    """
    if head.suffix in JSON_LINES:
        return None if _is_a_log(head) else "jsonl"
    if head.suffix == ".json" and head.start.lstrip(BOM + b" \t\r\n")[:1] == b"{":
        samples = sample(head)
        shape = detect(samples) if len(samples) > 1 or (samples and b"\n" not in head.start.strip()) else None
        strong = shape is not None and shape.strong
        return "jsonl" if strong or (named_like_split(head.name) and _are_alike(head)) else None
    return None


def admit(head: Head) -> str | None:
    """JSON Lines by name, also where it is the log of an application: such a file was named on purpose."""
    return "jsonl" if head.suffix in JSON_LINES else None


def _is_a_log(head: Head) -> bool:
    """Whether a name says that an application wrote the file, and its records are whole and of no known shape."""
    if NO_DATASET.isdisjoint(words_of(head.name)):
        return False
    lines, samples = _first_lines(head)
    return bool(samples) and len(samples) == lines and detect(samples, usual=False) is None


def _are_alike(head: Head) -> bool:
    """Whether more than half of the first lines are records of the same keys, and at least two."""
    lines, samples = _first_lines(head)
    keys = Counter(map(frozenset, samples)).most_common(1)
    return bool(keys) and keys[0][1] > max(1, lines / 2) and not _is_logged(keys[0][0])


LEVELS = frozenset({"level", "levelname", "lvl", "severity", "log_level"})
MESSAGES = frozenset({"msg", "message"})
TIMES = frozenset({"time", "timestamp", "ts", "@timestamp", "asctime"})
"""Keys of what an application logs."""


def _is_logged(keys: frozenset[str]) -> bool:
    """Whether records have the keys of what an application logs."""
    return bool(keys & LEVELS and keys & MESSAGES) or bool(keys & TIMES and keys & (MESSAGES | LEVELS | {"event"}))


def _first_lines(head: Head) -> tuple[int, list[dict[str, Any]]]:
    """How many of the first lines hold something, and the records among them."""
    lines = [line for line in head.start.split(b"\n")[:SAMPLED] if line.strip()]
    if not head.whole:
        del lines[-1:]
    return len(lines), [value for line in lines if (value := value_of(line)) is not None]


def sample(head: Head) -> list[dict[str, Any]]:
    """The first records of the file, as far as they can be read; the shape is detected from them."""
    found = []
    for line in head.start.split(b"\n")[: SAMPLED * 2]:
        value = value_of(line)
        if value is not None:
            found.append(value)
    return found[:SAMPLED]


def scan(source: Source, survey: "Survey") -> None:
    """Measure a whole file, with other processes where it is large and they are allowed."""
    from trainproof_ci.readers.dataset import parts  # recognising files needs none of it

    head = source.head()
    refuse_layout(head, source.file)
    samples = sample(head)
    if not samples and not head.whole:
        samples = sample(Head(head.path, source.file.read(LONG), head.size))  # the first record is longer than the head
        source.file.seek(0)
    with parts.PartSurveyors(source, survey, samples) as others:
        survey.settle(samples)
        examiner = Examiner(survey)
        survey_range(source.file, survey, examiner, 0, others.end)
        others.join(survey, examiner)
    examiner.finish()


def survey_range(stream: BinaryIO, survey: "Survey", examiner: Examiner, start: int, end: int | None) -> None:
    """Measure the lines that begin from byte `start` up to `end`."""
    from trainproof_ci.readers.dataset.fast import Acceptor

    acceptor = Acceptor.for_survey(survey, examiner)
    for block in blocks(stream, start, end):
        survey.index.add(block, survey.records)
        if block.skipped:
            examiner.skipped(block)
        elif acceptor is not None:
            acceptor.block(block)
        else:
            _explain(block, examiner)
    examiner.close()


def _explain(block: Block, examiner: Examiner) -> None:
    offset = block.byte_offset
    for at, line in enumerate(block.lines):
        examiner.explain(line, block.line + at, offset)
        offset += len(line)


def records(path: str) -> Iterator[Record]:
    """The records of a file again, without their faults."""
    with Source(path) as source:
        yield from records_of(source.file)


def records_of(stream: BinaryIO) -> Iterator[Record]:
    """The records of a stream, without their faults."""
    number = 0
    for block in blocks(stream):
        offset = block.byte_offset
        for at, line in enumerate(block.lines):
            value = value_of(line)
            if value is not None:
                number += 1
                yield Record(number, block.line + at, offset, value, line)
            offset += len(line)


def reread(path: str, wanted: frozenset[int], index: Index) -> Iterator[Record]:
    """The wanted records by number, from the blocks that hold them only."""
    numbers = sorted(wanted, reverse=True)
    ends = [*index.records[1:], float("inf")]
    with Source(path) as source:
        for offset, line, before, end in zip(index.offsets, index.lines, index.records, ends, strict=True):
            if not numbers:
                return
            if numbers[-1] > end:
                continue
            source.file.seek(offset)
            block = next(blocks(source.file))
            block.line, block.byte_offset = line, offset
            yield from _picked(block, before, int(min(end, 1 << 62)), numbers)


def _picked(block: Block, before: int, end: int, numbers: list[int]) -> Iterator[Record]:
    """Records of one block whose numbers are next in `numbers` (descending), which are taken from it."""
    lines = block.lines
    every = end - before == len(lines)
    offset, number = block.byte_offset, before
    for at, line in enumerate(lines):
        value = None if every else value_of(line)
        number += every or value is not None
        if numbers and numbers[-1] == number and (every or value is not None):
            numbers.pop()
            value = value if value is not None else value_of(line)
            if value is not None:
                yield Record(number, block.line + at, offset, value, line)
        offset += len(line)


_DECODER = json.JSONDecoder()


def value_of(line: bytes) -> dict[str, Any] | None:
    """The record that a line holds, or None."""
    try:
        text = line.removeprefix(BOM).decode().strip(" \t\r\n")
    except UnicodeDecodeError:
        return None
    if not text:
        return None
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        value, end = None, -1
    if end != len(text):
        value, flaws = strict_json.parse(text)
        if any(flaw.fatal for flaw in flaws):
            return None
    return value if isinstance(value, dict) and b"\0" not in line and not too_deep(value, line) else None
