"""Records that are trained on and evaluated on."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.tally import MOST_LABELS
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.labels import MANY, classes_of, is_class, no_classes, shown
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.leaks import Leak, Leaks


MOST_BY_CHANCE = 50
"""Percent of the lines of a parallel text; dialogue and talks share a good part of theirs."""


def _compared(data: Survey) -> "Leaks":
    if isinstance(data.leaks, str):
        raise StandDown(data.leaks)
    return data.leaks


def _telling(data: Survey, kind: str, limits: Limits) -> "list[Leak]":
    """The records of the split that are trained on, exactly or nearly, unless chance explains them."""
    leaks = _compared(data)
    found: list[Leak] = getattr(leaks, kind)
    if not leaks.compared:
        raise StandDown("no record of the split holds enough to be told from others")
    if found and len(found) <= limits["chance"] * leaks.alike * data.records:
        raise StandDown(
            f"{100 * leaks.alike:.1f} % of the training records equal another of them: {len(found)} shared ones are chance"
        )
    return found


@rule("TP-DUP-LEAK", Severity.FAIL, needs=("records",), limits={"chance": 3})
def leaked(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A record of an evaluation split is also trained on.

    Why: the score then measures memory, not skill.
    Fix: remove the record from the training file. Records are compared whole but for ids and the name of the split;
    of parallel texts, where short sentences come back by chance, less than half of the lines is only a warning.
    Held against a split are the training file of its name (`train_a` for `val_a`) or, without one, the only training
    file or set of parts beside it, unless the names tell them apart (`fold1_train` and `fold2_test`). Beside a label
    alone the id counts where it is a name.
    Stands down: for a file that is no evaluation split by configuration or by name; without a training file beside it
    that can be read; where the records hold nothing but a label; and, where the shape does not say which text a record
    is about, while the shared part of the split is at most three times the part of the training records that equal
    another of them: records of a few short values repeat by chance.
    """
    found = _telling(data, "exact", limits)
    if found:
        places, related = _placed(data, found)
        share = 100 * len(places) / data.records
        message = f"records of this split are also in {found[0].train.path}"
        measured = f"{len(places)} of {data.records} records ({share:.1f} %)"
        by_chance = data.lacks("parallel") is None and share < MOST_BY_CHANCE
        yield Firing(message, measured, "0", places, (related,), severity=Severity.WARN if by_chance else None)


@rule("TP-DUP-LEAK-NEAR", Severity.WARN, needs=("records",), limits={"chance": 3})
def nearly_leaked(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A record of an evaluation split is trained on but for case, punctuation and white space.

    Why: the model knows the answer all the same.
    Fix: remove the record from the training file.
    Stands down: like TP-DUP-LEAK, and for records whose letters and digits are fewer than 16.
    """
    found = _telling(data, "near", limits)
    if found:
        places, related = _placed(data, found)
        message = f"records of this split are nearly the same in {found[0].train.path}"
        yield Firing(message, f"{len(places)} of {data.records} records", "0", places, (related,))


def _placed(data: Survey, found: "list[Leak]") -> tuple[Places, Location]:
    places = Places()
    for leak in found:
        places.add(data.location(leak.line, byte_offset=leak.byte_offset, record=leak.number), leak.content)
    return places, found[0].train


@rule("TP-LABEL-UNSEEN", Severity.FAIL, needs=("label",), limits={"numbers": 20, "records": 10})
def unseen_label(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A label of an evaluation split never occurs in training.

    Why: the classifier has no such class; every record with it counts as wrong, or the label encoder raises.
    Fix: split again so that each class is in both, or correct the spelling.
    Where only the name of a column ("intent") says that it holds classes, it is a warning.
    Stands down: like TP-DUP-LEAK, with more than 1,000 different labels, and where labels are no classes: numbers that
    are not whole, more than 20 different numbers with fewer than 10 records each, sets of labels. An empty label, -1 and
    -100 mark what nobody labelled.
    """
    trained = {label: count for label, count in _compared(data).trained.items() if is_class(label)}
    found = {label: counted for label, counted in classes_of(data).items() if is_class(label)}
    if not trained or not found:
        return
    names = {*trained, *found}
    if len(trained) > MOST_LABELS:
        raise StandDown(MANY)
    if (reason := no_classes(names)) is not None:
        raise StandDown(reason)
    records = sum(trained.values()) + sum(counted.count for counted in found.values())
    if all(isinstance(name, int) for name in names) and records < limits["records"] * len(names) > (
        limits["records"] * limits["numbers"]
    ):
        raise StandDown(f"{len(names)} different numbers in {records} records: scores, no classes")
    for label, counted in found.items():
        if label not in trained:
            place = data.location(counted.line, record=counted.number, key=data.shape.label if data.shape else None)
            measured = f"label {shown(label)} in {counted.count} records"
            guessed = data.shape is not None and data.shape.label in data.shape.usual
            yield Firing(
                "a label is never trained on", measured, "labels of the training split", Places(place),
                severity=Severity.WARN if guessed else None,
            )  # fmt: skip
            return
