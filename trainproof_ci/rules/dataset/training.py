"""What is learned from the records: nothing, always the same, or something nobody meant."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.habits import written
from trainproof_ci.readers.dataset.record import LONGEST_PLACEHOLDER, Fault, Record, is_placeholder, texts
from trainproof_ci.readers.dataset.shapes import prompt_text
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import ANSWERS, said, whole_text
from trainproof_ci.registry import Limits, rule


def targets(record: Record, data: Survey) -> Iterator[tuple[str, str]]:
    """Every text that the model learns, with its key."""
    shape = data.shape
    assert shape is not None
    for key in (*shape.targets, *shape.pair[:1]):
        value = record.value.get(key)
        yield from ((key, value),) if isinstance(value, str) else texts(value, key)
    for _, turns in data.talks:
        for turn in turns:
            if turn.role == "assistant" and turn.message.get("weight") != 0:
                yield turn.key, said(turn.content)


@rule("TP-TRAIN-NO-TARGET", Severity.FAIL, needs=("keys",), per="record")
def nothing_to_learn(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A record has no token to learn from.

    Why: every assistant message has weight 0, every label is masked with -100, or the prompt alone is as long as
    `max-chars`, so that nothing of the answer is left in the window: the record costs time and adds 0 to the loss.
    Fix: give at least one answer weight 1, shorten the prompt, or remove the record.
    """
    assert data.shape is not None
    most = data.options.max_chars
    if most is not None and (given := _asked(record, data)) >= most:
        yield Fault("the prompt fills the window", f"{given} characters before the first answer", f"< {most}")
    for key, turns in data.talks:
        answers = [turn for turn in turns if turn.role in ANSWERS]
        if answers and all(
            turn.message.get("weight") == 0 and turn.message.get("weight") is not None for turn in answers
        ):
            yield Fault(
                "every assistant message has weight 0",
                f"{len(answers)} of {len(answers)} messages",
                "at least one of weight 1",
                key=key,
            )
    labels = record.value.get("labels")
    if (
        data.shape.name == "pretokenized"
        and isinstance(labels, list)
        and labels
        and all(label == -100 for label in labels)
    ):
        yield Fault(
            "every label is masked",
            f"{len(labels)} of {len(labels)} labels are -100",
            "at least one token to learn",
            key="labels",
        )


def _asked(record: Record, data: Survey) -> int:
    """The characters that stand in front of the first text that is learned; 0 where nothing is asked."""
    shape = data.shape
    if shape is None or len(record.raw) <= (data.options.max_chars or 0):  # as most records are, in any number of bytes
        return 0
    given = 0
    for _, turns in data.talks:
        for turn in turns:
            if turn.role in ANSWERS and turn.message.get("weight") != 0:
                return given
            given += len(said(turn.content))
    if not shape.targets and not shape.pair:
        return 0
    asked = sum(len(said(turn.content)) for key, turns, answer in data.partial if not answer for turn in turns)
    return asked + len(prompt_text(record.value, shape) or "")


