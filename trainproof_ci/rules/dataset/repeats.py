"""Records that stand in the data more than once."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.dataset.duplicates import Repeat
from trainproof_ci.readers.dataset.shapes import Shape
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule


def _fired(data: Survey, repeats: list[Repeat], message: str, earlier: str, measured: str, limit: str) -> Firing:
    """All of `repeats`, with what the first of them repeats, which `earlier` names."""
    places = Places()
    for repeat in repeats:
        place = Location(data.path, repeat.line, byte_offset=repeat.byte_offset, record=repeat.number)
        places.add(place, repeat.content)
    first = data.location(repeats[0].first_line, record=repeats[0].first_number, note=earlier)
    return Firing(message, measured, limit, places, (first,))


@rule("TP-DUP-RECORD", Severity.WARN, needs=("records", "text"))
def repeated_record(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A whole record stands in the file more than once.

    Why: it counts double in the loss, and a copy that lands in the evaluation split makes the score a lie.
    Fix: remove the copies. Records are compared whole; the order of keys and white space between them do not matter.
    Stands down: where the shape is not recognised and the values that its columns, 8 at most, take can be combined to
    fewer different records than there are, as those of a file of labels: some must be equal.
    Of a parallel text only lines of at least 160 bytes on all sides together: short sentences come back in speech.
    """
    if data.sighted("crowded") is not None:
        raise StandDown("its columns take so few values that some records must be equal")
    if data.repeats:
        many = f"{len(data.repeats)} of {data.records} records"
        yield _fired(data, data.repeats, "a record repeats an earlier one", "first copy", many, "0")


@rule("TP-DUP-CONFLICT", Severity.WARN, needs=("keys",), limits={"share": 0.2, "records": 20, "constant": 3})
def contradicting_record(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The same input has another output elsewhere in the file.

    Why: the model is taught both; for a classifier one of the labels is wrong.
    Fix: decide which is right. Of preference data, where prompts repeat by design, only the same two answers that change
    places are a contradiction, and one answer that is wanted here and unwanted there. Where keys stand beside the shape's
    of which nobody knows what they mean, and in preference data, inputs are the same only if those agree, too.
    Stands down: where every record asks the same (TP-TRAIN-CONSTANT), from 3 records on; where both sides of a merge
    conflict stand in the file (TP-FILE-CONFLICT); where no label is learned, or only the name of its column says that it is one, and more than 20 % of at least 20 records do so: several answers to a prompt
    are then the design.
    """
    if data.sighted("conflict") is not None:
        raise StandDown("both sides of a merge conflict stand in the file")
    if data.shape is not None and data.tally.asks_one_thing(data.shape) and data.records >= limits["constant"]:
        raise StandDown("every record asks the same, which another finding says")
    many = data.records >= limits["records"] and len(data.conflicts) > limits["share"] * data.records
    if many and data.shape is not None and (not data.shape.label or data.shape.usual):
        raise StandDown("so many inputs have several outputs that it is the design")
    if data.conflicts:
        said, count = _contradicted(data.shape), f"{len(data.conflicts)} records"
        yield _fired(data, data.conflicts, said, "same input", count, "one output an input")


def _contradicted(shape: Shape | None) -> str:
    if shape is not None and shape.pair:
        return "the same two answers change places earlier"
    if shape is not None and shape.thumb:
        return "the same answer has another label earlier"
    return "the same input has another output earlier"
