"""The formats of training logs, in the order they are asked. A new format is one file and one line here."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from trainproof_ci.patterns import later
from trainproof_ci.typed import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.run.facts import Reading
    from trainproof_ci.readers.source import Head, Source

READERS: Mapping[str, str] = {
    "hf-trainer-state": "trainer_state",
    "tensorboard": "tfevents",
    "catboost": "catboost",
    "jsonl": "jsonl",
    "json-history": "json_history",
    "csv": "csv_table",
    "console": "console",
}
"""Format name -> module in this package."""


class Reader(Protocol):
    """What a module of a format offers."""

    def recognise(self, head: "Head") -> bool:
        """Whether the file is of this format, by content; the name may help."""

    def read(self, source: "Source", target: "Target") -> "Reading":
        """Read the open file (or, for a target of several members, those) into series."""


_MEASURED = later(rb'"\s*:[\s\[]*(?:[-\dNIn]|"\s*\[?(?:[-+.\d\\]|[nN][aA][nN]|[iI][nN][fF]|[tT](?:ensor|f\.)))')
"""A value of a JSON object that is a number or begins a list of them, is null, or may be a text that writes a number out."""


def asked(head: "Head") -> "Iterable[str]":
    """The formats that a file may be of.

    One that begins with a JSON object as `.jsonl` does is no table and no console, and without a number no log either:
    most datasets are told from logs by that, without the vocabulary of logs.
    """
    if head.suffix not in {".jsonl", ".ndjson"} or not head.start.startswith(b'{"'):
        return READERS
    return ("jsonl",) if _MEASURED.search(head.start) is not None else ()


@cache
def reader(name: str) -> Reader:
    """The module that reads the format `name`."""
    return cast("Reader", import_module(f"trainproof_ci.readers.run.{READERS[name]}"))
