"""A deadline for judging one file, so that a file built to be slow does not hold a runner."""

from types import FrameType, TracebackType

from trainproof_ci.errors import Unreadable
from trainproof_ci.typed import Any

try:
    import _signal as signal  # type: ignore[import-not-found]  # `signal` makes enumerations of its numbers first
except ImportError:
    import signal


class Deadline:
    """Raises `Unreadable` (TP-FILE-DEADLINE) `seconds` after `begin` unless `end` comes first; within its `with` block only.

    Uses the alarm of the main thread; where there is none (Windows, another thread) nothing is limited.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._limits = hasattr(signal, "setitimer")
        self._before: Any = None
        self._running = False

    def __enter__(self) -> "Deadline":  # noqa: PYI034 - Self needs 3.11
        if self._limits:
            try:
                self._before = signal.signal(signal.SIGALRM, self._expired)
            except ValueError:  # this is not the main thread
                self._limits = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._limits:
            signal.signal(signal.SIGALRM, self._before)

    def begin(self) -> None:
        """Let the seconds run."""
        if self._limits:
            self._running = True
            signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def end(self) -> None:
        """Stop them; an alarm that is on its way already comes to nothing."""
        if self._limits:
            self._running = False
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _expired(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        if not self._running:
            return
        raise Unreadable(
            f"judging the file took longer than {self.seconds:g} s",
            rule="TP-FILE-DEADLINE",
            measured=f"more than {self.seconds:g} s",
            limit=f"{self.seconds:g} s",
        )
