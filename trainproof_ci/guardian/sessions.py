"""The two ways to watch: a command of ours from its start to its end, or a log that something else writes."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from trainproof_ci.guardian.command import Command, start
from trainproof_ci.guardian.watching import Stop, Watch
from trainproof_ci.model import ExitCode, Report, TargetReport
from trainproof_ci.typed import NamedTuple

COMMAND_FAILED = 71
"""For a command whose own exit code is one of ours, so that 1 and 2 stay verdicts."""
OURS = frozenset(int(code) for code in ExitCode)
GRACE = (30.0, 10.0)
"""Seconds from SIGINT to SIGTERM and from SIGTERM to SIGKILL. A trainer answers an interrupt by saving: give it time."""

Say = Callable[[str], None]


class Outcome(NamedTuple):
    """How a watch ended: the last report, and the exit code."""

    report: Report
    exit_code: int


PASSED_ON = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name))
"""What ends us ends the command; SIGHUP is a closed terminal, and with `nohup` it is ignored here as there."""
SUSPEND = getattr(signal, "SIGTSTP", None)
SWITCH_SECONDS = 0.0005
"""How long judging keeps the interpreter while output waits to be passed through."""


class _Signals:
    """Signals that reached us: passed on at once, harder each time."""

    def __init__(self) -> None:
        self.received: list[int] = []
        self._suspended = False
        self.command: Command | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.received.append(number)
        if self.command is not None:
            harder = {1: number, 2: signal.SIGTERM}.get(len(self.received), signal.SIGKILL)
            self.command.signal(harder)

    def suspend(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the command has a session of its own and would go on, so it is stopped with us and continues with us."""
        del number, frame
        if self.command is not None:
            self.command.signal(signal.SIGSTOP)
        os.kill(os.getpid(), signal.SIGSTOP)
        self._suspended = True
        if self.command is not None:
            self.command.signal(signal.SIGCONT)

    def was_suspended(self) -> bool:
        """Whether we were suspended since the last time that this was asked."""
        was, self._suspended = self._suspended, False
        return was

    @property
    def first(self) -> int | None:
        """The first signal, None without any."""
        return self.received[0] if self.received else None


@contextmanager
def _caught() -> Iterator[_Signals]:
    """Signals are ours to pass on while the body runs, but for those that whoever started us has switched off."""
    caught = _Signals()
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    wanted = dict.fromkeys(PASSED_ON, caught.__call__) | ({SUSPEND: caught.suspend} if SUSPEND else {})
    before = {
        number: signal.signal(number, handler)
        for number, handler in wanted.items()
        if signal.getsignal(number) != signal.SIG_IGN
    }
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield caught
    finally:
        sys.setswitchinterval(interval)
        for number, former in before.items():
            signal.signal(number, former)


def watch_command(
    words: Sequence[str], watch: Watch, say: Say, *, stop_on_fail: bool = False, grace: tuple[float, float] = GRACE
) -> Outcome:
    """Run the command to its end, or to a FAIL that is firm; say what happens on the way."""
    assert watch.console is not None
    with _caught() as signals:
        command = start(words, watch.console)
        if isinstance(command, int):
            say(f"the command cannot be started; exit {command}")
            return Outcome(watch.report(notes=("the command could not be started",)), command)
        signals.command = command
        code, why = _guarded(command, watch, signals, say, grace if stop_on_fail else None)
        command.finish()
    notes = [why, *([] if command.kept_all else ["only the first 64 MiB of the console were judged"])]
    report = watch.report(watch.stall_seen, notes)
    return Outcome(report, _exit_code(code, report, stopped=why.startswith("stopped"), signalled=signals.first))


def _guarded(
    command: Command, watch: Watch, signals: _Signals, say: Say, grace: tuple[float, float] | None
) -> tuple[int, str]:
    """The command's return code and, in words, how it ended."""
    warned: set[str] = set()
    while (code := command.wait(watch.pause)) is None:
        if signals.was_suspended():
            watch.restart_clocks()
        firm = watch.glance()
        _say_stall(watch, say)
        if firm is None:
            continue
        if grace is not None and not signals.received:
            say(f"{_named(firm)}; stopping the command")
            code, by = command.end(grace)
            return code, f"stopped with {by} after {_named(firm)}"
        if firm.finding.rule not in warned:
            warned.add(firm.finding.rule)
            say(f"{_named(firm)}; the command goes on")
    if signals.first is not None:
        return code, f"interrupted by the user with {signal.Signals(signals.first).name}"
    return code, _ended(code)


def _ended(code: int) -> str:
    if code < 0:
        return f"the command was killed by {signal.Signals(-code).name}"
    return f"the command exited with {code}"


def _named(stop: Stop) -> str:
    place = stop.finding.location
    at = f" at step {place.step:g}" if place.step is not None else ""
    return f"{stop.finding.rule} ({stop.finding.measured}, expected {stop.finding.limit}){at}"


def _say_stall(watch: Watch, say: Say) -> TargetReport | None:
    """Say once that everything has gone quiet."""
    stall = watch.stall()
    if stall is not None and watch.stall_seen is None:
        say(f"TP-STALL: {stall.findings[0].measured}; the command goes on")
    watch.stall_seen = stall or watch.stall_seen
    return stall


def _exit_code(code: int, report: Report, *, stopped: bool, signalled: int | None) -> int:
    """Ours only where the command ended well or we ended it; else its own, told apart from ours."""
    if stopped:
        return int(ExitCode.FAIL)
    if signalled is not None:
        return 128 + signalled
    if code < 0:
        return 128 - code
    if code == 0:
        return int(report.exit_code)
    return COMMAND_FAILED if code in OURS else code


def follow_log(watch: Watch, say: Say, *, stop_on_fail: bool = False) -> Outcome:
    """Follow a log that something else writes, until it stalls, fails (when asked to stop there) or we are interrupted."""
    warned: set[str] = set()
    with _caught() as signals:
        while not signals.received:
            if signals.was_suspended():
                watch.restart_clocks()
            firm = watch.glance()
            if firm is not None and firm.finding.rule not in warned:
                warned.add(firm.finding.rule)
                say(f"{_named(firm)} in {firm.path}")
            if firm is not None and stop_on_fail:
                break
            if (stall := watch.stall()) is not None:
                watch.stall_seen = stall
                say(f"TP-STALL: {stall.findings[0].measured}")
                break
            time.sleep(watch.pause)
    report = watch.report(watch.stall_seen)
    return Outcome(report, int(report.exit_code))
