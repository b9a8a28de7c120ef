"""Fields of the shape: missing, of the wrong type, empty, mixed."""

from collections.abc import Iterator, Mapping

from trainproof_ci.model import Severity
from trainproof_ci.places import safe_key
from trainproof_ci.readers.dataset.dialogues import is_unanswered
from trainproof_ci.readers.dataset.habits import SECOND
from trainproof_ci.readers.dataset.record import Fault, Record, is_blank, json_type
from trainproof_ci.readers.dataset.shapes import Shape, shape_of
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.vocabulary import TAGS
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.conversations import every_list
from trainproof_ci.rules.dataset.messages import empty_answer
from trainproof_ci.typed import Any


def _other(record: Record, shape: Shape) -> Shape | None:
    """The shape that a record has when it is not the file's."""
    if not shape.required or any(key in record.value for key in shape.required):
        return None
    other = shape_of(record.value)
    if other is None or other.name == shape.name or (shape.media and not other.strong):
        return None
    return other if other.required.keys() - shape.vocabulary else None


@rule("TP-SCHEMA-MIXED", Severity.FAIL, needs=("keys",), per="record")
def mixed_shapes(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A record has another shape than the file.

    Why: trainers settle on one shape from the first records; the others are dropped or raise.
    Fix: one shape a file; convert or split.
    """
    assert data.shape is not None
    other = _other(record, data.shape)
    if other is not None:
        yield Fault(
            "records of several shapes are mixed",
            f"a record of shape {other.name}",
            f"shape {data.shape.name} throughout",
        )


@rule("TP-SCHEMA-MISSING", Severity.FAIL, needs=("keys",), per="record")
def missing_field(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A field that the shape needs is missing.

    Why: trainers raise KeyError, or read null and teach nothing.
    Fix: add the field; the finding names a key that looks like a misspelling of it.
    """
    assert data.shape is not None
    missing = [key for key in data.shape.required if key not in record.value]
    if not missing or _other(record, data.shape) is not None:
        return
    near = _misspelt(missing[0], record, data.shape)
    hint = f"; {safe_key(near)} looks like it" if near else ""
    yield Fault(
        f'the record has no "{missing[0]}"{hint}',
        f"{len(missing)} missing fields",
        "all fields of the shape",
        key=missing[0],
    )


def _misspelt(key: str, record: Record, shape: Shape) -> str | None:
    from difflib import get_close_matches  # only a finding needs it

    unknown = [name for name in list(record.value)[:50] if name not in shape.vocabulary and len(name) <= 40]
    return next(iter(get_close_matches(key, unknown, 1, 0.7)), None)


@rule("TP-SCHEMA-TYPE", Severity.FAIL, needs=("keys",), per="record")
def wrong_type(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A field of the shape has a type that it cannot have, or a list another length than the list that it belongs to.

    Why: a number where a text belongs raises in the tokenizer; a label "false" is true; with a tag too few all tags behind
    it are those of other tokens.
    Fix: write the value with the type of the shape, and as many labels as there is to label.
    """
    shape = data.shape
    assert shape is not None
    learned = {*shape.targets, *shape.pair, *shape.prompts, shape.label}
    for key, types in shape.required.items():
        hollow = key in learned or not {"list", "boolean"} & set(types)  # what is null there is for another rule
        if (
            key in record.value
            and (found := json_type(record.value[key])) not in types
            and not (found == "null" and hollow)
        ):
            yield Fault(f'"{key}" has a type it cannot have', found, " or ".join(types), key=key)
            return
    lengths = {
        key: len(record.value[key])
        for key in SIDE_BY_SIDE.get(shape.name, ())
        if isinstance(record.value.get(key), list)
    }
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{length} {key}" for key, length in lengths.items())
        yield Fault("lists that run side by side have different lengths", said, "one length", key=next(iter(lengths)))


SIDE_BY_SIDE = {
    "stepwise": ("completions", "labels"),
    "pretokenized": ("input_ids", "attention_mask", "labels"),
    "token-classification": ("tokens", *TAGS),
}


@rule("TP-SCHEMA-EMPTY", Severity.FAIL, needs=("keys",), per="record")
def empty_field(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """What the model should learn is empty, blank or null.

    Why: the record teaches the model to say nothing, or is dropped in silence.
    Fix: fill the field or remove the record.
    Stands down: a missing label in an evaluation file is a warning, as test sets are published without their labels.
    """
    shape = data.shape
    assert shape is not None
    second = (SECOND,) if SECOND in shape.habits else ()
    for key in (*shape.targets, *shape.pair, *second, *((shape.label,) if shape.label else ())):
        value = record.value.get(key, 0)
        if value is None or value == [] or (isinstance(value, str) and is_blank(value)):
            kind = "null" if value is None else "a blank text" if value else "empty"
            hidden = key == shape.label and data.split == "eval"
            yield Fault(
                f'"{key}" is empty', kind, "something to learn", key=key, severity=Severity.WARN if hidden else None
            )
            return
    for key in shape.pair:
        value = record.value.get(key)
        if isinstance(value, str) and is_unanswered(value):
            yield Fault(f'"{key}" ends without an answer', "no text", "something to learn", key=key)
            return
    for _, turns in every_list(data):
        silent = empty_answer(turns)
        if silent is not None:
            yield Fault("an assistant message is empty", "no text", "something to learn", key=silent.key)
            return


@rule("TP-SCHEMA-NULLFILL", Severity.WARN, needs=("messages",), per="record")
def filled_with_null(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """Tool definitions or arguments are filled up with null.

    Why: a table library gave every tool the parameters of all tools and null where there was nothing; the model then
    learns to call tools with parameters they do not have.
    Fix: store tools and arguments as JSON strings, or remove the null keys again.
    """
    for key in ("tools", "functions"):
        tools = record.value.get(key)
        for index, tool in enumerate(tools if isinstance(tools, list) else ()):
            nulls = [name for name, value in _properties(tool).items() if value is None]
            if nulls:
                yield Fault(
                    "a tool definition is filled up with null",
                    f"{len(nulls)} null parameters",
                    "0",
                    key=f"{key}[{index}]",
                )
                return


def _properties(tool: Any) -> Mapping[str, Any]:
    """The parameters of a tool definition by name."""
    for key in ("function", "parameters", "properties"):
        if isinstance(tool, dict) and isinstance(tool.get(key), dict):
            tool = tool[key]
    return tool if isinstance(tool, dict) and "type" not in tool else {}
