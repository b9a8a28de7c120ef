"""A deadline for judging one file, so that a file built to be slow does not hold a runner."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from trainproof_ci.errors import Unreadable


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `Unreadable` (TP-FILE-DEADLINE) in the body after `seconds`.

    Uses the alarm of the main thread; where there is none (Windows, another thread) the body is not limited.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def expired(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise Unreadable(
            f"judging the file took longer than {seconds:g} s",
            rule="TP-FILE-DEADLINE",
            measured=f"more than {seconds:g} s",
            limit=f"{seconds:g} s",
        )

    before = signal.signal(signal.SIGALRM, expired)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
