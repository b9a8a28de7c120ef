"""A folder of very many files costs each of them no look at all the others."""

import os
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check

FILES = 300
OLD = 1_700_000_000


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
    names = 0
    listed, scanned = os.listdir, os.scandir

    def listdir(*where: Any) -> list[str]:
        nonlocal names
        found = listed(*where)
        names += len(found)
        return found

    class Scan:
        def __init__(self, where: str) -> None:
            self.listing = scanned(where)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            self.listing.close()

        def __iter__(self) -> Any:
            nonlocal names
            for entry in self.listing:
                names += 1
                yield entry

    targets = find(["."], Settings())
    monkeypatch.setattr(os, "listdir", listdir)
    monkeypatch.setattr(os, "scandir", Scan)
    report = check(targets, Settings())
    assert len(report.targets) == FILES
    assert names < 10 * FILES * len(files)
    names = 0
    for target in targets:
        for path in target.members or (target.path,):
            assert find([path], Settings())
    assert names < 10 * FILES * len(files)
