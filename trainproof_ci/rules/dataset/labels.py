"""Labels of a classifier: out of range, of one class, unbalanced, spelled in several ways."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.patterns import later
from trainproof_ci.places import Places, safe_key
from trainproof_ci.readers.dataset.record import Fault, Record, is_blank
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.tally import Label, as_class, classes
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import Any


def _place(data: Survey, label: Label) -> Places:
    assert data.shape is not None
    return Places(data.location(label.line, record=label.number, key=data.shape.label))


MANY = "more than 1,000 different labels: no classes"


def classes_of(data: Survey) -> dict[Any, Label]:
    """The labels of a file as classes."""
    if data.tally.many_labels:
        raise StandDown(MANY)
    return classes(data.tally.labels)


IGNORED = -100
"""The label that losses skip."""
_NUMBERS = later(r"[-+]?\d*(?:[.,;|\s]+[-+]?\d+)+(?:[eE][-+]?\d+)?|[-+]?\d+[eE][-+]?\d+")
"""A number that is not whole, with a point or a comma, or several numbers."""
_BETWEEN = later(r"[,;|]")


def is_class(label: Any) -> bool:
    """Whether a label names a class; an empty one, -1 and -100 say that nobody has said which."""
    return not is_blank(label) if isinstance(label, str) else label not in {-1, IGNORED}


def no_classes(labels: Collection[Any]) -> str | None:
    """Why labels are no classes of which each record has one: they are scores, or sets of labels; None if they are."""
    texts = [label.strip() for label in labels if isinstance(label, str)]
    if any(isinstance(label, float) for label in labels) or any(map(_NUMBERS.fullmatch, texts)):
        return "labels are numbers that are not whole, or several numbers: no classes"
    parts = [{*map(str.strip, _BETWEEN.split(text))} for text in texts]
    counted = Counter(chain.from_iterable(parts))
    if any(text.startswith(("[", "{")) for text in texts) or any(
        len(each) > 1 and any(counted[part] > 1 for part in each) for each in parts
    ):
        return "labels are sets of labels: no classes"
    return None


def _unless_regular(data: Survey, limits: Limits, found: list[Firing]) -> list[Firing]:
    """What is out of range, unless nothing is configured and negative labels are as regular as the others."""
    if found and data.options.num_labels is None and (reason := _regular(classes_of(data), limits)) is not None:
        raise StandDown(reason)
    return found


def _regular(found: Mapping[Any, Label], limits: Limits) -> str | None:
    """Why negative labels do not mark what nobody labelled; None if they may."""
    if (reason := no_classes(found)) is not None:
        return reason
    negative = [label for label in found if isinstance(label, int) and label < 0 and label != IGNORED]
    if len(negative) != 1:
        return f"{len(negative)} different negative labels: a scale" if negative else None
    others = {label: counted.count for label, counted in found.items() if label not in {*negative, IGNORED}}
    label, count = negative[0], found[negative[0]].count
    mirrored = others.keys() - {0} == {-label}
    often = count >= max(limits["records"], limits["share"] * (count + sum(others.values())))
    if (mirrored and 0 not in others) or (often and (mirrored or 2 * count >= min(others.values(), default=3 * count))):
        return f"label {label} in {count} records: a class like the others"
    return None


@rule(
    "TP-LABEL-RANGE",
    Severity.FAIL,
    needs=("label", "label-range"),
    limits={"share": 0.05, "records": 3},
    per="record",
    weighed=_unless_regular,
)
def out_of_range(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A label lies outside 0 … number of classes - 1.

    Why: the loss function stops with "device-side assert" or "target out of bounds"; -1 in a training split marks a
    record that nobody labelled.
    Fix: renumber the labels, or set `num-labels`.
    Stands down: without `num-labels`, but for one negative label that is rare in a training split. It is a class like the
    others beside 1 alone; beside 0 and 1 when 5 % of the records have it, and 3 at least; beside other labels when it is
    also at least half as frequent as the rarest of them. Several negative labels are a scale. Where only the name of a
    column ("topic") says that it holds classes, nothing is out of range without `num-labels`.
    """
    assert data.shape is not None
    assert data.shape.label is not None
    label = as_class(record.value.get(data.shape.label))
    if not isinstance(label, int) or isinstance(label, bool):
        return
    classes_, train = data.options.num_labels, data.split == "train" and not _is_guessed(data)
    if (classes_ is not None and not 0 <= label < classes_) or (train and label < 0 and label != IGNORED):
        yield Fault(
            "a label is out of range",
            str(label),
            f"0 to {classes_ - 1}" if classes_ else "0 or more",
            key=data.shape.label,
        )


