"""Calls of tools in a conversation, and the messages that answer them."""

import json
from collections.abc import Iterator, Mapping, Sequence

from trainproof_ci.model import Severity
from trainproof_ci.readers.dataset.record import Fault, Record
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import ANSWERS, Turn
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import Any

UNREADABLE = ("the arguments of a tool call are no JSON", "a text that no parser reads", "JSON")


@rule("TP-CHAT-TOOL", Severity.FAIL, needs=("turns",), per="record")
def broken_tool_use(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A tool answers no call, a call stays unanswered, or a call has no arguments that can be read.

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
            called = turn.message["tool_calls"]
            if (wrong := next(filter(None, (_wrong(call, turn.key) for call in called)), None)) is not None:
                return wrong
            waiting = [call.get("id") if isinstance(call.get("id"), str) else None for call in called]
        elif turn.role == "assistant":
            called = turn.message.get("function_call")
            if isinstance(called, dict) and _is_no_json(called.get("arguments")):
                return Fault(*UNREADABLE, key=turn.key)
            waiting = []
    return None


def _wrong(call: Any, key: str) -> Fault | None:
    """What is wrong with a call by itself."""
    if not isinstance(call, dict) or _without_arguments(call):
        return Fault("a tool call has no arguments", "no arguments", "a function with name and arguments", key=key)
    if _is_no_json(call.get("function", call).get("arguments")):
        return Fault(*UNREADABLE, key=key)
    return None


def _without_arguments(call: Mapping[str, Any]) -> bool:
    function = call.get("function", call)
    return not isinstance(function, dict) or not {"arguments", "parameters", "args", "input"}.intersection(function)


def _is_no_json(arguments: Any) -> bool:
    """Whether arguments are written as a text that begins like a JSON object and is none."""
    if not isinstance(arguments, str) or not arguments.lstrip().startswith("{"):
        return False
    try:
        json.loads(arguments, parse_int=float)
    except (ValueError, RecursionError):
        return True
    return False


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
