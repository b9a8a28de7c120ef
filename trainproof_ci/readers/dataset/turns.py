"""The messages of a record as turns, whatever its dialect calls their roles and what they say."""

from collections.abc import Iterable, Iterator, Mapping

from trainproof_ci.readers.dataset.record import is_blank
from trainproof_ci.readers.dataset.shapes import Shape, dicts
from trainproof_ci.typed import Any, NamedTuple

NESTED = frozenset({list, dict})


class Turn(NamedTuple):
    """One message.

    `role` is system, user, assistant, call (a sharegpt function_call), tool, or rejected (the worse answer beside the
    assistant's), or None when unknown.
    """

    key: str
    role: str | None
    content: Any
    message: Mapping[str, Any]


def conversations(shape: Shape, value: Mapping[str, Any]) -> Iterator[tuple[str, list[Turn]]]:
    """The conversations of a record with the key each stands under."""
    for key in shape.turns:
        if isinstance(value.get(key), list):
            yield key, turns(shape, value[key], key)


def partial_conversations(shape: Shape, value: Mapping[str, Any]) -> Iterator[tuple[str, list[Turn], bool]]:
    """Lists of messages that are a part of a conversation: key, turns, and whether an answer must end the list."""
    for key in (*shape.prompts, *shape.targets, *shape.pair):
        found = value.get(key)
        answers = key in shape.targets or key in shape.pair
        if isinstance(found, dict) and isinstance(found.get("messages"), list):
            yield f"{key}.messages", turns(shape, found["messages"], f"{key}.messages"), False
        elif isinstance(found, dict) and not found.keys().isdisjoint(("role", "from")):
            yield key, [turn_of(shape, found, key)], answers
        elif isinstance(found, list) and any(isinstance(item, dict) for item in found):
            yield key, turns(shape, found, key), answers


def with_lists(samples: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records that can hold messages, as they hold anything but plain values."""
    return [value for value in samples if not NESTED.isdisjoint(map(type, value.values()))]


def every_list(shape: Shape, value: Mapping[str, Any]) -> Iterator[list[Turn]]:
    """Every list of messages of a record, whole or part of one."""
    yield from (said for _, said in conversations(shape, value))
    yield from (said for _, said, _ in partial_conversations(shape, value))


def turns(shape: Shape, messages: Iterable[Any], key: str) -> list[Turn]:
    """A list of messages as turns; entries that are no objects are left out."""
    return [
        turn_of(shape, message, f"{key}[{index}]")
        for index, message in enumerate(messages)
        if isinstance(message, dict)
    ]


def turn_of(shape: Shape, message: Mapping[str, Any], key: str) -> Turn:
    """A message as a turn."""
    role = written_role(message)
    return Turn(key, shape.roles.get(role) if isinstance(role, str) else None, content_of(message), message)


def written_role(message: Mapping[str, Any]) -> Any:
    """The role of a message as it is written."""
    return message.get("role", message.get("from"))


ANSWERS = frozenset({"assistant", "call"})
"""The roles of turns that are learned."""
ENDINGS = ANSWERS | {"rejected"}
"""The roles that a conversation may end with."""


def is_answer(shape: Shape, message: Any) -> bool:
    """Whether a message is one that is learned."""
    return isinstance(message, dict) and turn_of(shape, message, "").role in ANSWERS


def calls(turn: Turn) -> bool:
    """Whether a message calls a tool."""
    return turn.role == "call" or any(turn.message.get(key) for key in ("tool_calls", "function_call"))


CONTENT_KEYS = ("content", "value", "parts", "text")


def content_of(message: Mapping[str, Any]) -> Any:
    """What a message says, under the name its dialect has for it; None when it says nothing."""
    return next((message[key] for key in CONTENT_KEYS if key in message), None)


def whole_text(content: Any) -> str | None:
    """The text of a message's content where it is nothing but text, as a string or in parts."""
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        return said(content)
    return content if isinstance(content, str) else None


TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
"""The types of parts that are text."""


def is_hollow(part: Any) -> bool:
    """Whether a part of a content is meant to be text and has none."""
    if not isinstance(part, dict):
        return False
    if isinstance(part.get("type"), str):
        return part["type"] in TEXT_PARTS and not any(isinstance(part.get(key), str) for key in CONTENT_KEYS)
    beside = (value for key, value in part.items() if key != "text")
    return "text" in part and not isinstance(part["text"], str) and all(value is None for value in beside)


def says_nothing(content: Any) -> bool:
    """Whether a content is there and says nothing: blank text, no parts, only blank text parts, or an object without keys."""
    if isinstance(content, dict):
        return not content
    if isinstance(content, list):
        return all(
            isinstance(part, dict) and isinstance(part.get("text"), str) and is_blank(part["text"]) for part in content
        )
    return isinstance(content, str) and is_blank(content)


def said(content: Any) -> str:
    """The text of a message's content: a string, or the texts of its parts joined."""
    if isinstance(content, str):
        return content
    parts = dicts(content) if isinstance(content, list) else ()
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def mostly_lists(shape: Shape, samples: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the contents of messages are lists of parts as a rule."""
    contents = [turn.content for value in with_lists(samples) for said in every_list(shape, value) for turn in said]
    return sum(isinstance(content, list) for content in contents) > len(contents) / 2
