"""Conversations: who speaks, in which order, and whether there is an answer to learn."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.record import Fault, Record
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import ANSWERS, Turn, calls, written_role
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.profiles import ANY, PROFILES


def _whole(data: Survey) -> Iterator[tuple[str, list[Turn]]]:
    """The whole conversations of the record that is being judged, with at least one message that can be read."""
    return ((key, turns) for key, turns in data.talks if turns)


def every_talk(data: Survey) -> Iterator[tuple[str, list[Turn]]]:
    """Every list of messages of the record that is being judged, whole or part of one."""
    yield from data.talks
    yield from ((key, turns) for key, turns, _ in data.partial)


def _strictness(data: Survey) -> Severity | None:
    strict = data.options.roles == "alternate" or PROFILES.get(data.options.target or "", ANY).alternate
    return Severity.FAIL if strict else None


FEW = 3
"""Records; of fewer without an answer nobody can say that they are questions alone."""


def _unless_asked_only(data: Survey, limits: Limits, found: list[Firing]) -> list[Firing]:
    """A warning where no conversation of the file has an answer: they may be the questions of reinforcement learning."""
    asked_only = data.shape is not None and data.shape.turns and not data.tally.answered and data.records >= FEW
    return [firing._replace(severity=Severity.WARN) for firing in found] if asked_only else found


@rule("TP-CHAT-NO-ASSISTANT", Severity.FAIL, needs=("turns",), per="record", weighed=_unless_asked_only)
def no_answer(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A conversation has no message of the assistant.

    Why: there is nothing to learn; trainers drop the record in silence or raise.
    Fix: add the answer or remove the record. A warning where none of at least 3 conversations has one: they may be
    questions that reinforcement learning answers.
    """
    for key, turns in _whole(data):
        if not any(turn.role in ANSWERS or turn.role is None for turn in turns):
            yield Fault(
                "a conversation has no assistant message",
                f"0 of {len(turns)} messages",
                "at least 1",
                key=key,
            )


@rule("TP-CHAT-LAST", Severity.FAIL, needs=("messages",), per="record", weighed=_unless_asked_only)
def last_not_assistant(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A conversation does not end with the assistant.

    Why: the last question has no answer; LLaMA-Factory drops the record, OpenAI rejects the file.
    Fix: add the answer, or cut the conversation after the last one.
    Stands down: a conversation without any assistant message is TP-CHAT-NO-ASSISTANT; prompts end with the user. A
    warning where none of at least 3 conversations ends with an answer.
    """
    assert data.shape is not None
    answered = [turns for _, turns in _whole(data) if any(turn.role in ANSWERS for turn in turns)]
    answers = [turns for _, turns, answer in data.partial if answer and turns]
    for turns in (*answered, *answers):
        if turns[-1].role in {"user", "tool", "system"}:
            yield Fault(
                "a conversation does not end with the assistant",
                f"the last message is from {turns[-1].role}",
                "assistant",
                key=turns[-1].key,
            )


@rule("TP-CHAT-ROLE", Severity.FAIL, needs=("messages",), per="record")
def unknown_role(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A role is none that the shape knows.

    Why: templates skip the message or raise; "User" is not "user".
    Fix: use the role names of the shape, which the finding lists. A warning where every conversation uses words like
    "human" and "bot", as a loader of one's own may read; with a target they are a FAIL.
    """
    assert data.shape is not None
    known = ", ".join(role for role in data.shape.roles if role not in data.shape.foreign)
    for _, turns in every_talk(data):
        for turn in turns:
            role = written_role(turn.message)
            if not isinstance(role, str):
                continue
            if role in data.shape.foreign:
                severity = None if data.options.target else Severity.WARN
                yield Fault(
                    "roles are called otherwise", f"the {turn.role} is {role}", known, key=turn.key, severity=severity
                )
                return
            if turn.role is None:
                near = next((name for name in data.shape.roles if name.lower() == role.lower()), None)
                what = f"{near} in another case" if near else f"an unknown role of {len(role)} characters"
                yield Fault("a message has an unknown role", what, known, key=turn.key)
                return


@rule("TP-CHAT-SYSTEM", Severity.FAIL, needs=("turns",), per="record")
def system_misplaced(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A system message is not the first, or there are two.

    Why: most chat templates raise "system message must be at the beginning", others drop it.
    Fix: one system message, at the start.
    """
    for _, turns in _whole(data):
        opening = 0
        while opening < len(turns) and turns[opening].role == "system":
            opening += 1
        late = next((turn for turn in turns[opening:] if turn.role == "system"), None)
        roles = [written_role(turn.message) for turn in turns[:opening]]
        if late is not None:
            yield Fault(
                "a system message is not the first",
                "a system message after other messages",
                "at the start",
                key=late.key,
            )
        elif len(set(map(str, roles))) < len(roles):
            yield Fault("two system messages open a conversation", f"{opening} system messages", "1", key=turns[1].key)


@rule("TP-CHAT-ALTERNATE", Severity.WARN, needs=("turns",), per="record")
def not_alternating(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """Two messages in a row come from the same side.

    Why: templates of Gemma and Mistral raise "roles must alternate", Together rejects, LLaMA-Factory drops the record.
    Fix: join the messages, or add the one that is missing. A FAIL with `roles: alternate` or the targets together,
    anyscale, mistral and llamafactory.
    """
    for _, turns in _whole(data):
        spoken = [turn for turn in turns if turn.role in {"user", "assistant", "call", "tool"}]
        for before, turn in pairwise(spoken):
            if _side(before) == _side(turn) and turn.role != "tool" and not calls(before):
                message = f"two messages in a row are from the {_side(turn)}"
                yield Fault(
                    message,
                    f"{_side(turn)} twice",
                    "user and assistant in turn",
                    key=turn.key,
                    severity=_strictness(data),
                )
                return


def _side(turn: Turn) -> str | None:
    return "assistant" if turn.role == "call" else turn.role


@rule("TP-CHAT-FIRST", Severity.WARN, needs=("turns",), per="record")
def first_not_user(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A conversation does not begin with the user.

    Why: many templates need the user first, after the system message; some raise.
    Fix: add the question that was answered. A FAIL with `roles: alternate` and strict targets.
    """
    for _, turns in _whole(data):
        first = next((turn for turn in turns if turn.role != "system"), None)
        if first is not None and first.role in {"assistant", "call", "tool"} and _has(turns, "user"):
            yield Fault(
                "a conversation does not begin with the user",
                f"begins with {_side(first)}",
                "user",
                key=first.key,
                severity=_strictness(data),
            )


@rule("TP-CHAT-NO-USER", Severity.WARN, needs=("turns",), per="record")
def no_user(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A conversation has no message of the user.

    Why: nothing is asked, so the model learns to speak unasked; strict templates raise.
    Fix: add the question. A FAIL with `roles: alternate` and strict targets.
    Stands down: where no conversation of the file has one; texts to go on with are written like that.
    """
    if data.shape is None or "answers-only" in data.shape.habits:
        return
    for key, turns in _whole(data):
        if not _has(turns, "user") and _has(turns, "assistant") and not _has(turns, None):
            yield Fault(
                "a conversation has no user message",
                f"0 of {len(turns)} messages",
                "at least 1",
                key=key,
                severity=_strictness(data),
            )


def _has(turns: Sequence[Turn], role: str | None) -> bool:
    return any(turn.role == role for turn in turns)
