"""Readers of a dataset: files of records in, one survey of each file out.

How it fits together
--------------------
A *format* is a module of this package, listed in `FORMATS`, that offers

- `recognise(head) -> str | None`: the name of the format (`survey.format`), by content, helped by the name;
- `scan(source, survey) -> None`: one pass over an open `Source`, in file order and bounded memory;
- `records(path) -> Iterator[Record]`: the records once more, without faults, numbered as `scan` numbered them:
  duplicates are proved and splits compared with it.

`scan` calls `survey.settle(samples)` once with the first records (plain dicts), which decides the shape, then for every
record `survey.take(value, raw, line=, byte_offset=)`. `value` is a dict from key or column to value and is the same
for a CSV row and a JSON line, so that every record rule is written once. `plain=True` promises that `screens.is_plain(raw)`
holds; leave it out when in doubt. Whatever is no record is told with `survey.sight(name, line, ...)`: a reader measures
and names, it never decides how bad that is. More facts for the report go into `survey.extra`.
A file that is as a whole not what it should be (UTF-16, an array in `.jsonl`) raises `Unreadable(rule=...)`.

Adding a rule
-------------
1. A module of `trainproof_ci.rules.dataset`, listed in `registry.RULE_MODULES["dataset"]`.
2. A rule over the file, `@rule("TP-X", Severity.FAIL, needs=("records",))`, is `def f(data: Survey, limits) -> Iterator[Firing]`.
   It reads `data.sighted("name")`, `data.columns`, `data.shape`, `data.options`, `data.repeats`... and does no I/O.
3. A rule over each record, `@rule("TP-X", Severity.FAIL, needs=("shape",), per="record")`, is
   `def f(record: Record, data: Survey, limits) -> Iterator[Fault]`. One `Fault` a place; the survey groups them into one
   finding with every place. Say *what* with lengths, counts and key paths (`safe_key` for keys outside the shape), never content.
4. `needs`: "records", "json", "shape", and what a shape offers: "turns", "messages", "replies", "preference", "prompt", "answer", "target", "label".
   "keys" is what a shape with fields offers; "text" and "lines" (lines that are records) what `needs.UNLIKE` denies.
   "max-chars", "phrases" and "label-range" are what the configuration has to say.
   "rare-text" is for rules about characters that `screens` finds: they are asked only about records that are not plain.
5. Cases in `tests/rules/cases/dataset/TP-X.yml`: fires, quiet, skipped.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import chain, islice

from trainproof_ci.readers.dataset.whole import refuse_whole
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import PACKED, is_metadata
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.dataset.leaks import Leaks
    from trainproof_ci.readers.dataset.record import Record
    from trainproof_ci.readers.dataset.survey import Survey
    from trainproof_ci.registry import Rule

FORMATS = ("jsonl", "json_array", "compressed", "parquet", "metadata", "table", "labels", "parallel")
"""The modules of the formats, in the order they are asked."""

MANY_FILES = {"yolo-labels": "labels", "parallel-text": "parallel"}
"""The modules of the formats that are several files, by format; they offer `survey_members(target, settings, survey)`."""


def gather(targets: "Iterable[Target]") -> "list[Target]":
    """Let the files of one dataset be one target."""
    from trainproof_ci.readers.dataset.folder import gathered

    return gathered(targets)


def recognise(head: Head) -> str | None:
    """The name of the format, or None."""
    return next((name for _, name in _asked(head)), None)


def _asked(head: Head) -> Iterator[tuple[Any, str]]:
    for module_name in FORMATS:
        module = _module(module_name)
        name = module.recognise(head)
        if name is not None:
            yield module, name


def admit(head: Head) -> str | None:
    """The name of the format of a file that was named on purpose, by its suffix; None where nothing reads it."""
    return recognise(head) or next((name for _, name in _admitted(head)), None)


def _admitted(head: Head) -> Iterator[tuple[Any, str]]:
    for module_name in FORMATS:
        module = _module(module_name)
        name = module.admit(head) if hasattr(module, "admit") else None
        if name is not None:
            yield module, name


def format_of(head: Head) -> Any:
    """The module that reads a file; JSON Lines when none claims it, so that `--kind dataset` always gets an answer."""
    claimed = next((module for module, _ in chain(_asked(head), _admitted(head))), None)
    array = head.suffix == ".json" and head.start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    return claimed or _module("compressed" if head.suffix in PACKED else "json_array" if array else "jsonl")


@cache
def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> "Survey":
    """Survey one file: every record judged by the record rules, every fault placed, digest and duplicates known."""
    from trainproof_ci.readers.dataset.digests import Digest  # recognising files needs none of it
    from trainproof_ci.readers.dataset.duplicates import prove
    from trainproof_ci.readers.dataset.splits import others_beside
    from trainproof_ci.readers.dataset.survey import Survey

    if target.members:
        many = Survey(target, settings, rules)
        many.size = 0
        _module(MANY_FILES[target.format]).survey_members(target, settings, many)
        return many
    with Source(target.path) as source:
        head = source.head()
        refuse_whole(head)
        module = format_of(head)
        survey = Survey(target, settings, rules)
        with Digest(head) as digest:
            survey.size, survey.begun = source.size, digest.start
            module.scan(source, survey)
            survey.repeats, survey.conflicts = prove(survey.duplicates, _again(module, survey), survey.shape)
            _note_crowd(survey, module)
            survey.leaks = _compared(survey, module, settings)
            labelled = survey.shape is not None and survey.shape.label is not None
            _note_metadata(survey, module)
            if labelled or isinstance(survey.tally.targets, str):
                survey.one_of_many = others_beside(target.path, survey.split, settings)
            survey.sha256 = digest.hexdigest()
    return survey


def _note_crowd(survey: "Survey", module: Any) -> None:
    """Note that records of no known shape repeat because they must."""
    if survey.repeats and survey.shape is None:
        from trainproof_ci.readers.dataset.crowded import allows_fewer  # most files repeat nothing

        if allows_fewer((record.value for record in module.records(survey.path)), survey.records):
            survey.sight("crowded", 1)


def _note_metadata(survey: "Survey", module: Any) -> None:
    """Note a metadata file whose first records name pictures or sounds beside it in a column that is none of the known."""
    if survey.media is None and survey.records and is_metadata(survey.path):
        from trainproof_ci.readers.dataset.known_columns import names_media_beside  # few files are metadata

        first = (record.value for record in islice(module.records(survey.path), FIRST))
        if names_media_beside(first, survey.path):
            survey.sight("media-beside", 1)


FIRST = 8
"""Records of a metadata file that are looked at for names of files."""


def _compared(survey: "Survey", module: Any, settings: "Settings") -> "Leaks | str":
    if survey.split != "eval":
        return "not an evaluation split, by configuration or by name"
    from trainproof_ci.readers.dataset.leaks import compared_splits  # few files are evaluation splits

    return compared_splits(survey, module, settings)


def _again(module: Any, survey: "Survey") -> "Callable[[frozenset[int]], Iterator[Record]]":
    """How to read wanted records once more: the module's own way, or all of them and pick."""

    def picked(wanted: frozenset[int]) -> "Iterator[Record]":
        if hasattr(module, "reread"):
            found: Iterator[Record] = module.reread(survey.path, wanted, survey.index)
            return found
        return (record for record in module.records(survey.path) if record.number in wanted)

    return picked
