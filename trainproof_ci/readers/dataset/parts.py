"""A large file in parts, one process each; what they find is put together in file order, so that nothing depends on it.

Forked processes only: hashes of records are keyed by process, and a fork keeps the key.
"""

import os
import sys
from collections.abc import Mapping
from types import TracebackType

from trainproof_ci.readers.dataset.examiner import Examiner
from trainproof_ci.readers.source import Source
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from trainproof_ci.readers.dataset.survey import Survey
    from trainproof_ci.typed import BinaryIO

SMALLEST_PART = 16 << 20
"""Bytes; below twice this a second process costs more than it brings."""
MOST_PARTS = 8
SENT = 1 << 17
"""Hashes sent at a time."""


def boundaries(source: Source, jobs: int) -> list[int]:
    """The offsets at which parts begin, each the first byte of a line that begins a record; [0] for a file in one piece."""
    count = min(jobs, MOST_PARTS, source.size // SMALLEST_PART)
    if count < 2 or not hasattr(os, "fork") or sys.platform == "darwin":
        return [0]
    found = [0]
    for part in range(1, count):
        source.file.seek(part * source.size // count)
        begin = _next_record(source.file)
        if begin is not None and begin > found[-1]:
            found.append(begin)
    source.file.seek(0)
    return found


def _next_record(stream: "BinaryIO") -> int | None:
    """Where the next line begins that is no part of a record above it; None where none is near."""
    begin, near = stream.tell(), stream.tell() + SMALLEST_PART
    line = stream.readline(SMALLEST_PART)
    while line.endswith(b"\n") and begin + len(line) < near:
        begin += len(line)
        line = stream.readline(SMALLEST_PART)
        if line.startswith(b"{"):
            return begin
    return None


class PartSurveyors:
    """Processes that survey the later parts of a file while this one surveys the first, up to `end`."""

    def __init__(self, source: Source, survey: "Survey", samples: list[Any]) -> None:
        bounds = boundaries(source, survey.settings.jobs)
        self.path = source.path
        self.end = bounds[1] if len(bounds) > 1 else None
        self.ranges = list(zip(bounds[1:], [*bounds[2:], None], strict=False))
        self.samples = samples
        self.running: list[tuple[Any, Connection]] = []
        if self.ranges:
            from multiprocessing import get_context  # only large files need it

            context = get_context("fork")
            for start, end in self.ranges:
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(target=_work, args=(survey, samples, start, end, theirs), daemon=True)
                process.start()
                theirs.close()
                self.running.append((process, ours))

    def __enter__(self) -> "PartSurveyors":  # noqa: PYI034 - Self needs 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process, pipe in self.running:
            pipe.close()
            if kind is not None:
                process.terminate()
            process.join()

    def join(self, survey: "Survey", examiner: Examiner) -> None:
        """Append what the parts found, in order; a part whose process died is surveyed here."""
        if not self.ranges:
            return
        import pickle  # most files are small and have no parts

        for (start, end), (_, pipe) in zip(self.ranges, self.running, strict=True):
            try:
                part, state = _received(pipe)
            except (EOFError, OSError, pickle.UnpicklingError):
                part, state = self._again(survey, start, end)
            merge(survey, examiner, part, state)

    def _again(self, survey: "Survey", start: int, end: int | None) -> "tuple[Survey, Examiner]":
        part = survey.another()
        part.settle(self.samples)
        return part, _surveyed(part, self.path, start, end)


def _surveyed(part: "Survey", path: str, start: int, end: int | None) -> Examiner:
    from trainproof_ci.readers.dataset.jsonl import survey_range

    examiner = Examiner(part)
    with open(path, "rb") as stream:
        stream.seek(start)
        survey_range(stream, part, examiner, start, end)
    return examiner


def _work(survey: "Survey", samples: list[Any], start: int, end: int | None, pipe: "Connection") -> None:
    """The life of one process: survey a part and send what it found, the hashes one partition at a time."""
    import pickle

    sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - a process that fails is silent: its part is surveyed again
    part = survey.another()
    part.settle(samples)
    examiner = _surveyed(part, survey.path, start, end)
    pipe.send_bytes(pickle.dumps((state_of(part), vars(examiner.ends), examiner.blanks, examiner.spoke)))
    with memoryview(part.duplicates.keys) as view:
        for at in range(0, len(view), SENT):
            pipe.send_bytes(view[at : at + SENT])
    pipe.close()


STATE = ("records", "lines", "first_line", "faults", "columns", "tally", "index", "marks")


def state_of(part: "Survey") -> dict[str, Any]:
    """What a survey found, without the rules that it asked and the hashes that travel alone."""
    return {name: getattr(part, name) for name in STATE}


class Part:
    """What another process found in its part of the file."""

    def __init__(self, state: Mapping[str, Any], duplicates: Any) -> None:
        self.__dict__.update(state)
        self.duplicates = duplicates


def _received(pipe: "Connection") -> tuple[Any, Any]:
    import pickle

    from trainproof_ci.readers.dataset.duplicates import Duplicates

    state, ends, blanks, spoke = pickle.loads(pipe.recv_bytes())  # noqa: S301 - from a process of our own
    duplicates = Duplicates()
    while len(duplicates.keys) < state["records"]:
        duplicates.keys.frombytes(pipe.recv_bytes())
    return Part(state, duplicates), Part({"ends": Part(ends, None), "blanks": blanks, "spoke": spoke}, None)


def merge(survey: "Survey", examiner: Examiner, part: Any, state: Any) -> None:
    """Append a part: its lines and records are counted from those before it."""
    lines, records = survey.lines, survey.records
    if state.spoke:
        examiner.inside()
    examiner.blanks += [(line + lines, offset) for line, offset in state.blanks]
    examiner.ends.merge(state.ends, lines)
    survey.faults.merge(part.faults, lines, records, 0)
    survey.columns.merge(part.columns, lines, records)
    survey.tally.merge(part.tally, lines, records, 0)
    survey.index.merge(part.index, lines, records)
    survey.duplicates.parts.append(part.duplicates)
    if survey.marks is not None and part.marks is not None:
        survey.marks.merge(part.marks)
    survey.first_line = survey.first_line or (part.first_line + lines if part.first_line else 0)
    survey.lines += part.lines
    survey.records += part.records
