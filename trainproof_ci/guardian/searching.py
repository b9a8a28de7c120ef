"""Finds the logs that a command begins to write while it is watched, without ever costing more than it is worth."""

import os
import time
from collections.abc import Callable, Iterator

from trainproof_ci.guardian.looking import target_of
from trainproof_ci.walking import NEVER_WALKED

SUFFIXES = frozenset({".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".log", ".out", ".txt", ""})
DEEPEST = 6
MOST_ENTRIES = 20_000
SHARE = 200
"""Searching again waits this many times what the last search cost: half a per cent of the time at most."""
SOONEST, LATEST = 2.0, 60.0


class Search:
    """Searches folders for training logs that changed since the watch began."""

    def __init__(self, folders: tuple[str, ...], clock: Callable[[], float] = time.monotonic) -> None:
        self.folders, self._clock = folders, clock
        self._since = time.time() - 1.0
        self._next = clock()
        self._pause = SOONEST
        self._refused: dict[str, float] = {}

    def due(self) -> bool:
        """Whether it is time to search again."""
        return bool(self.folders) and self._clock() >= self._next

    def new_logs(self, known: frozenset[str]) -> list[str]:
        """The training logs that are not known yet."""
        began = self._clock()
        found = [path for folder in self.folders for path in self._recent(folder) if path not in known]
        logs = [path for path in found if target_of(path) is not None]
        self._pause = SOONEST if logs else min(LATEST, self._pause * 1.5)
        self._next = self._clock() + max(self._pause, SHARE * (self._clock() - began))
        return logs

    def _recent(self, folder: str) -> Iterator[str]:
        """Files below `folder` that may be logs and changed since the beginning and since they were last refused."""
        for entry in _files(folder):
            suffix = os.path.splitext(entry.name)[1].lower()
            if suffix not in SUFFIXES and "tfevents" not in entry.name:
                continue
            try:
                changed = entry.stat(follow_symlinks=False).st_mtime
            except OSError:
                continue
            if changed >= self._since and self._refused.get(entry.path) != changed:
                self._refused[entry.path] = changed
                yield os.path.normpath(entry.path).replace(os.sep, "/")


def _files(folder: str) -> "Iterator[os.DirEntry[str]]":
    left = MOST_ENTRIES
    folders = [(folder, 0)]
    while folders and left > 0:
        here, depth = folders.pop()
        try:
            with os.scandir(here) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            continue
        left -= len(entries)
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST and entry.name not in NEVER_WALKED and not entry.name.startswith("."):
                    folders.append((entry.path, depth + 1))
            elif entry.is_file(follow_symlinks=False):
                yield entry
