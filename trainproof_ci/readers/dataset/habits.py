"""What the records of a file have in common beyond the keys of their shape: what was meant is read off the first of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from trainproof_ci.readers.dataset.screens import has_token
from trainproof_ci.readers.dataset.shapes import SHAPES, Shape
from trainproof_ci.readers.dataset.turns import (
    ANSWERS,
    ENDINGS,
    Turn,
    conversations,
    every_list,
    with_lists,
    written_role,
)
from trainproof_ci.readers.dataset.vocabulary import CHECKS, FOREIGN_ROLES
from trainproof_ci.typed import Any

THUMBED, THUMBS = frozenset({"alpaca", "sharegpt", "messages"}), ("kto_tag", "label", "tag")
"""Shapes that preference training without pairs borrows, and the keys of their truth values."""
SECOND = "rejected_response"
"""The key of a worse answer beside a conversation that ends with the better one."""
ENOUGH = 3
"""Records or conversations; of fewer, what all have in common may be chance."""

MEANT = 0.1
"""Part of the records, or of the messages of a role; what more of them have in common is how they are written."""
TOKENS = "tokens"
"""The habit of prompts or answers to hold control tokens of a chat template."""
OWN = frozenset({"prompt", "instruction", "question", "conversations", "messages"})
"""Keys of prompts that are no mere addition to another."""

Samples = Sequence[Mapping[str, Any]]


def fitted(shape: Shape, samples: Samples) -> Shape:
    """The shape as the records of a file use it."""
    if not samples:
        return shape
    if shape.roles:
        shape = shape._replace(habits=frozenset(_saying_objects(shape, samples)))
    if shape.turns:
        shape = _with_foreign_roles(shape, samples)
        talks = [said for value in samples for _, said in conversations(shape, value) if said]
        unanswered = bool(talks) and not any(said[-1].role in ENDINGS for said in talks)
        if unanswered and _is_checked(shape, samples):
            return _only_asked(shape)
        shape = shape._replace(habits=shape.habits.union(_habits(talks, samples)))
    if replies(shape) and not shape.turns:
        shape = _with_tokens(shape, samples)
    return _with_thumb(_with_prompt(shape, samples), samples)


def replies(shape: Shape) -> bool:
    """Whether records of a shape hold messages or answers in which no control token of a chat template belongs."""
    answers = (shape.targets or shape.pair) and shape.name != "text" and not shape.media
    return bool(shape.roles or answers) and TOKENS not in shape.habits


def written(value: Mapping[str, Any], keys: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The texts under keys, or in lists under them, that are no messages, each with its key."""
    for key in keys:
        found = value.get(key)
        yield from ((key, text) for text in (found if isinstance(found, list) else [found]) if isinstance(text, str))


def _with_tokens(shape: Shape, samples: Samples) -> Shape:
    """The shape with the habit to hold control tokens, where so many records do that they are written for a template."""
    keys = (*shape.prompts, *shape.targets, *shape.pair)
    said = ["\0".join([text for _, text in written(value, keys)]).encode("utf-8", "replace") for value in samples]
    holding = sum(map(has_token, said)) if has_token(b"\0".join(said)) else 0
    return shape._replace(habits=shape.habits | {TOKENS}) if holding > max(1, len(samples) / 2) else shape


def _with_prompt(shape: Shape, samples: Samples) -> Shape:
    """The shape of pairs with the prompt that nearly all of them have as one that all must have."""
    for key in shape.prompts if shape.name == "preference" and len(samples) >= ENOUGH else ():
        lacking = sum(key not in value for value in samples)
        if key in OWN and lacking < len(samples) and lacking <= max(1, MEANT * len(samples)):
            shape = shape._replace(required={**shape.required, key: shape.optional[key]})
    return shape


def _is_checked(shape: Shape, samples: Samples) -> bool:
    """Whether what is asked comes with its check, as in reinforcement learning: by a key for it, or always by another key."""
    if all(not CHECKS.isdisjoint(value) for value in samples):
        return True
    return len(samples) >= ENOUGH and all(value.keys() - shape.vocabulary for value in samples)


def _only_asked(shape: Shape) -> Shape:
    return SHAPES["prompt-only"]._replace(
        required=shape.required, optional=shape.optional, prompts=shape.turns, roles=shape.roles, habits=shape.habits
    )


def _habits(talks: Sequence[Sequence[Turn]], samples: Samples) -> Iterator[str]:
    if len(talks) >= ENOUGH and all(turn.role in ANSWERS for said in talks for turn in said):
        yield "answers-only"
    if all(SECOND in value for value in samples):
        yield SECOND


def _saying_objects(shape: Shape, samples: Samples) -> Iterator[str]:
    """The roles whose messages hold objects in place of text so often that it is meant."""
    messages: Counter[str] = Counter()
    objects: Counter[str] = Counter()
    for turn in (turn for value in with_lists(samples) for said in every_list(shape, value) for turn in said):
        messages[turn.role or ""] += 1
        objects[turn.role or ""] += isinstance(turn.content, dict)
    yield from (says_objects(role) for role, count in objects.items() if count > max(1, MEANT * messages[role]))


def says_objects(role: str | None) -> str:
    """The habit of messages of this role to hold objects."""
    return f"{role or 'nobody'} says objects"


def _with_foreign_roles(shape: Shape, samples: Samples) -> Shape:
    """The shape with the roles of another dialect, where no record uses its own word for any of them.

    Where a rejected answer stands beside the chosen one, the answers before them may have the word of the dialect.
    """
    said = (written_role(turn.message) for value in samples for _, talk in conversations(shape, value) for turn in talk)
    words = {word for word in said if isinstance(word, str)}
    foreign = frozenset(words - shape.roles.keys())
    if not foreign or not foreign <= FOREIGN_ROLES.keys():
        return shape
    meant = {word: FOREIGN_ROLES[word] for word in foreign}
    if "rejected" not in meant.values() and any(shape.roles.get(word) in meant.values() for word in words):
        return shape
    return shape._replace(roles={**shape.roles, **meant}, foreign=foreign)


def _with_thumb(shape: Shape, samples: Samples) -> Shape:
    """The shape with the key that says of each answer whether it is wanted, where the records have one."""
    for key in THUMBS if shape.name in THUMBED else ():
        if all(isinstance(value.get(key), bool) for value in samples):
            return shape._replace(thumb=key, optional={**shape.optional, key: ("boolean",)})
    return shape
