"""Readers of training logs: one file a format, one kind of facts.

The way from bytes to facts:

1. `formats.READERS` names each format and its module. A module offers `recognise(head) -> bool` and
   `read(source, target) -> Reading`; it may offer `gather(targets) -> list[Target]` for files that are one run.
2. A reader returns a `facts.Reading`: every numeric column as a `facts.Series` (arrays of values, steps, places and,
   if logged, epochs), what was no number (`odd`), what could not be read (`damage`), whether the log is cut off in
   mid-record (`cut`) and what stopped the run (`stop`). A file that holds no training log at all is
   `Unreadable(rule="TP-RUN-NOT-A-LOG")`.
   `columns.Columns` builds the series from rows; a reader with columns of its own (event files) makes `Series` itself,
   with `located_by="byte"`, and `files` + `Series.files` when a run lies in several files.
3. `read` here finds which column is what (`roles`), cuts at steps that go back (`segments`) and returns a
   `facts.RunLog`, which the rules, `compare` and the charts work on.
"""

from trainproof_ci.readers.run.formats import READERS, Reader, asked, reader
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.run.facts import RunLog
    from trainproof_ci.registry import Rule


def recognise(head: Head) -> str | None:
    """The name of the log format, or None."""
    return next((name for name in asked(head) if reader(name).recognise(head)), None)


def gather(targets: "Iterable[Target]") -> "list[Target]":
    """Let each format join the files that are one run."""
    by_format: dict[str, list[Target]] = {}
    for target in targets:
        by_format.setdefault(target.format, []).append(target)
    joined: list[Target] = []
    for name, members in by_format.items():
        join = getattr(reader(name), "gather", None) if name in READERS else None
        joined += join(members) if join is not None else members
    return joined


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> "RunLog":  # noqa: ARG001 - the rules judge it later
    """Read a log into a run. Raises `Unreadable`."""
    from trainproof_ci.readers.run.assemble import run_log

    form = reader(target.format) if target.format in READERS else _likely(Head.of(target.path))
    with Source(target.path, live=settings.live) as source:
        reading = form.read(source, target)
    loss_key = settings.run(target.path).loss_key or settings.loss_key
    run = run_log(target, reading, loss_key)
    if reading.stop is not None and reading.stop.kind == "intake":
        from trainproof_ci.readers.run.beside import with_data_beside  # the question that only a failed intake raises

        return with_data_beside(run)
    return run


def _likely(head: Head) -> Reader:
    from trainproof_ci.readers.run.reading_as import likely_reader  # only a file that was named outright needs it

    return likely_reader(head)


def recheck(run: "RunLog", rules: "Sequence[Rule]", target: "Target", settings: "Settings") -> "RunLog":
    """The run without the damaged records that the findings of `rules` rest on; the same run where there is none."""
    if run.reading.verify is None:
        return run
    from trainproof_ci.readers.run.closer_look import rechecked

    return rechecked(run, rules, target, settings.run(target.path).loss_key or settings.loss_key)
