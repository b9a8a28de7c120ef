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
    """A tool answers no call, a call stays unanswered or is answered twice, or has no arguments that can be read.

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
    calls = _Calls()
    for turn in turns:
        fault = None
        if turn.role == "user":
            fault = calls.left(turn)
        elif turn.role == "tool":
            fault = calls.answer(turn)
        elif turn.role == "assistant":
            fault = calls.make(turn)
        elif turn.role is None:
            calls = _Calls()  # whoever speaks here may have answered; the role is another finding
        if turn.role != "tool":
            calls.caller = turn
        if fault is not None:
            return fault
    return None


class _Calls:
    """The calls that wait for an answer, by id; None stands for one without an id.

    A call with an id waits until a message names it. Calls without ids, or answered by a message without one, are done
    with when the assistant goes on: one message may hold the results of all of them.
    """

    def __init__(self) -> None:
        self.caller: Turn | None = None
        """The last turn that is not a tool's."""
        self.waiting: list[str | None] = []
        self.ids: frozenset[str | None] = frozenset()
        """The ids of the calls that were made last."""
        self.unnamed = False
        """Whether a message without an id has answered since the assistant spoke."""

    def make(self, turn: Turn) -> Fault | None:
        """Take what a message of the assistant calls."""
        self.waiting = [] if self.unnamed else [each for each in self.waiting if each is not None]
        self.unnamed = False
        called = turn.message.get("tool_calls")
        if not isinstance(called, list):
            called = turn.message.get("function_call")
            wrong = isinstance(called, dict) and _is_no_json(called.get("arguments"))
            return Fault(*UNREADABLE, key=turn.key) if wrong else None
        if (fault := next(filter(None, (_wrong(call, turn.key) for call in called)), None)) is not None:
            return fault
        made = [call.get("id") if isinstance(call.get("id"), str) else None for call in called]
        self.waiting += made
        self.ids = frozenset(made) - {None}
        return None

    def answer(self, turn: Turn) -> Fault | None:
        """Match one message of a tool with the calls that wait for it."""
        named = turn.message.get("tool_call_id")
        answered = named if isinstance(named, str) else None
        if self.waiting:
            if answered is not None and answered not in self.waiting and None not in self.waiting:
                return self._unasked(turn, answered)
            self.unnamed |= answered is None
            self.waiting.remove(answered if answered in self.waiting else None if answered else self.waiting[0])
            return None
        caller = self.caller
        if caller is None or caller.role not in ANSWERS:
            wanted = "an assistant message with a tool call"
            return Fault("a tool message answers no call", "no call before it", wanted, key=turn.key)
        if answered is not None and self.ids and (answered in self.ids or caller.message.get("tool_calls")):
            return self._unasked(turn, answered)
        return None

    def _unasked(self, turn: Turn, answered: str) -> Fault:
        if answered in self.ids:
            return Fault("a tool call is answered twice", "an id that is answered already", "one answer", key=turn.key)
        what = "an id that no open call has"
        return Fault("a tool message answers another call", what, "the id of an open call", key=turn.key)

    def left(self, turn: Turn) -> Fault | None:
        """What is still open when the user speaks again."""
        if not self.waiting:
            return None
        what = f"{len(self.waiting)} open calls at the next user message"
        return Fault("a tool call is never answered", what, "0", key=turn.key)


def _wrong(call: Any, key: str) -> Fault | None:
    """What is wrong with a call by itself."""
    if not isinstance(call, dict) or _without_arguments(call):
        return Fault("a tool call has no arguments", "no arguments", "a function with name and arguments", key=key)
    if _is_no_json(call.get("function", call).get("arguments")):
        return Fault(*UNREADABLE, key=key)
    return None


def _without_arguments(call: Mapping[str, Any]) -> bool:
    function = call.get("function", call.get("custom", call))
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
