"""Follows a set of growing logs: the named ones, those found on the way, and the console; one report in the end."""

import time
from collections.abc import Callable, Sequence

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, gathered
from trainproof_ci.engine import check, judge_facts
from trainproof_ci.errors import Unreadable
from trainproof_ci.guardian.looking import FollowedLog, target_of
from trainproof_ci.guardian.searching import Search
from trainproof_ci.model import Finding, Report, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.rules.guardian.stall import QuietLog, log_stalled
from trainproof_ci.typed import NamedTuple

SHORTEST_PAUSE, LONGEST_PAUSE = 0.1, 2.0
"""Seconds between two glances at the followed files; the pause grows while nothing happens."""
CONSOLE = "console"
"""What the command's own output is called in the report."""


class Stop(NamedTuple):
    """Why a run should end now: the finding, and the log it is about."""

    finding: Finding
    path: str


class Watch:
    """Glances at the logs, looks at what changed, and remembers what held."""

    def __init__(
        self,
        named: Sequence[str],
        settings: Settings,
        *,
        console: str | None = None,
        search: Search | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings, self.console, self._clock = settings, console, clock
        self._named = tuple(named)
        self._search = search or Search((), clock)
        follow = (*named, *((console,) if console else ()))
        self.logs = {path: FollowedLog(path, settings, clock) for path in follow}
        self.pause = SHORTEST_PAUSE
        self.stall_seen: TargetReport | None = None

    def glance(self) -> Stop | None:
        """Look at every log that changed; the first FAIL that is firm enough to stop for."""
        if self._search.due():
            for path in self._search.new_logs(frozenset(self.logs)):
                self.logs[path] = FollowedLog(path, self.settings, self._clock)
        stop = None
        changed = False
        for path, log in self.logs.items():
            grew = log.grew
            if log.poll():
                firm = log.look()
                stop = stop or (Stop(firm, path) if firm else None)
            changed = changed or log.grew != grew
        self.pause = SHORTEST_PAUSE if changed else min(LONGEST_PAUSE, self.pause * 1.5)
        return stop

    def stall(self) -> TargetReport | None:
        """The report of TP-STALL on the log that changed last, None while something still grows."""
        last = min(self.logs.values(), key=lambda log: log.quiet_for, default=None)
        if last is None:
            return None
        target = target_of(last.path) or Target(last.path, "run", "unknown")
        quiet = QuietLog(_end(last.path), last.quiet_for)
        report = judge_facts(target, quiet, (log_stalled,), self.settings)
        return report if report.findings else None

    def restart_clocks(self) -> None:
        """Count silence from now on: while everything was suspended, nothing could grow."""
        for log in self.logs.values():
            log.grew = self._clock()

    def report(self, stall: TargetReport | None = None, notes: Sequence[str] = ()) -> Report:
        """What `check` says about the finished logs, with the stall of this watch beside it."""
        if self._search.folders:
            for path in self._search.new_logs(frozenset(self.logs)):
                self.logs[path] = FollowedLog(path, self.settings, self._clock)
        targets = [t for path in self.logs if (t := target_of(path, outright=path in self._named)) is not None]
        cuts = [f"{p} was cut short or replaced {log.cuts} times" for p, log in self.logs.items() if log.cuts]
        report = check(gathered(targets) or [_no_log()], self.settings, (*notes, *cuts))
        judged = _with_stall(report.targets, stall)
        return report._replace(targets=tuple(_shown(target, self.console) for target in judged))


def _no_log() -> Target:
    why = Unreadable(
        "no training log was written that could be judged; name it with --log",
        rule="TP-FILE-NOT-FOUND", measured="0 logs", limit="at least 1", location=Location(CONSOLE, line=1),
    )  # fmt: skip
    return Target(CONSOLE, "run", "missing", is_file=False, refusal=why)


def _end(path: str) -> Location:
    """The last line of the file, which is counted in pieces."""
    lines = 1
    try:
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                lines += piece.count(b"\n") - (1 if piece.endswith(b"\n") and not file.peek(1) else 0)
    except OSError:
        pass
    return Location(path, line=lines)


def _with_stall(targets: Sequence[TargetReport], stall: TargetReport | None) -> list[TargetReport]:
    """The stall stands at the log that grew last, or at the first one when that was no training log."""
    judged = list(targets)
    if stall is not None:
        at = next((i for i, target in enumerate(judged) if target.path == stall.path), 0)
        judged[at] = judged[at]._replace(findings=(*judged[at].findings, *stall.findings))
    return judged


def _shown(target: TargetReport, console: str | None) -> TargetReport:
    """The console is a temporary file; in the report it is called what it is."""
    if console is None:
        return target
    for finding in target.findings:
        places = finding.places.shown
        places[:] = [place._replace(path=CONSOLE) if place.path == console else place for place in places]
    return target._replace(path=CONSOLE) if target.path == console else target
