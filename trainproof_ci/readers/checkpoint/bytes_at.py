"""Reading bytes at an offset, from several threads at once, without moving a shared position."""

import os
from threading import Lock

from trainproof_ci.typed import BinaryIO


class BytesAt:
    """The bytes of an open file by offset. Reads beyond the end come back short."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.size = size
        self._file = file
        self._handle = file.fileno()
        self._lock = Lock()
        self._positioned = hasattr(os, "pread")
        self._into = getattr(os, "preadv", None)

    def read(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes from `offset`."""
        size = max(0, min(size, self.size - offset))
        if self._positioned:
            data = os.pread(self._handle, size, offset)
            while len(data) < size and (more := os.pread(self._handle, size - len(data), offset + len(data))):
                data += more
            return data
        with self._lock:
            self._file.seek(offset)
            return self._file.read(size)

    def read_into(self, view: memoryview, offset: int) -> int:
        """Fill `view` from `offset`; returns the number of bytes, less than asked only at the end of the file."""
        if self._into is None:
            data = self.read(offset, len(view))
            view[: len(data)] = data
            return len(data)
        filled = 0
        while filled < len(view):
            got = self._into(self._handle, [view[filled:]], offset + filled)
            if not got:
                break
            filled += got
        return filled
