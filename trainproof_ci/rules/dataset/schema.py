"""Fields of the shape: missing, of the wrong type, empty, mixed."""

from collections.abc import Iterator, Mapping

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import safe_key
from trainproof_ci.readers.dataset.dialogues import is_unanswered
from trainproof_ci.readers.dataset.habits import SECOND
from trainproof_ci.readers.dataset.record import Fault, Record, is_blank, is_nothing, json_type
from trainproof_ci.readers.dataset.shapes import Shape, shape_of
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.vocabulary import TAGS
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.conversations import every_talk
from trainproof_ci.rules.dataset.messages import empty_answer
from trainproof_ci.typed import Any


def _other(record: Record, shape: Shape) -> Shape | None:
    """The shape that a record has when it is not the file's."""
    if not shape.required or any(key in record.value for key in shape.pair or shape.required):
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


AS_OTHERS = "what nearly all records have there"
"""The limit of what is found in a key that is none of the shape's but usual."""
FILLED = "a text, as in nearly all other records"
"""The limit of what is found in a key that is not learned."""


def _unless_usual(data: Survey, limits: Limits, found: list[Firing]) -> list[Firing]:
    """What was found, but for what so many records lack of what is usual that it is the way of the file.

    What several records lack beside keys of unknown meaning is a warning: one of those may say why.
    """
    few = max(1, limits["share"] * data.records)
    kept = [firing for firing in found if firing.limit not in {AS_OTHERS, FILLED} or len(firing.places) <= few]
    if found and not kept:
        raise StandDown("so many records lack what the others have that it is the way of the file")
    several = [firing.limit == AS_OTHERS and len(firing.places) > 1 for firing in kept]
    return [f._replace(severity=Severity.WARN) if soft else f for f, soft in zip(kept, several, strict=True)]


def _severity(data: Survey, key: str) -> Severity | None:
    """How bad it is to lack a key: where other keys may say why, it is a FAIL only in what is trained on."""
    assert data.shape is not None
    if key not in data.shape.usual:
        return None
    return Severity.FAIL if data.split == "train" else Severity.WARN


def _says_why(record: Record) -> bool:
    """Whether a record says itself that its question has no answer."""
    return any(word in key.lower() for key in record.value for word in UNANSWERABLE)


UNANSWERABLE = ("impossible", "answerable", "has_answer", "no_answer", "has_ans", "no_ans")
"""Parts of keys that say whether a question has an answer."""


