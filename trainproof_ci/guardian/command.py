"""The watched command: started in a session of its own, its output passed through byte for byte, ended in three steps."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence

from trainproof_ci.errors import UsageError

CHUNK = 1 << 16
MOST_KEPT = 64 << 20
"""Bytes of console text that are kept for judging; passing through has no limit."""
DRAIN_SECONDS = 2.0
"""How long output is waited for after the command ended: a process it left behind may hold the pipe open for ever."""
NOT_FOUND, NOT_EXECUTABLE = 127, 126


class Command:
    """A running command. What it prints goes to our own standard output and error unchanged, and a copy to `console`.

    It runs in a session of its own, so that an interrupt at the terminal reaches it once, through us, and so that
    its workers end with it.
    """

    def __init__(self, words: Sequence[str], console: str) -> None:
        self.words = words
        self.began = time.monotonic()
        self._copy = os.open(console, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        self._kept = 0
        self._lock = threading.Lock()
        self._process = subprocess.Popen(  # noqa: S603 - running the caller's command is the purpose
            list(words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0, start_new_session=True,
            env={"PYTHONUNBUFFERED": "1", **os.environ},
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        pairs = ((self._process.stdout.fileno(), 1), (self._process.stderr.fileno(), 2))
        self._pumps = [threading.Thread(target=self._pump, args=pair, daemon=True) for pair in pairs]
        for pump in self._pumps:
            pump.start()

    def _pump(self, source: int, sink: int) -> None:
        """Pass bytes on as they come. When nobody reads our output any more, the command's own pipe is closed."""
        while data := os.read(source, CHUNK):
            self._keep(data)
            try:
                _write_all(sink, data)
            except OSError:
                break
        stream = self._process.stdout if sink == 1 else self._process.stderr
        assert stream is not None
        stream.close()

    def _keep(self, data: bytes) -> None:
        with self._lock:
            part = data[: max(0, MOST_KEPT - self._kept)]
            self._kept += len(data)
            if part:
                _write_all(self._copy, part)

    @property
    def kept_all(self) -> bool:
        """Whether all of the console text was kept for judging."""
        return self._kept <= MOST_KEPT

    def wait(self, seconds: float) -> int | None:
        """The return code if the command ends within `seconds`: negative when a signal ended it."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def signal(self, number: int) -> None:
        """Send a signal to the command and everything it started that stayed in its process group."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):  # it ended in between
            return

    def end(self, grace: tuple[float, float]) -> tuple[int, str]:
        """Interrupt, terminate, kill: the return code, and the name of the signal that was enough."""
        for number, seconds in ((signal.SIGINT, grace[0]), (signal.SIGTERM, grace[1])):
            self.signal(number)
            code = self.wait(seconds)
            if code is not None:
                return code, number.name
        self.signal(signal.SIGKILL)
        return self._process.wait(), signal.SIGKILL.name

    def finish(self) -> None:
        """Wait for the last of the output, for a short time only, and close the copy."""
        limit = time.monotonic() + DRAIN_SECONDS
        for pump in self._pumps:
            pump.join(max(0.0, limit - time.monotonic()))
        with self._lock:
            os.close(self._copy)
            self._copy = os.open(os.devnull, os.O_WRONLY)


def start(words: Sequence[str], console: str) -> Command | int:
    """Start the command; an exit code, as a shell gives it, when it cannot be started."""
    if os.name != "posix":
        raise UsageError("watch -- COMMAND needs a POSIX system; watch LOG works everywhere")
    try:
        return Command(words, console)
    except FileNotFoundError:
        return NOT_FOUND
    except OSError:
        return NOT_EXECUTABLE


def _write_all(sink: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(sink, view) :]
