"""Single messages of a conversation: their fields, weights and tool calls."""

from collections.abc import Iterator, Sequence

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places, safe_key
from trainproof_ci.readers.dataset.habits import says_objects
from trainproof_ci.readers.dataset.record import Fault, Record, json_type
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import Turn, calls, is_hollow, says_nothing, written_role
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.conversations import every_talk
from trainproof_ci.rules.dataset.profiles import ANY, PROFILES


@rule("TP-CHAT-MESSAGE", Severity.FAIL, needs=("messages",), per="record")
def malformed_message(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A message lacks its role or its content, or there is no message at all.

    Why: trainers raise KeyError, or the template writes "None" into the text.
    Fix: give every message a role and a content, and every part that is text its text. Content may be null only beside
    tool calls, and an object only where that is how the messages of a role are written, or in what a tool answers.
    """
    assert data.shape is not None
    for key in data.shape.turns:
        messages = record.value.get(key)
        if messages == []:
            yield Fault("a conversation has no messages", "0 messages", "at least 1", key=key)
        elif isinstance(messages, list) and not all(isinstance(message, dict) for message in messages):
            yield Fault("a message is no object", "another type", "an object with role and content", key=key)
    for _, turns in every_talk(data):
        found = (_malformed(turn) or _textless(turn, data.shape.habits) for turn in turns)
        fault = next((fault for fault in found if fault is not None), None)
        if fault is not None:
            yield fault
            return


def _malformed(turn: Turn) -> Fault | None:
    role = written_role(turn.message)
    if not isinstance(role, str):
        return Fault("a message has no role", json_type(role), "a role", key=turn.key)
    if turn.content is None and not calls(turn) and not EXTRA_CONTENT.intersection(turn.message):
        what = "null" if any(key in turn.message for key in ("content", "value", "parts")) else "no content"
        return Fault("a message has neither content nor tool calls", what, "content", key=turn.key)
    if turn.content is not None and not isinstance(turn.content, (str, list, dict)):
        return Fault(
            "the content of a message is no text", json_type(turn.content), "a string or a list of parts", key=turn.key
        )
    return None


def _textless(turn: Turn, habits: frozenset[str]) -> Fault | None:
    """What is wrong with a content that is no string: a part without its text, or an object where others have text."""
    if isinstance(turn.content, list) and any(map(is_hollow, turn.content)):
        return Fault("a part of a message has no text", "another type or null", "a text", key=turn.key)
    objects = turn.role not in SPEAKERS or says_objects(turn.role) in habits
    if isinstance(turn.content, dict) and turn.content and not objects:
        return Fault("the content of a message is an object", "an object", "a text as in the others", key=turn.key)
    return None


SPEAKERS = frozenset({"system", "user", "assistant", "rejected"})
"""Roles whose messages are texts; calls and what tools answer may well be objects."""
EXTRA_CONTENT = frozenset(
    {
        "audio",
        "refusal",
        "thinking",
        "reasoning",
        "reasoning_content",
        "tool_results",
        "functionCall",
        "images",
        "image",
    }
)


def empty_answer(turns: Sequence[Turn]) -> Turn | None:
    """The first answer that is there and says nothing, unless it is not learned from."""
    for turn in turns:
        silent = turn.role in {"assistant", "rejected"} and says_nothing(turn.content) and not calls(turn)
        if silent and turn.message.get("weight") != 0 and not EXTRA_CONTENT.intersection(turn.message):
            return turn
    return None


LARGE = 1e6
"""A weight from here on is not worth its digits."""


@rule("TP-CHAT-WEIGHT", Severity.FAIL, needs=("messages",), per="record")
def odd_weight(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """The weight of a message is neither 0 nor 1.

    Why: services accept only those two and reject the file.
    Fix: 1 for what is learned, 0 for what is not.
    """
    for _, turns in every_talk(data):
        for turn in turns:
            weight = turn.message.get("weight")
            if weight is not None and weight not in (0, 1):
                shown = f"{weight:g}" if isinstance(weight, (int, float)) and abs(weight) < LARGE else json_type(weight)
                yield Fault("a message has a weight that is neither 0 nor 1", shown, "0 or 1", key=turn.key)
                return


@rule("TP-SCHEMA-UNKNOWN-KEY", Severity.WARN, needs=("keys",), limits={"share": 0.5})
def unknown_keys(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A key is none that the shape knows.

    Why: a misspelt key is ignored, and services reject messages with unknown keys.
    Fix: remove or rename it. A FAIL with `strict-keys` and the targets openai and azure-openai. Keys beside the messages
    are a FAIL with `strict-keys`; without it they are metadata.
    Stands down: a key of more messages than half as many as there are answers is there on purpose, where it is no FAIL.
    """
    tally = data.tally
    strict = data.options.strict_keys or PROFILES.get(data.options.target or "", ANY).closed
    if not tally.messages and not data.options.strict_keys:
        raise StandDown("no messages, and strict-keys is not configured")
    answers = tally.strings["assistant"] + tally.lists["assistant"]
    many = limits["share"] * min(tally.messages, answers or tally.messages)
    rare = {key: seen for key, seen in sorted(tally.unknown_keys.items()) if len(seen) <= many or strict}
    if rare:
        key, seen = next(iter(rare.items()))
        severity = Severity.FAIL if strict else None
        names = ", ".join(safe_key(name) for name in list(rare)[:5])
        yield Firing(
            f"messages have unknown keys: {names}",
            f"{safe_key(key)} in {len(seen)} of {tally.messages} messages",
            "keys of the shape",
            seen.places,
            severity=severity,
        )
    if data.options.strict_keys and data.shape is not None:
        yield from _outside(data)


def _outside(data: Survey) -> Iterator[Firing]:
    assert data.shape is not None
    allowed = {**data.shape.required, **data.shape.usual}
    for key in sorted(data.columns.named().keys() - allowed.keys()):
        places = Places(*(data.location(line or 1, record=number) for line, number in data.columns.having(key)))
        yield Firing(
            f"a key is outside the shape: {safe_key(key)}",
            f"{len(places)} records",
            f"only {', '.join(allowed)}",
            places,
            severity=Severity.FAIL,
        )
        return
