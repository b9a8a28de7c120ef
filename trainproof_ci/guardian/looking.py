"""When to look at a growing log, what it says so far, and whether that is reason enough to stop the run."""

import os
import time
from collections.abc import Callable

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, classify
from trainproof_ci.engine import judge
from trainproof_ci.guardian.firmness import firm_fail
from trainproof_ci.model import Finding, TargetReport
from trainproof_ci.typed import NamedTuple

POLICIES = ("warn", "stop_on_fail")
SHARE = 20
"""Looking again waits this many times what the last look cost: at most 5 % of the time goes into looking."""
FREE_SECONDS = 10.0
"""Looking as often as the log grows is free for so long in all: a run that is broken from the start is stopped there."""


class Signature(NamedTuple):
    """By what a changed file is told from an unchanged one."""

    device: int
    inode: int
    size: int
    modified: int


def signature(path: str) -> Signature | None:
    """The signature of the file at `path`, None where there is none."""
    try:
        now = os.stat(path)
    except OSError:
        return None
    return Signature(now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)


def target_of(path: str, *, outright: bool = False) -> Target | None:
    """The training log at `path` as a target; None while it is not one yet, unless it was named `outright`."""
    found = classify(path, os.sep, outright=outright)
    if found is not None and outright and found.refusal is not None:
        return found._replace(kind="run")  # it was named as a log, whatever is or is not there
    return found if found is not None and (outright or found.kind == "run") else None


class FollowedLog:
    """One log that somebody is writing. `cuts` counts how often it was replaced or cut short."""

    def __init__(self, path: str, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self.settings, self._clock = path, settings._replace(live=True), clock
        self.grew = clock()
        self.cuts = 0
        self.report: TargetReport | None = None
        self._seen = signature(path)
        self._judged: Signature | None = None
        self._next_look = self.grew
        self._spent = 0.0

    def poll(self) -> bool:
        """Notice what happened to the file, by its status alone; True when there is something new to look at."""
        now = signature(self.path)
        if now is not None and now != self._seen:
            before, self._seen = self._seen, now
            self.grew = self._clock()
            if before is not None and (now.inode != before.inode or now.size < before.size):
                self.cuts += 1
        return now is not None and now.size > 0 and now != self._judged and self.due

    def look(self) -> Finding | None:
        """Judge the log so far; the FAIL that is firm enough to stop the run for, or None."""
        began = self._clock()
        self._judged = signature(self.path)
        target = target_of(self.path)
        if target is None:
            self._next_look = self._clock() + 1.0
            return None
        self.report = judge(target, self.settings)
        ended = self._clock()
        self._spent += ended - began
        if self._spent > FREE_SECONDS:
            self._next_look = ended + SHARE * (ended - began)
        return firm_fail(target, self.report, self.settings)

    @property
    def due(self) -> bool:
        """Whether enough time has passed since the last look."""
        return self._clock() >= self._next_look

    @property
    def quiet_for(self) -> float:
        """Seconds since the file last changed."""
        return self._clock() - self.grew
