"""Which shape the records of a file have, judged by the first of them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from trainproof_ci.readers.dataset.shapes import SHAPES, Shape, shape_of
from trainproof_ci.readers.dataset.turns import conversations

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
    return _only_asked(best) if best.turns and _unanswered(best, kept) else best


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