@rule("TP-TRAIN-CONSTANT", Severity.FAIL, needs=("keys", "known-keys"), limits={"records": 3})
def always_the_same(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Every record has the same target, or the same prompt.

    Why: a model that is always told the same learns to say it whatever is asked. The same prompt everywhere is a
    warning: the answers are then learned without a question; so is one text for every sound.
    Fix: look at the script that wrote the file; a column was probably filled with one value.
    Stands down: below 3 records; the targets of an evaluation split or of one file of many, which may be one a class;
    prompts that are empty by design, or that come with an image, a sound or a context each; records with keys of which
    nobody knows what they mean.
    """
    if data.records < limits["records"]:
        raise StandDown(f"{data.records} records are too few to call a field constant")
    shape, tally = data.shape, data.tally
    assert shape is not None
    if isinstance(tally.targets, str) and (data.split == "eval" or data.one_of_many):
        raise StandDown("an evaluation split, or one of many files, may have one target")
    if isinstance(tally.targets, str) and tally.targets != NOTHING_SAID:
        yield _constant(data, shape.targets, "answer", Severity.WARN if shape.media else None)
    elif tally.asks_one_thing(shape):
        yield _constant(data, shape.prompts, "question", Severity.WARN)


def _constant(data: Survey, keys: tuple[str, ...], part: str, severity: Severity | None) -> Firing:
    """What the first of these keys holds is always the same, or, without one, a part of the conversations."""
    assert data.shape is not None
    key, said = (keys[0], f'"{keys[0]}"') if keys else (data.shape.turns[0], part)
    message, measured = f"every {said} is the same text", f"1 text in {data.records} records"
    return Firing(message, measured, "different texts", Places(data.first(key)), severity=severity)


NOTHING_SAID = "-"
"""What stands in a manifest of sounds that are yet to be transcribed."""


@rule("TP-TRAIN-ECHO", Severity.WARN, needs=("answer", "known-keys"), limits={"share": 0.3, "records": 10})
def echo(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A target repeats its prompt.

    Why: the model is taught to echo.
    Fix: remove the record or write the answer.
    Stands down: when more than 30 % of at least 10 records do so; correcting text that is mostly right looks like that. And
    for records with keys of which nobody knows what they mean.
    """
    seen = data.sighted("echo")
    if seen is None:
        return
    if data.records >= limits["records"] and len(seen) > limits["share"] * data.records:
        raise StandDown("so many targets repeat their prompts that it is the task")
    yield Firing(
        "a target repeats its prompt",
        f"{seen.measured}, {len(seen)} of {data.records} records",
        "an answer",
        seen.places,
    )


@rule("TP-TRAIN-LEADING-SPACE", Severity.WARN, needs=("target",), limits={"share": 0.4})
def leading_space(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Most targets begin with a space, this one does not.

    Why: with and without the space the first token is another one; the model learns both.
    Fix: begin all targets with a space, or none.
    """
    seen = data.sighted("unspaced")
    if seen is not None and len(seen) <= limits["share"] * data.records:
        spaced = data.records - len(seen)
        yield Firing(
            "a target does not begin with a space as the others do",
            f"{len(seen)} of {data.records} targets without",
            f"a space as in {spaced}",
            seen.places,
        )


@rule("TP-SCHEMA-EMPTY-PROMPT", Severity.WARN, needs=("prompt",), limits={"share": 0.9, "open": 0.1})
def empty_prompt(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A prompt is empty.

    Why: the answer is then learned without its question.
    Fix: fill the prompt or remove the record.
    Stands down: when more than 90 % of the prompts are empty: open-ended generation is trained like that. Where keys stand
    beside those of the shape of which nobody knows what they mean, 10 % and more than one are enough.
    """
    seen = data.sighted("blank-prompt")
    if seen is None:
        return
    is_open = data.shape is not None and data.shape.is_open
    if len(seen) > (max(1, limits["open"] * data.records) if is_open else limits["share"] * data.records):
        raise StandDown("so many prompts are empty that it is the task")
    yield Firing("a prompt is empty", f"{len(seen)} of {data.records} records", "something asked", seen.places)


@rule("TP-TRAIN-OVERLENGTH", Severity.WARN, needs=("records", "max-chars", "lines"), per="record")
def over_length(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A record is longer than the configuration allows.

    Why: trainers cut or drop what does not fit their window; a cut answer teaches the model to stop in the middle.
    Fix: split the record or raise `max-chars`.
    Stands down: without `max-chars`; a prompt that fills the window by itself is TP-TRAIN-NO-TARGET.
    """
    most = data.options.max_chars
    if most is not None and len(record.raw) > most:
        length = sum(len(text) for _, text in texts(record.value))
        if length > most and _asked(record, data) < most:
            yield Fault("a record is longer than allowed", f"{length} characters", f"≤ {most}")


@rule("TP-TRAIN-PHRASE", Severity.WARN, needs=("keys", "phrases"), per="record")
def unwanted_phrase(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A target holds a phrase that the configuration forbids.

    Why: refusals and signatures of another model are learned word by word.
    Fix: rewrite or remove the record.
    Stands down: without `phrases`.
    """
    for key, text in targets(record, data):
        folded = text.casefold()
        for index, phrase in enumerate(data.options.phrases):
            if phrase.casefold() in folded:
                yield Fault(
                    "a target holds an unwanted phrase",
                    f"phrase {index + 1} of the configuration",
                    "none of them",
                    key=key,
                )
                return


@rule("TP-TRAIN-PLACEHOLDER", Severity.WARN, needs=("answer",), per="record")
def placeholder(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A target is a placeholder that was never filled.

    Why: the model learns to answer TODO.
    Fix: write the answer or remove the record.
    """
    assert data.shape is not None
    spoken = [*(turns for _, turns in data.talks), *(turns for _, turns, answer in data.partial if answer)]
    told = [
        (turn.key, whole_text(turn.content))
        for turns in spoken
        for turn in turns
        if turn.role in {"assistant", "rejected"} and turn.message.get("weight") != 0
    ]
    for key, text in (*told, *written(record.value, (*data.shape.targets, *data.shape.pair))):
        if text is not None and is_placeholder(text) and not _asked_for(text, record):
            yield Fault("a target is a placeholder", f"a placeholder of {len(text)} characters", "an answer", key=key)


def _asked_for(text: str, record: Record) -> bool:
    """Whether a text that fills a page was asked for."""
    if len(text) <= LONGEST_PLACEHOLDER:
        return False
    told = record.raw.lower()
    return told.count(b"lorem") > text.lower().count("lorem") or any(word in told for word in FILLING)


FILLING = (b"placeholder", b"dummy", b"filler")
"""What is asked for by who wants such a text."""
