"""The guardian inside a training process: a class for hand-written loops, which the callbacks build on."""

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType

from trainproof_ci.config import Settings, load_settings
from trainproof_ci.engine import check
from trainproof_ci.errors import UsageError
from trainproof_ci.guardian.looking import POLICIES, FollowedLog, target_of
from trainproof_ci.guardian.telling import tell_job
from trainproof_ci.model import Finding, Report
from trainproof_ci.typed import IO

LOG, REPORT = "training_log.jsonl", "report.json"


class Sentinel:
    """Judges one growing log of this process: when to look, what to say, whether to stop, and the report in the end.

    `policy` is "warn" or "stop_on_fail"; anything else is a `UsageError`, for a misspelt policy would guard nothing.
    """

    def __init__(self, log: str, *, policy: str = "warn", config: str | None = None) -> None:
        if policy not in POLICIES:
            raise UsageError(f"unknown policy {policy!r}; known: {', '.join(POLICIES)}")
        os.makedirs(os.path.dirname(log) or ".", exist_ok=True)
        self.policy = policy
        self.settings: Settings = load_settings(config)._replace(deadline=60.0)
        relative = os.path.relpath(log).replace(os.sep, "/")
        self.log = os.path.abspath(log) if relative.startswith("../") else relative
        self.followed = FollowedLog(self.log, self.settings, time.monotonic)
        self.stopped_for: Finding | None = None
        self._warned: set[str] = set()

    @property
    def should_stop(self) -> bool:
        """Whether a FAIL has held and the policy is to stop for it."""
        return self.stopped_for is not None and self.policy == "stop_on_fail"

    @property
    def due(self) -> bool:
        """Whether looking now costs little against the time since the last look."""
        return self.followed.due

    def look(self) -> bool:
        """Judge the log so far; True when the run should stop."""
        firm = _aside(self.followed.look)
        if firm is not None and firm.rule not in self._warned:
            self._warned.add(firm.rule)
            _say(f"{firm.rule}: {firm.message} ({firm.measured}, expected {firm.limit})")
        self.stopped_for = self.stopped_for or firm
        return self.should_stop

    def give_up(self, error: OSError) -> None:
        """Say that the log cannot be written any more: the guarding ends, not the run."""
        _say(f"the log cannot be written, so nothing is guarded from here on: {error}")

    def finish(self) -> Report:
        """Judge the finished log as `check` does, write the report beside it and, in a GitHub job, say it there."""
        from trainproof_ci.adapters.files import write_atomically
        from trainproof_ci.reports import renderer

        target = target_of(self.log, outright=True)
        report = check([target] if target is not None else [], self.settings, self._notes())
        path = os.path.join(os.path.dirname(self.log), REPORT)
        try:
            write_atomically(path, renderer("json")(report).encode())
            sys.stdout.write(tell_job(report, os.environ))
        except (OSError, UsageError) as error:  # what was trained is worth more than the report about it
            _say(f"{report.verdict.value}; the report cannot be written: {error}")
            return report
        _say(f"{report.verdict.value}; the report is in {path}")
        return report

    def _notes(self) -> list[str]:
        return [f"the run was stopped for {self.stopped_for.rule}"] if self.should_stop and self.stopped_for else []


class Guardian:
    """For a hand-written loop: give it the numbers of every step, and stop when `log` returns True.

        with Guardian("out/trainproof", policy="stop_on_fail") as guardian:
            for step, batch in enumerate(loader):
                ...
                if guardian.log(step, loss=loss, learning_rate=rate, grad_norm=norm):
                    break

    It writes `training_log.jsonl` into the folder while the run goes on and `report.json` at its end; `report` then
    holds what `check` says about that log. A run that was resumed goes on with the log it has with `append=True`. Of
    several processes that train together, the first one guards: the others make none.
    """

    def __init__(
        self, folder: str = "trainproof", *, policy: str = "warn", config: str | None = None, append: bool = False
    ) -> None:
        self.sentinel = Sentinel(os.path.join(folder, LOG), policy=policy, config=config)
        self.report: Report | None = None
        self._file: IO[str] | None = open(  # noqa: SIM115 - open while the run is
            self.sentinel.log, "a" if append else "w", encoding="utf-8", newline="\n"
        )

    def log(self, step: int, /, **values: object) -> bool:
        """Record one step; True when the run should stop. What is no number, nor a tensor of one, is left out.

        A log that cannot be written any more (a full disk) is said once and ends the guarding, not the run; what
        comes after `finish` is ignored.
        """
        if self._file is None or self.report is not None:
            return self.sentinel.should_stop
        try:
            self._file.write(json.dumps({**numbers(values), "step": int(step)}) + "\n")
            self._file.flush()
        except OSError as error:
            self.sentinel.give_up(error)
            self._close()
            return self.sentinel.should_stop
        return self.sentinel.look() if self.sentinel.due else self.sentinel.should_stop

    def finish(self) -> Report:
        """Close the log and judge it; the same report each time."""
        if self.report is None:
            self._close()
            self.report = self.sentinel.finish()
        return self.report

    def _close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
        self._file = None

    def __enter__(self) -> "Guardian":  # noqa: PYI034 - Self needs 3.11
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish()


def numbers(values: Mapping[str, object]) -> dict[str, float]:
    """The entries that are numbers, or tensors of one number."""
    found = {}
    for name, value in values.items():
        try:
            found[str(name)] = float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, RuntimeError):  # a picture, a text, a tensor of many numbers
            continue
    return found


def _aside(look: Callable[[], Finding | None]) -> Finding | None:
    """Look in a thread of its own: the deadline's alarm clock belongs to the process that is guarded."""
    found: list[Finding | None] = []
    thread = threading.Thread(target=lambda: found.append(look()))
    thread.start()
    thread.join()
    return found[0] if found else None


def _say(sentence: str) -> None:
    from trainproof_ci.reports.escape import terminal

    sys.stderr.write(f"trainproof-ci: {terminal(sentence)}\n")
    sys.stderr.flush()
