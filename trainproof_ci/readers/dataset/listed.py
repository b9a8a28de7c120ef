"""What is learned from a folder once for all of its files, as long as the folder stays as it is."""

import os
from collections.abc import Callable
from functools import lru_cache
from time import time

from trainproof_ci.typed import Any

SETTLED = 2.0
"""Seconds after which a change of a folder shows in its time."""


def once_a_folder(look: Callable[[str], Any]) -> Callable[[str], Any]:
    """Remember what `look` says of a folder (not empty) until it changes; one that may be changing is looked at anew."""

    @lru_cache(maxsize=8)
    def remembered(folder: str, state: object) -> Any:
        del state  # a folder that changed is another one
        return look(folder)

    def asked(folder: str) -> Any:
        try:
            now = os.stat(folder)
        except OSError:
            return look(folder)
        if time() - now.st_mtime < SETTLED:
            return look(folder)
        return remembered(folder, (now.st_dev, now.st_ino, now.st_mtime_ns))

    return asked
