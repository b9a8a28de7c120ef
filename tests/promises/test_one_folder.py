"""A folder of very many files costs each of them no look at all the others."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check

FILES = 300
OLD = 1_700_000_000


class Names:
    """Counts the names that folders are asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._listed, self._scanned = os.listdir, os.scandir
        monkeypatch.setattr(os, "listdir", self._listdir)
        monkeypatch.setattr(os, "scandir", self._scandir)

    def _listdir(self, *where: Any) -> list[str]:
        found = self._listed(*where)
        self.count += len(found)
        return found

    @contextmanager
    def _scandir(self, where: str) -> Iterator[Iterator[Any]]:
        with self._scanned(where) as listing:
            yield self._counted(listing)

    def _counted(self, listing: Iterator[Any]) -> Iterator[Any]:
        for entry in listing:
            self.count += 1
            yield entry


@pytest.mark.parametrize(
    "files",
    [
        {"part-{}.jsonl": '{{"text": "number {}", "label": 1}}\n{{"text": "other {}", "label": 0}}\n'},
        {"part-{}.csv": "text,label\nnumber {},1\nother {},0\n"},
        {"corpus-{}.en": "one {}\n", "corpus-{}.de": "eins {}\n"},
    ],
    ids=["labelled lines", "labelled tables", "parallel texts"],
)
def test_names_are_looked_at_a_few_times_each(
    work: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]
) -> None:
    for number in range(FILES):
        for name, text in files.items():
            (work / name.format(number)).write_text(text.format(number, number))
    os.utime(work, (OLD, OLD))
    targets = find(["."], Settings())
    names = Names(monkeypatch)
    report = check(targets, Settings())
    assert len(report.targets) == FILES
    assert all(find([path], Settings()) for target in targets for path in target.members or (target.path,))
    assert names.count < 20 * FILES * len(files)
