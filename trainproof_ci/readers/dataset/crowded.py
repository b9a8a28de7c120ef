"""Whether records must be alike because their columns take so few values: then a copy says nothing."""

from collections.abc import Iterable, Mapping
from math import prod

from trainproof_ci.readers.dataset.duplicates import SHORTEST_SPOKEN
from trainproof_ci.typed import Any

FEW_FIELDS = 8
MOST = 100_000
"""Different records; what allows more of them is not looked through to the end."""


def allows_fewer(values: Iterable[Mapping[str, Any]], records: int) -> bool:
    """Whether the values that a few short fields take can be combined to fewer different records than there are.

    Some of them must be equal then. A text, or anything nested, may say whatever it likes, and so may many fields.
    """
    taken: dict[str, set[Any]] = {}
    different = 1
    for value in values:
        if len(value) > FEW_FIELDS:
            return False
        for key, child in value.items():
            if isinstance(child, (dict, list)) or (isinstance(child, str) and len(child) >= SHORTEST_SPOKEN):
                return False
            known = taken.setdefault(key, set())
            said = child if child == child else None  # noqa: PLR0124 - one NaN is as good as another
            if said not in known:
                known.add(said)
                different = prod(map(len, taken.values()))
        if different >= min(records, MOST):
            return False
    return True
