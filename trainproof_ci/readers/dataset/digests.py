"""The sha256 of a file, computed beside everything else where it is large: hashing lets go of the interpreter."""

import os
from types import TracebackType

from trainproof_ci.typed import TYPE_CHECKING

try:
    from _hashlib import openssl_sha256 as sha256  # `hashlib` makes every other digest too
except ImportError:
    from hashlib import sha256

if TYPE_CHECKING:
    from threading import Thread

    from trainproof_ci.readers.source import Head

__all__ = ["Digest", "FolderDigest", "sha256"]

BUFFER, SHORT_BUFFER = 1 << 19, 1 << 16
"""Bytes; a thread reads in long pieces, while a short buffer takes less time to be given than a small file to be read."""
SMALL = 1 << 21
"""Bytes; a smaller file is hashed in the time that a thread for it takes to start and to end."""


class Digest:
    """Hashes a large file in a thread of its own while the `with` block runs, and a small one at once."""

    def __init__(self, head: "Head") -> None:
        self._head, self._size = head, head.size
        self._hash = sha256()
        self._begun = self._stop = False
        self._thread: Thread | None = None

    def _run(self) -> None:
        if self._head.whole:
            self._hash.update(self._head.start)
            return
        buffer = bytearray(min(self._size + 1, BUFFER if self._size >= SMALL else SHORT_BUFFER))
        view = memoryview(buffer)
        try:
            with open(self._head.path, "rb", buffering=0) as file:
                while not self._stop and (size := file.readinto(buffer)):
                    self._hash.update(view[:size])
        except OSError:
            self._hash = sha256()  # the reader meets the same error and reports it

    def __enter__(self) -> "Digest":  # noqa: PYI034 - Self needs 3.11
        return self

    def start(self) -> None:
        """Begin, once. Not before processes are forked: a fork must not happen beside a running thread."""
        if self._begun:
            return
        self._begun = True
        if self._size < SMALL:
            self._run()
            return
        from threading import Thread  # most files are small

        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop = True
        if self._thread is not None:
            self._thread.join()

    def hexdigest(self) -> str:
        """The digest of the whole file, waiting for it if need be."""
        self.start()
        if self._thread is not None:
            self._thread.join()
        return self._hash.hexdigest()


class FolderDigest:
    """The sha256 over the lines `DIGEST  NAME` of the files, as `sha256sum` prints them."""

    def __init__(self) -> None:
        self._all = sha256()

    def add(self, path: str, digest: str) -> None:
        """Add one file by its own digest, which is that of the bytes that were judged."""
        self._all.update(f"{digest}  ".encode() + os.fsencode(path) + b"\n")

    def hexdigest(self) -> str:
        """The digest in hexadecimal."""
        return self._all.hexdigest()
