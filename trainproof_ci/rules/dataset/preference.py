"""Pairs of a better and a worse answer, and single answers with a thumb up or down."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.dialogues import is_dialogue, question_of
from trainproof_ci.readers.dataset.habits import SECOND
from trainproof_ci.readers.dataset.record import Fault, Record
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import Any


@rule("TP-PREF-EQUAL", Severity.FAIL, needs=("preference",), per="record")
def equal_pair(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """The chosen and the rejected answer are the same.

    Why: the pair says nothing about what is better; its gradient is noise, and ms-swift stops on it.
    Fix: remove the pair.
    """
    better, worse, chosen, rejected = _pair(record, data)
    if chosen == rejected and chosen not in (None, "", []):
        yield Fault(f'"{better}" and "{worse}" are the same', "2 equal answers", "2 different answers", key=worse)


def _pair(record: Record, data: Survey) -> tuple[str, str, Any, Any]:
    """The keys of the two answers, and the answers."""
    assert data.shape is not None
    if data.shape.pair:
        better, worse = data.shape.pair
        return better, worse, record.value.get(better), record.value.get(worse)
    spoken = next((turns for _, turns in data.talks if turns), [])
    if SECOND not in data.shape.habits:
        second = next((turn for turn in spoken if turn.role == "rejected"), None)
        first = next((turn for turn in reversed(spoken) if turn.role == "assistant"), None)
        if first is None or second is None:
            return data.shape.turns[0], data.shape.turns[0], None, None
        return first.key, second.key, first.content, second.content
    return data.shape.turns[0], SECOND, spoken[-1].content if spoken else None, record.value.get(SECOND)


@rule("TP-PREF-OUTPUT-COUNT", Severity.FAIL, needs=("outputs",), per="record")
def output_count(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A preferred or non-preferred output does not hold exactly one message.

    Why: the services that use this shape reject anything but one assistant message.
    Fix: one message on each side.
    Stands down: in every shape but openai-preference.
    """
    assert data.shape is not None
    for key in data.shape.pair:
        outputs = record.value.get(key)
        if isinstance(outputs, list) and len(outputs) != 1:
            yield Fault(f'"{key}" holds {len(outputs)} messages', f"{len(outputs)} messages", "1", key=key)
            return


@rule("TP-PREF-PROMPT", Severity.WARN, needs=("preference",), per="record")
def prompts_differ(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """The two answers of a pair belong to different prompts.

    Why: without a prompt of its own the pair's common beginning is the prompt; here there is none.
    Fix: give both conversations the same beginning, or write the prompt in a field of its own.
    """
    assert data.shape is not None
    better, _, chosen, rejected = _pair(record, data)
    if any(record.value.get(key) for key in data.shape.prompts):
        return
    if _ask_otherwise(chosen, rejected):
        yield Fault(
            "the two answers belong to different prompts",
            "0 messages in common",
            "a common beginning",
            key=better,
        )


def _ask_otherwise(chosen: Any, rejected: Any) -> bool:
    if isinstance(chosen, list) and isinstance(rejected, list):
        return len(chosen) > 1 and len(rejected) > 1 and _asked(chosen) != _asked(rejected)
    if isinstance(chosen, str) and isinstance(rejected, str) and is_dialogue(chosen) and is_dialogue(rejected):
        return question_of(chosen) != question_of(rejected)
    return False


def _asked(messages: list[Any]) -> Any:
    """The first message that is not the system's."""
    return next((m for m in messages if not (isinstance(m, dict) and m.get("role") == "system")), None)


@rule("TP-PREF-ONE-SIDED", Severity.WARN, needs=("keys",), limits={"records": 4})
def one_sided(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Every answer has the same label.

    Why: unpaired preference training needs both wanted and unwanted answers; with one kind it has no signal.
    Fix: add the other kind, or train on the answers directly.
    Stands down: where no truth value stands beside the answers, in "label" or "kto_tag", and below 4 records.
    """
    assert data.shape is not None
    if data.shape.thumb is None:
        raise StandDown(f"no answers with a thumb up or down in the shape {data.shape.name}")
    column = data.columns.named().get(data.shape.thumb)
    if column is None or column.present < limits["records"]:
        raise StandDown(f"fewer than {limits['records']:g} labels")
    if len(data.tally.labels) == 1:
        yield Firing(
            "every answer has the same label",
            f"1 label in {column.present} records",
            "true and false",
            Places(data.location(key=data.shape.thumb)),
        )
