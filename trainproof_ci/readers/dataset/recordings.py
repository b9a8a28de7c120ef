"""Segments of recordings: records that name one sound, and say which part of it is theirs."""

from collections.abc import Mapping
from functools import lru_cache

from trainproof_ci.patterns import later
from trainproof_ci.typed import Any

WORDS = frozenset(
    {"start", "starts", "begin", "begins", "offset", "onset", "end", "ends", "stop", "segment", "seg", "chunk", "channel", "timestamp", "timestamps", "t", "utt", "utterance", "lang", "language", "task"}
)  # fmt: skip
"""Words in the name of a field that says where in a recording a text is said, or as what: `start_time`, `segment_id`, `lang`."""
_WORD = later(r"[A-Z]?[a-z]+|[A-Z]+")


def part_of(value: Mapping[str, Any]) -> tuple[str, ...]:
    """What a record says of the part of a recording that is meant; nothing where it means the whole."""
    keys = _keys(tuple(value))
    return tuple(f"{key}: {value[key]}" for key in keys if _is_plain(value[key])) if keys else ()


def _is_plain(said: Any) -> bool:
    """Whether a value says something, and is no list of the places of words."""
    return said not in (None, "") and not isinstance(said, (list, dict))


@lru_cache(maxsize=128)
def _keys(names: tuple[str, ...]) -> tuple[str, ...]:
    """The fields among these that tell segments apart; most records of a file have the same."""
    return tuple(name for name in names if any(word.lower() in WORDS for word in _WORD.findall(name)))
