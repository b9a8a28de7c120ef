"""A place in a store that fsspec can reach: S3 and other object stores, HDFS, SFTP.

The copy is uploaded under a temporary key, read back from there, and then copied to its place inside the store. An
object appears whole or not at all, so the destination is the old one or the new one at every moment.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.intake.local_store import PREFIX
from trainproof_ci.typed import Any, BinaryIO

MOVED = frozenset({"sftp", "ssh", "hdfs", "webhdfs", "smb", "arrow_hdfs"})
"""Stores that rename in one step; all others copy the object on the server."""


class RemotePlace:
    """The temporary copy of one destination; its key is made of the content, so that a retry overwrites it."""

    def __init__(self, url: str, content: str) -> None:
        self.destination = url
        self.files, path = _filesystem(url)
        parent, _, self.name = path.rpartition("/")
        self.path = path
        self.copy = f"{parent}/{PREFIX}{content[:16]}-{self.name}"

    @contextmanager
    def opened(self) -> Iterator["RemotePlace"]:
        """Hold the temporary key; afterwards it is gone, whether the copy was committed or not."""
        with _told():
            try:
                yield self
            finally:
                if self.files.exists(self.copy):
                    self.files.rm_file(self.copy)

    @contextmanager
    def writing(self) -> Iterator[BinaryIO]:
        """The temporary copy, empty; complete in the store at the end."""
        with self.files.open(self.copy, "wb") as file:
            yield file

    @contextmanager
    def arrived(self) -> Iterator[str]:
        """The path of a local file with what the store now holds under the temporary key."""
        self.files.invalidate_cache()
        with tempfile.TemporaryDirectory(prefix="trainproof-") as folder:
            local = os.path.join(folder, self.name)
            with self.files.open(self.copy, "rb") as stored, open(local, "wb") as file:
                shutil.copyfileobj(stored, file, 1 << 20)
            yield local

    def commit(self) -> None:
        """Put the copy in its place, inside the store."""
        if _protocols(self.files) & MOVED:
            self.files.mv(self.copy, self.path)
        else:
            self.files.cp_file(self.copy, self.path)
        self.files.invalidate_cache()


def is_url(destination: str) -> bool:
    """Whether a destination or source names a store rather than a local path."""
    return "://" in destination


def _filesystem(url: str) -> tuple[Any, str]:
    try:
        url_to_fs = import_module("fsspec.core").url_to_fs
    except ImportError:
        raise UsageError("a URL needs fsspec and the store's own package: pip install fsspec s3fs") from None
    try:
        files, path = url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise UsageError(
            f"the URL cannot be used: {type(error).__name__}; install the store's package for fsspec"
        ) from None
    if path.endswith("/") or "/" not in path.strip("/"):
        raise UsageError("the URL must name an object, not a bucket or a folder")
    return files, path


def _protocols(files: Any) -> set[str]:
    return {files.protocol} if isinstance(files.protocol, str) else set(files.protocol)


@contextmanager
def _told() -> Iterator[None]:
    """A store that fails is said as such: its package may raise anything, and the destination is untouched."""
    try:
        yield
    except (Unreadable, UsageError, AssertionError):
        raise
    except Exception as error:  # noqa: BLE001 - each store's package has errors of its own that cannot be named here
        raise Unreadable(
            f"the store failed ({type(error).__name__}); the destination is as it was",
            measured=type(error).__name__, limit="a store that answers",
        ) from None  # fmt: skip
