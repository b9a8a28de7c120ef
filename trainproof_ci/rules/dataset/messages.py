"""Single messages of a conversation: their fields, weights and tool calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places, safe_key
from trainproof_ci.readers.dataset.record import Fault, Record, is_blank, json_type
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import Turn
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.conversations import ANSWERS, every_list

CALLS = ("tool_calls", "function_call")


def calls(turn: Turn) -> bool:
    """Whether a message calls a tool."""
    return turn.role == "call" or any(turn.message.get(key) for key in CALLS)


def blank(content: Any) -> bool:
    """Whether a content is there and says nothing: blank text, no parts, or only blank text parts."""
    if isinstance(content, str):
        return is_blank(content)
    if isinstance(content, list):
        return all(
            isinstance(part, dict) and isinstance(part.get("text"), str) and is_blank(part["text"]) for part in content
        )
    return False


@rule("TP-CHAT-MESSAGE", Severity.FAIL, needs=("messages",), per="record")
def malformed_message(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A message lacks its role or its content, or there is no message at all.

    Why: trainers raise KeyError, or the template writes "None" into the text.
    Fix: give every message a role and a content. Content may be null only beside tool calls.
    """
    assert data.shape is not None
    for key in data.shape.turns:
        messages = record.value.get(key)
        if messages == []:
            yield Fault("a conversation has no messages", "0 messages", "at least 1", key=key)
        elif isinstance(messages, list) and not all(isinstance(message, dict) for message in messages):
            yield Fault("a message is no object", "another type", "an object with role and content", key=key)
    for _, turns in every_list(record, data):
        fault = next((fault for turn in turns if (fault := _malformed(turn)) is not None), None)
        if fault is not None:
            yield fault
            return


def _malformed(turn: Turn) -> Fault | None:
    role = turn.message.get("role", turn.message.get("from"))
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
    """The first message of the assistant that is there and says nothing, unless it is not learned from."""
    for turn in turns:
        silent = turn.role == "assistant" and blank(turn.content) and not calls(turn)
        if silent and turn.message.get("weight") != 0 and not EXTRA_CONTENT.intersection(turn.message):
            return turn
    return None


@rule("TP-CHAT-WEIGHT", Severity.FAIL, needs=("messages",), per="record")
def odd_weight(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """The weight of a message is neither 0 nor 1.

    Why: services accept only those two and reject the file.
    Fix: 1 for what is learned, 0 for what is not.
    """
    for _, turns in every_list(record, data):
        for turn in turns:
            weight = turn.message.get("weight")
            if weight is not None and weight not in (0, 1):
                shown = f"{weight:g}" if isinstance(weight, (int, float)) else json_type(weight)
                yield Fault("a message has a weight that is neither 0 nor 1", shown, "0 or 1", key=turn.key)
                return


@rule("TP-CHAT-TOOL", Severity.FAIL, needs=("turns",), per="record")
def broken_tool_use(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A tool answers no call, a call stays unanswered, or a call has no arguments.

    Why: services reject the conversation, and the model learns answers that come from nowhere.
    Fix: each call is followed by one tool message with its id. A call in the last message may stay open, and calls
    without ids (as TRL writes them) match by order. For `target: mistral` every call needs an id and its arguments as
    one text.
    """
    assert data.shape is not None
    strict = data.shape.name == "mistral-instruct" or data.options.target == "mistral"
    for _, turns in data.talks:
        fault = _tool_fault(turns) or (_loose_call(turns) if strict else None)
        if fault is not None:
            yield fault


def _tool_fault(turns: Sequence[Turn]) -> Fault | None:
    waiting: list[str | None] = []
    for index, turn in enumerate(turns):
        if turn.role == "user" and waiting:
            return Fault(
                "a tool call is never answered",
                f"{len(waiting)} open calls at the next user message",
                "0",
                key=turn.key,
            )
        if turn.role == "tool":
            fault = _answer(turn, waiting, turns[:index])
            if fault is not None:
                return fault
        elif turn.role == "assistant" and isinstance(turn.message.get("tool_calls"), list):
            for call in turn.message["tool_calls"]:
                if not isinstance(call, dict) or _without_arguments(call):
                    return Fault(
                        "a tool call has no arguments",
                        "no arguments",
                        "a function with name and arguments",
                        key=turn.key,
                    )
            waiting = [
                call.get("id") if isinstance(call.get("id"), str) else None for call in turn.message["tool_calls"]
            ]
        elif turn.role == "assistant":
            waiting = []
    return None


def _without_arguments(call: Mapping[str, Any]) -> bool:
    function = call.get("function", call)
    return not isinstance(function, dict) or not {"arguments", "parameters", "args", "input"}.intersection(function)


def _loose_call(turns: Sequence[Turn]) -> Fault | None:
    """The first call without an id or with arguments that are no text."""
    for turn in turns:
        called = turn.message.get("tool_calls") if turn.role == "assistant" else None
        for call in called if isinstance(called, list) else ():
            function = call.get("function", call)
            if not isinstance(call.get("id"), str) or not isinstance(function.get("arguments"), str):
                what = "no id" if not isinstance(call.get("id"), str) else "arguments that are no text"
                return Fault("a tool call is not as the target takes it", what, "an id and a text", key=turn.key)
    return None


def _answer(turn: Turn, waiting: list[str | None], before: Sequence[Turn]) -> Fault | None:
    """Match one tool message with the calls that wait for it."""
    answered = turn.message.get("tool_call_id")
    if waiting:
        if answered in waiting:
            waiting.remove(answered)
        elif answered is not None and None not in waiting:
            return Fault(
                "a tool message answers another call",
                "an id that no open call has",
                "the id of an open call",
                key=turn.key,
            )
        else:
            waiting.pop(0)
        return None
    caller = next((earlier for earlier in reversed(before) if earlier.role != "tool"), None)
    if caller is None or caller.role not in ANSWERS:
        return Fault(
            "a tool message answers no call", "no call before it", "an assistant message with a tool call", key=turn.key
        )
    return None


@rule("TP-SCHEMA-UNKNOWN-KEY", Severity.WARN, needs=("shape",), limits={"share": 0.5})
def unknown_keys(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A key is none that the shape knows.

    Why: a misspelt key is ignored, and services reject messages with unknown keys.
    Fix: remove or rename it. Keys beside the messages are a FAIL with `strict-keys`; without it they are metadata.
    Stands down: a key that more than half of the messages have is there on purpose.
    """
    tally = data.tally
    if not tally.messages and not data.options.strict_keys:
        raise StandDown("no messages, and strict-keys is not configured")
    rare = {
        key: seen
        for key, seen in sorted(tally.unknown_keys.items())
        if len(seen) <= limits["share"] * tally.messages or data.options.strict_keys
    }
    if rare:
        key, seen = next(iter(rare.items()))
        severity = Severity.FAIL if data.options.strict_keys else None
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
    allowed = data.shape.required
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
