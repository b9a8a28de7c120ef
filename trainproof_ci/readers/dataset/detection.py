"""Which shape the records of a file have, judged by the first of them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci.readers.dataset.shapes import SHAPES, Shape, shape_of
from trainproof_ci.readers.dataset.turns import conversations
from trainproof_ci.readers.suffixes import SOUNDS, words_of
from trainproof_ci.typed import Any

RESULTS = frozenset(
    {"tests", "testcases", "cases", "prediction", "predictions", "preds", "outputs", "results", "responses", "generations", "generated"}
)  # fmt: skip
"""Words of the name of a file whose questions and answers are nothing to learn."""
THUMBED, THUMBS = frozenset({"alpaca", "sharegpt", "messages"}), ("kto_tag", "label")
"""Shapes that preference training without pairs borrows, and the keys of their truth values."""
SAMPLED = 64
"""Records that the shape is detected from."""
SHARE = 0.4
"""Part of the sampled records that must have the shape before the file is said to have it."""


def detect(samples: Iterable[Mapping[str, Any]]) -> Shape | None:
    """The shape most of the sampled records have, the first seen of two that tie; None below `SHARE`."""
    votes: Counter[str | None] = Counter()
    kept = list(samples)
    for value in kept:
        shape = shape_of(value)
        votes[shape.name if shape else None] += 1
    total = votes.total() if hasattr(votes, "total") else sum(votes.values())
    best = max((SHAPES[name] for name in votes if name), key=lambda shape: votes[shape.name], default=None)
    if best is None or votes[best.name] < SHARE * total:
        return None
    if best.turns and _unanswered(best, kept):
        return _only_asked(best)
    return with_thumb(best, kept)


def with_thumb(shape: Shape, samples: Sequence[Mapping[str, Any]]) -> Shape:
    """The shape with the key that says of each answer whether it is wanted, where the records have one."""
    for key in THUMBS if shape.name in THUMBED else ():
        if samples and all(isinstance(value.get(key), bool) for value in samples):
            return shape._replace(thumb=key, optional={**shape.optional, key: ("boolean",)})
    return shape


def detect_named(samples: Sequence[Mapping[str, Any]], path: str) -> Shape | None:
    """The shape of the records of a file, whose name has a say in what is told by common words alone."""
    found = media_shape(samples, path) or detect(samples)
    results = found is not None and found.closed and not RESULTS.isdisjoint(words_of(path))
    return None if results else found


def media_shape(samples: Sequence[Mapping[str, Any]], path: str) -> Shape | None:
    """The shape of records that name a sound with what is said in it, or stand in a `metadata.jsonl`; else None."""
    keys = list(samples[0]) if samples else []
    if not any("file" in key or "audio" in key for key in keys) or "duration" in keys or "messages" in keys:
        return None
    from trainproof_ci.readers.dataset.known_columns import is_metadata
    from trainproof_ci.readers.dataset.known_columns import shape_of as shape_of_columns

    shape = shape_of_columns(keys)
    if shape is None or not shape.media or any(value.keys() != samples[0].keys() for value in samples):
        return None
    if shape.name == "hf-imagefolder":
        return shape if is_metadata(path) else None
    return shape if all(str(value[shape.media[0]]).lower().endswith(SOUNDS) for value in samples) else None


def _unanswered(shape: Shape, samples: list[Mapping[str, Any]]) -> bool:
    """Whether conversations are the prompts of reinforcement learning: none has an answer, and other keys check it."""
    if not all(value.keys() - shape.vocabulary for value in samples):
        return False
    return not any(
        turn.role in {"assistant", "call"}
        for value in samples
        for _, said in conversations(shape, value)
        for turn in said
    )


def _only_asked(shape: Shape) -> Shape:
    return SHAPES["prompt-only"]._replace(
        required=shape.required, optional=shape.optional, prompts=shape.turns, roles=shape.roles
    )
