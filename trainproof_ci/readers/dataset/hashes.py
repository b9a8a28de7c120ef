"""Which 64-bit hashes stand in arrays twice: few in one set, many in parts of the size of a cache, or sorted by numpy."""

import os
from array import array
from collections.abc import Sequence

from trainproof_ci.typed import Any

Hashes = Sequence["array[int]"]
FEW = 1 << 16
"""So many hashes are one small set."""
PARTITIONS = 64
"""So few that their ends stay in the processor's cache, so many that the values of one are a small set."""
MOST_PARTED = 1 << 22
"""Hashes that are parted or sorted at a time, in a copy."""
WORTH_NUMPY = 1 << 19
"""Hashes; a quarter as many are parted in the time that numpy takes to load where it is read from the disk's cache."""
PIECE = 1 << 18
"""Hashes that numpy chooses from at a time."""


def repeated_in(arrays: Hashes) -> set[int]:
    """The values that stand in the arrays twice."""
    count = sum(map(len, arrays))
    if count <= FEW:
        return _twice(arrays)
    rounds = -(-count // MOST_PARTED)
    numpy = _numpy() if count >= WORTH_NUMPY else None
    found: set[int] = set()
    for at in range(rounds):
        found |= _twice_parted(arrays, at, rounds) if numpy is None else _twice_sorted(numpy, arrays, at, rounds)
    return found


def _numpy() -> Any:
    """The accelerator, where it is installed and its loading cannot end the process; it finds what is found without it.

    Its linear algebra, which is not used, starts a thread a core, and gives the whole process up where memory is short.
    """
    if _is_memory_limited():
        return None
    asked = os.environ.get(THREADS)
    os.environ[THREADS] = "1"
    try:
        import numpy as np
    except ImportError:
        return None
    finally:
        if asked is None:
            del os.environ[THREADS]
        else:
            os.environ[THREADS] = asked
    return np


THREADS = "OPENBLAS_NUM_THREADS"


def _is_memory_limited() -> bool:
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # on Windows
        return False
    return getrlimit(RLIMIT_AS)[0] != RLIM_INFINITY


def _twice_parted(arrays: Hashes, at: int, rounds: int) -> set[int]:
    """The values found twice among those whose remainder by `rounds` is `at`."""
    parted: list[array[int]] = [array("q") for _ in range(PARTITIONS)]
    append = [part.append for part in parted]
    for keys in arrays:
        if rounds == 1:
            for key in keys:
                append[key & PARTITIONS - 1](key)
        else:
            for key in keys:
                if key % rounds == at:
                    append[key >> 8 & PARTITIONS - 1](key)
    return set().union(*[_twice([part]) for part in parted])


def _twice_sorted(numpy: Any, arrays: Hashes, at: int, rounds: int) -> set[int]:
    """The same, found by sorting: equal values then stand side by side."""
    views = [numpy.frombuffer(keys, dtype=numpy.int64) for keys in arrays if keys]
    pieces = [view[first : first + PIECE] for view in views for first in range(0, len(view), PIECE)]
    values = numpy.concatenate([piece[piece % rounds == at] for piece in pieces] if rounds > 1 else pieces)
    values.sort()
    found: list[int] = numpy.unique(values[1:][values[1:] == values[:-1]]).tolist()
    return set(found)


def _twice(arrays: Hashes) -> set[int]:
    values: set[int] = set()
    for keys in arrays:
        values.update(keys)
    if len(values) == sum(map(len, arrays)):
        return set()
    seen: set[int] = set()
    return {key for keys in arrays for key in keys if key in seen or seen.add(key)}  # type: ignore[func-returns-value]
