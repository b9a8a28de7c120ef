"""A place on a local disk: the copy is made in a folder beside it and moved over it in one step."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from trainproof_ci.errors import UsageError
from trainproof_ci.typed import BinaryIO

PREFIX = ".promoting-"


class LocalPlace:
    """The temporary copy of one destination.

    It lies in a folder of its own, `.promoting-NAME/NAME`, so that its name says the same to a reader as the final
    one, and a retry after a crash finds the leftover and overwrites it. A lock keeps two promotions apart.
    """

    def __init__(self, destination: str) -> None:
        self.destination = destination
        self.folder, self.name = os.path.split(os.path.abspath(destination))
        self.beside = os.path.join(self.folder, PREFIX + self.name)
        self.copy = os.path.join(self.beside, self.name)

    @contextmanager
    def opened(self) -> Iterator["LocalPlace"]:
        """Hold the temporary folder; afterwards it is gone, whether the copy was committed or not."""
        if not os.path.isdir(self.folder):
            folder = os.path.dirname(self.destination) or "."
            raise UsageError(
                f"the folder {folder} of the destination is not there; make it first (mkdir -p), or name another"
            )
        try:
            lock = _locked(self.beside)
        except OSError as error:
            raise UsageError(f"cannot write beside the destination: {error.strerror}") from None
        try:
            yield self
        finally:
            shutil.rmtree(self.beside, ignore_errors=True)
            os.close(lock)

    @contextmanager
    def writing(self) -> Iterator[BinaryIO]:
        """The temporary copy, empty; flushed to the disk at the end."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.copy)
        try:
            with open(self.copy, "xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise UsageError(f"the copy cannot be written: {error.strerror}") from None

    @contextmanager
    def arrived(self) -> Iterator[str]:
        """The path at which what arrived can be read."""
        yield self.copy

    def commit(self) -> None:
        """Put the copy in its place: from one moment to the next the destination is the new file."""
        try:
            os.replace(self.copy, self.destination)
        except OSError as error:
            raise UsageError(f"the copy cannot be put in its place: {error.strerror}") from None
        _flush_folder(self.folder)


def _locked(folder: str) -> int:
    """Make `folder` and hold it locked; a folder that another promotion removed in between is made anew."""
    while True:
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
        handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0))
        try:
            _lock(handle)
            if os.path.samestat(os.fstat(handle), os.lstat(folder)):
                return handle
        except FileNotFoundError:
            pass
        except BlockingIOError:
            os.close(handle)
            raise UsageError("another promotion to this destination is under way") from None
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: two promotions at once end with the file of the later one, still whole
        return
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _flush_folder(folder: str) -> None:
    """Make the rename itself durable, where folders can be flushed."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