@rule("TP-SCHEMA-MISSING", Severity.FAIL, needs=("keys",), limits={"share": 0.1}, per="record", weighed=_unless_usual)
def missing_field(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A field that the shape needs is missing.

    Why: trainers raise KeyError, or read null and teach nothing.
    Fix: add the field; the finding names a key that looks like a misspelling of it.
    Where other keys stand beside those of the shape, a question or an answer that one record lacks is a FAIL in a training
    split; in other files, and where up to 10 % of the records lack it, it is a WARN.
    Stands down: where more records lack it, which is the way of the file then; for records with keys that the first one
    has not, which are of another kind, and for those that say whether there is an answer ("is_impossible").
    """
    assert data.shape is not None
    missing = [key for key in (*data.shape.required, *data.shape.usual) if key not in record.value]
    if not missing or _other(record, data.shape) is not None:
        return
    near = _misspelt(missing[0], record, data.shape)
    usual = missing[0] in data.shape.usual
    if usual and not near and (_is_of_another_kind(record, data) or _says_why(record)):
        return
    hint = f"; {safe_key(near)} looks like it" if near else ""
    yield Fault(
        f'the record has no "{missing[0]}"{hint}',
        f"{len(missing)} missing fields",
        AS_OTHERS if usual else "all fields of the shape",
        key=missing[0],
        severity=_severity(data, missing[0]),
        apart=usual,
    )


def _is_of_another_kind(record: Record, data: Survey) -> bool:
    """Whether a record has keys that the first one has not."""
    return data.columns.primary is not None and not record.value.keys() <= set(data.columns.primary[0])


def _misspelt(key: str, record: Record, shape: Shape) -> str | None:
    from difflib import get_close_matches  # only a finding needs it

    unknown = [name for name in list(record.value)[:50] if name not in shape.vocabulary and len(name) <= 40]
    return next(iter(get_close_matches(key, unknown, 1, 0.7)), None)


@rule("TP-SCHEMA-TYPE", Severity.FAIL, needs=("keys",), limits={"share": 0.1}, per="record", weighed=_unless_usual)
def wrong_type(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A field of the shape has a type that it cannot have, or a list another length than the list that it belongs to.

    Why: a number where a text belongs raises in the tokenizer; a label "false" is true; with a tag too few all tags behind
    it are those of other tokens.
    Fix: write the value with the type of the shape, and as many labels as there is to label.
    Where other keys stand beside those of the shape, questions and answers must have the type that nearly all have: one
    that has not is a FAIL in a training split; in other files, and where up to 10 % have not, it is a WARN.
    Stands down: where more than 10 % of the records, and more than one, have another type than the others.
    """
    shape = data.shape
    assert shape is not None
    learned = {*shape.targets, *shape.pair, *shape.prompts, shape.label, *shape.usual}
    for key, types in (*shape.required.items(), *shape.usual.items()):
        hollow = key in learned or not {"list", "boolean"} & set(types)  # what is null there is for another rule
        if (
            key in record.value
            and (found := json_type(record.value[key])) not in types
            and not (found == "null" and hollow)
        ):
            usual = key in shape.usual
            limit = AS_OTHERS if usual else " or ".join(types)
            said = f'"{key}" has another type than the others' if usual else f'"{key}" has a type it cannot have'
            yield Fault(said, found, limit, key=key, severity=_severity(data, key), apart=usual)
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


@rule("TP-SCHEMA-EMPTY", Severity.FAIL, needs=("keys",), limits={"share": 0.1}, per="record", weighed=_unless_usual)
def empty_field(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """What the model should learn is empty, blank or null, or the name of the file that it is learned from.

    Why: the record teaches the model to say nothing, or is dropped in silence; a row that names no sound or picture stops
    the loader.
    Fix: fill the field or remove the record. A speaker or the caption of a picture that is empty is a warning: it may be
    meant so, but a speaker without a name becomes a voice of its own.
    A missing label in an evaluation file is a warning, as test sets are published without their labels. Where other keys
    stand beside those of the shape, an answer that one record leaves empty is a FAIL in a training split; in other files, and
    where up to 10 % of the records do, it is a WARN.
    Stands down: where more records leave it empty, which is the way of the file then, and for records that say whether
    there is an answer ("is_impossible").
    """
    shape = data.shape
    assert shape is not None
    for key, wanted, severity in _to_be_filled(data, shape):
        value, usual = record.value.get(key, 0), key in shape.usual
        nothing = is_nothing(value) if usual else value is None or value == [] or _is_blank_text(value)
        if nothing and not (usual and _says_why(record)):
            kind = "null" if value is None else "a blank text" if value else "empty"
            limit = AS_OTHERS if usual else wanted
            yield Fault(f'"{key}" is empty', kind, limit, key=key, severity=severity, apart=usual)
            return
    for key in shape.pair:
        value = record.value.get(key)
        if isinstance(value, str) and is_unanswered(value):
            yield Fault(f'"{key}" ends without an answer', "no text", "something to learn", key=key)
            return
    for _, turns in every_talk(data):
        silent = empty_answer(turns)
        if silent is not None:
            yield Fault("an assistant message is empty", "no text", "something to learn", key=silent.key)
            return


def _is_blank_text(value: Any) -> bool:
    return isinstance(value, str) and is_blank(value)


def _to_be_filled(data: Survey, shape: Shape) -> Iterator[tuple[str, str, Severity | None]]:
    """The keys that no record may leave empty, what belongs there, and how bad it is where that is not the rule's own."""
    second = (SECOND,) if SECOND in shape.habits else ()
    for key in dict.fromkeys((*shape.answers, *shape.pair, *second)):
        hidden = key == shape.label and data.split == "eval"
        yield key, "something to learn", Severity.WARN if hidden else _severity(data, key)
    for key in shape.media:
        yield key, "the name of a file", None
    for key in shape.filled:
        yield key, FILLED, Severity.WARN


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
