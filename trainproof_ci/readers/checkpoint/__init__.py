"""Readers of a checkpoint: never unpickled, never imported, judged as the bytes it is."""

import time

from trainproof_ci.readers.checkpoint.formats import recognise
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.checkpoint.facts import Checkpoint
    from trainproof_ci.registry import Rule

__all__ = ["gather", "read", "recognise"]


def gather(targets: "Sequence[Target]") -> "list[Target]":
    """Let the files of one checkpoint folder be one target."""
    from trainproof_ci.readers.checkpoint.folder import gather as gather_folders  # recognising a file needs none of it

    return gather_folders(targets)


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> "Checkpoint":  # noqa: ARG001 - every fact is cheap but the weights
    """The facts of a checkpoint file or folder. Raises `Unreadable` when a file cannot be opened or changes meanwhile."""
    from trainproof_ci.readers.checkpoint.facts import Checkpoint
    from trainproof_ci.readers.checkpoint.files import read_file  # recognising a file needs none of it
    from trainproof_ci.readers.checkpoint.folder import read_folder

    deadline = time.monotonic() + settings.deadline
    if not target.is_file:
        return read_folder(target, deep=settings.deep, deadline=deadline)
    file = read_file(target.path, deep=settings.deep, deadline=deadline)
    return Checkpoint(target.path, file.format, (file,))
