"""Writing output files: whole or not at all, and never through a link."""

import os
from collections.abc import Iterable

from trainproof_ci.errors import UsageError


def write_atomically(path: str, data: bytes | Iterable[bytes]) -> None:
    """Write `data`, whole or in pieces, to a temporary file beside `path`, flush it to disk and move it into place.

    A reader sees the old file or the new one. Raises `UsageError` where the folder cannot be written.
    """
    folder = os.path.dirname(path) or "."
    try:
        temporary = os.path.join(folder, f".trainproof-{os.urandom(8).hex()}.tmp")  # `tempfile` takes long to import
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines((data,) if isinstance(data, bytes) else data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise UsageError(f"cannot write the output: {error.strerror}") from None
