"""Opening a file safely: regular files inside the working directory, and the same file from first byte to last."""

import os
import stat
from types import TracebackType

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.typed import BinaryIO

HEAD_BYTES = 1 << 16


class Source:
    """An open regular file that knows whether it changed since it was opened.

    Use it as a context manager; a file that grew, shrank or was replaced in between raises `Unreadable` at the end.
    A `live` file may grow: what was appended after the reading is not part of it and no mixture.
    """

    def __init__(self, path: str, *, live: bool = False) -> None:
        self.path, self.live = path, live
        handle, self._before = _opened(path)
        self.file: BinaryIO = os.fdopen(handle, "rb", buffering=HEAD_BYTES)
        self.size = self._before.st_size

    def __enter__(self) -> "Source":  # noqa: PYI034 - Self needs 3.11
        return self

    def head(self) -> "Head":
        """What the file begins with; the next byte to be read is its first."""
        start = self.file.read(HEAD_BYTES)
        self.file.seek(0)
        return Head(self.path, start, self.size)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None or issubclass(kind, Unreadable):
                self.check_unchanged()
        finally:
            self.file.close()

    def check_unchanged(self) -> None:
        """Raise `Unreadable` when the file is not, by size, time and identity, the one that was opened."""
        try:
            named = os.stat(self.path)
        except OSError:
            named = None
        now = os.fstat(self.file.fileno())
        if self.live and named is not None and _grown(self._before, now) and _grown(self._before, named):
            return
        if named is None or _identity(now) != _identity(self._before) or _identity(named) != _identity(self._before):
            raise Unreadable(
                "the file changed while it was read; nothing is said about a mixture of two files",
                rule="TP-FILE-CHANGED-WHILE-READ",
                measured=f"{self.size} bytes at first, {now.st_size} at the end",
                limit="one unchanged file",
                location=Location(self.path, line=1),
            )


def _grown(before: os.stat_result, now: os.stat_result) -> bool:
    return _identity(now)[:2] == _identity(before)[:2] and now.st_size >= before.st_size


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _opened(path: str) -> tuple[int, os.stat_result]:
    """Open `path` for reading without following a last symbolic link and without waiting on a pipe."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise Unreadable(
            f"the file cannot be opened: {error.strerror}", measured=error.strerror or "an error"
        ) from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        os.close(handle)
        raise Unreadable(
            "not a regular file", rule="TP-FILE-OUTSIDE", measured="a device, pipe or folder", limit="a regular file"
        )
    return handle, status


_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_start(path: str, most: int) -> bytes:
    """At most `most` bytes of the regular file at `path`; a pipe or a device is refused, not waited for. Raises `Unreadable`."""
    return read_begun(path, most)[0]


def read_begun(path: str, most: int) -> tuple[bytes, int]:
    """The same, and the size of the file."""
    handle, status = _opened(path)
    size = status.st_size
    try:
        found = os.read(handle, min(most, size + 1))  # without the buffers of a file object: most files are smaller
        while len(found) < min(most, size) and (more := os.read(handle, most - len(found))):
            found += more
    finally:
        os.close(handle)
    return found, max(size, len(found))


def leads_outside(path: str, root: str) -> bool:
    """Whether `path`, its links followed, lies outside the folder `root` (an absolute real path)."""
    real = os.path.realpath(path)
    return real != root and not real.startswith(root.rstrip(os.sep) + os.sep)


def refuse_special(path: str, root: str, inside: set[str] | None = None) -> None:
    """Raise `Unreadable` for what is no regular file below `root`, and IsADirectoryError for a folder.

    `inside` are folders that were found to lie below `root`, which is learned once for many files.
    """
    try:
        mode = os.lstat(path).st_mode
        link = stat.S_ISLNK(mode)
        if link:
            mode = os.stat(path).st_mode
    except OSError:
        if not os.path.lexists(path):
            raise Unreadable(
                "there is no such file", rule="TP-FILE-NOT-FOUND", measured="no file", limit="a file",
                location=Location(path, line=1),
            ) from None  # fmt: skip
        raise _outside(path, "the path leads nowhere", "a broken link") from None
    folder = os.path.dirname(path)
    if link or inside is None or folder not in inside:
        if leads_outside(path, root):
            raise _outside(path, "the path leads out of the working directory and is not followed", "a path outside")
        if inside is not None and not link:
            inside.add(folder)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(path)
    if not stat.S_ISREG(mode):
        raise _outside(path, "not a regular file; it is not read", "a device or pipe")


def _outside(path: str, why: str, measured: str) -> Unreadable:
    return Unreadable(
        why, rule="TP-FILE-OUTSIDE", measured=measured, limit="a regular file inside", location=Location(path, line=1)
    )


class Head:
    """What is known of a file before it is read: its relative `path`, `name`, `size` in bytes and first 64 KiB."""

    __slots__ = ("name", "path", "size", "start", "suffix")

    def __init__(self, path: str, start: bytes, size: int, name: str | None = None) -> None:
        self.path, self.start, self.size = path, start, size
        self.name = name or path.rsplit("/", 1)[-1]
        self.suffix = os.path.splitext(self.name)[1].lower()
        """The last suffix of the name, in lower case, with its dot; empty without one."""

    @classmethod
    def of(cls, path: str, most: int = HEAD_BYTES) -> "Head":
        """Read the head of the regular file at `path`, at most so many bytes; raises `Unreadable`."""
        return cls(path, *read_begun(path, most))

    @property
    def whole(self) -> bool:
        """Whether `start` is the whole file."""
        return len(self.start) == self.size

    def beside(self, name: str) -> bool:
        """Whether a file or folder `name` lies in the same folder."""
        return os.path.lexists(os.path.join(os.path.dirname(self.path), name))