@rule("TP-LABEL-ONE-CLASS", Severity.FAIL, needs=("label",), limits={"records": 5})
def one_class(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Every record has the same label.

    Why: a classifier has nothing to separate; its loss falls to 0 and it has learned nothing.
    Fix: add the other classes, or look at the script that wrote the column.
    Stands down: below 5 records, in an evaluation split, and where a file of the same kind lies beside it: one file a
    class is a common layout.
    """
    found = classes_of(data)
    if len(found) > 1:
        return
    if not found or data.records < limits["records"]:
        raise StandDown(f"fewer than {limits['records']:g} records with a label")
    if data.split not in {None, "train"}:
        raise StandDown("an evaluation split may hold one class")
    if data.one_of_many:
        raise StandDown("files of the same kind lie beside it, which may hold the other classes")
    label = next(iter(found.values()))
    yield Firing(
        "every record has the same label", f"1 label in {data.records} records", "at least 2", _place(data, label)
    )


@rule("TP-LABEL-IMBALANCE", Severity.WARN, needs=("label",), limits={"ratio": 50, "classes": 20})
def unbalanced(data: Survey, limits: Limits) -> Iterator[Firing]:
    """One class is far more frequent than another.

    Why: a classifier that always says the frequent class looks nearly perfect.
    Fix: weigh the loss, or sample the classes evenly.
    Stands down: with more than 20 classes, where rare ones are the rule.
    """
    found = classes_of(data)
    if len(found) > limits["classes"]:
        raise StandDown(f"more than {limits['classes']:g} classes, where rare ones are the rule")
    if len(found) > 1:
        most, least = max(found.values(), key=_count), min(found.values(), key=_count)
        if most.count > limits["ratio"] * least.count:
            yield Firing(
                "one class is far more frequent than another",
                f"{most.count} to {least.count} records",
                f"≤ {limits['ratio']:g} to 1",
                _place(data, least),
            )


def _count(label: Label) -> int:
    return label.count


@rule("TP-LABEL-VARIANTS", Severity.WARN, needs=("label",))
def spelled_twice(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Labels differ only in case or in white space around them.

    Why: "Positive" and "positive" become two classes.
    Fix: settle one spelling.
    """
    by_form: dict[str, list[Label]] = {}
    for name, label in classes_of(data).items():
        if isinstance(name, str):
            by_form.setdefault(" ".join(name.casefold().split()), []).append(label)
    for variants in by_form.values():
        if len(variants) > 1:
            rarest = min(variants, key=_count)
            yield Firing("a label is spelled in several ways", f"{len(variants)} spellings", "1", _place(data, rarest))
            return


@rule("TP-LABEL-OFFSET", Severity.WARN, needs=("label",))
def not_from_zero(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The labels run from 1, not from 0.

    Why: loss functions count classes from 0; with labels 1 … n the last one is out of bounds.
    Fix: subtract 1, or tell the trainer that there are n + 1 classes.
    Stands down: with `num-labels`, where TP-LABEL-RANGE knows better, in an evaluation split, which need not hold every
    class, and where only the name of a column ("topic") says that it holds classes.
    """
    if _is_guessed(data):
        raise StandDown("only the name of the column says that it holds classes")
    if data.options.num_labels is not None:
        raise StandDown("num-labels is configured: TP-LABEL-RANGE knows better")
    if data.split not in {None, "train"}:
        raise StandDown("an evaluation split need not hold every class")
    found = classes_of(data)
    numbers = sorted(name for name in found if isinstance(name, int) and not isinstance(name, bool))
    if len(numbers) == len(found) >= 2 and numbers == list(range(1, len(numbers) + 1)):
        yield Firing("the labels begin at 1", f"{numbers[0]} to {numbers[-1]}", "0 to n - 1", _place(data, found[1]))


def _is_guessed(data: Survey) -> bool:
    """Whether only the name of a column says that it holds classes."""
    return data.shape is not None and data.shape.label in data.shape.usual


def shown(label: Any) -> str:
    """A label as a report may print it."""
    return str(label) if isinstance(label, (int, float)) else safe_key(str(label))
