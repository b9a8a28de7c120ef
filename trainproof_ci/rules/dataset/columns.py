"""Keys and types that change from record to record."""

from collections.abc import Iterator
from itertools import chain, islice

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places, safe_key
from trainproof_ci.readers.dataset.columns import Column
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.profiles import ANY, PROFILES

NUMBERS = frozenset({"integer", "number"})


def _columns(data: Survey) -> dict[str, Column]:
    if data.columns.varied:
        raise StandDown("the records have too many different sets of keys to call them columns")
    return data.columns.named()


def _having(data: Survey, key: str, type_name: str | None = None) -> Places:
    return Places(
        *(
            data.location(line or 1, record=number, key=safe_key(key))
            for line, number in data.columns.having(key, type_name)
        )
    )


@rule("TP-SCHEMA-TYPEDRIFT", Severity.FAIL, needs=("keys", "known-keys"))
def type_changes(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A column has values of several types.

    Why: Arrow, on which most training loaders stand, raises "changed from number to string" in the middle of the file.
    Fix: write the column with one type. Integers beside decimal numbers, and null beside anything, are fine. Message
    contents of one role that are text here and a list of parts there are a warning, as services accept both: a FAIL for the
    target hf-datasets, and nothing for openai and azure-openai.
    The same holds for fields of objects and for lists, but not for messages, tools and arguments of calls.
    Stands down: for fields of the shape that may have either type, for a wrong type that TP-SCHEMA-TYPE names, for empty
    lists that TP-SCHEMA-EMPTY names, and where keys stand beside those of the shape of which nobody knows what they mean.
    """
    yield from islice(chain(_drifting(data), _drifting_below(data), _drifting_contents(data)), 1)


def _drifting(data: Survey) -> Iterator[Firing]:
    """Columns of several types."""
    assert data.shape is not None
    for key, column in _columns(data).items():
        types = {name for name in column.types if name != "null"}
        known = data.shape.required.get(key, data.shape.optional.get(key, ()))
        wrong = key in data.shape.required and not types <= set(known)
        if (
            len(types) < 2
            or types <= NUMBERS
            or wrong
            or (key in data.shape.required and len(types & set(known)) > 1 and data.shape.name == "openai-evals")
        ):
            continue
        rarest = min(sorted(types), key=lambda name: (column.types[name], data.columns.first(key, name) * -1))
        if _are_empty(data, key, rarest):
            continue
        counts = ", ".join(f"{column.types[name]} {name}" for name in sorted(types))
        yield Firing(f"a column changes its type: {safe_key(key)}", counts, "1 type", _having(data, key, rarest))


def _are_empty(data: Survey, key: str, type_name: str) -> bool:
    """Whether all values of a type are told to be empty: an empty list where the others have a text is one fault."""
    groups = data.faults.groups.get("TP-SCHEMA-EMPTY", {}).values()
    told = {line for group in groups for line in group.places.lines}
    having = [line for line, _ in data.columns.having(key, type_name)]
    return told.issuperset(having) and len(having) == data.columns.named()[key].types[type_name]


def _drifting_below(data: Survey) -> Iterator[Firing]:
    """Fields of objects, and elements of lists, of several types, but for what is said and learned."""
    assert data.shape is not None
    shape = data.shape
    spoken = {*shape.turns, *shape.prompts, *shape.targets, *shape.pair}
    if shape.name == "openai-evals":
        spoken |= shape.required.keys()
    inner = data.columns.inner
    for path, types in inner.drifting() if inner is not None else ():
        if path[0] in spoken:
            continue
        rarest = types[min(sorted(types), key=lambda name: (types[name].count, -types[name].numbers[0]))]
        shown = "".join(part if part == "[]" else f".{safe_key(part)}" for part in path).lstrip(".")
        places = Places(
            *(
                data.location(line, record=number, key=shown)
                for line, number in zip(rarest.lines, rarest.numbers, strict=True)
            )
        )
        counts = ", ".join(f"{types[name].count} {name}" for name in sorted(types))
        yield Firing(f"a field below the top level changes its type: {shown}", counts, "1 type", places)


def _drifting_contents(data: Survey) -> Iterator[Firing]:
    """Contents of messages that are text in some places and lists of parts in others."""
    tally, mixed = data.tally, PROFILES.get(data.options.target or "", ANY).mixed
    severity = Severity.FAIL if mixed is False else Severity.WARN
    for role, odd in sorted(tally.contents.items()):
        if tally.strings[role] and tally.lists[role] and not mixed:
            counts = f"{tally.lists[role]} list, {tally.strings[role]} string"
            message = "message contents of one role are text in some places and lists in others"
            yield Firing(message, counts, "1 type", odd.places, severity=severity)


@rule("TP-SCHEMA-KEYDRIFT", Severity.WARN, needs=("keys", "known-keys"), limits={"records": 3})
def keys_change(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A key appears only in the second half of the file, or only in the first.

    Why: loaders settle the columns with the first block they read; a key that comes later raises a cast error, one
    that is gone is filled with null.
    Fix: give every record the key, or write two files.
    Stands down: for keys of the shape that may be left out, for keys that come and go all along, and where keys stand beside
    those of the shape of which nobody knows what they mean.
    """
    assert data.shape is not None
    if data.records < limits["records"]:
        raise StandDown(f"{data.records} records are too few to see a change")
    drifting = []
    for key, column in _columns(data).items():
        half = data.records / 2
        if (
            key not in data.shape.vocabulary
            and column.present < data.records
            and (column.first > half + 0.5 or column.last <= half)
        ):
            drifting.append(key)
    drifting = [key for key in drifting if not _only_in_others(data, key)]
    if drifting:
        first = drifting[0]
        names = ", ".join(safe_key(key) for key in drifting[:5])
        present = data.columns.named()[first].present
        yield Firing(
            f"keys come or go in the middle of the file: {names}",
            f"{safe_key(first)} in {present} of {data.records} records",
            "the same keys throughout",
            _having(data, first),
        )


def _only_in_others(data: Survey, key: str) -> bool:
    """Whether a key stands only in records that lack what the shape needs: those are another finding."""
    assert data.shape is not None
    needed = set(data.shape.required)
    return all(not needed <= set(keys) for keys, _ in data.columns.kinds if key in keys)


@rule("TP-SCHEMA-NULLCOL", Severity.WARN, needs=("keys", "known-keys"), limits={"records": 2})
def null_column(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A column is null in every record.

    Why: a loader cannot tell its type and fails as soon as another file has values there.
    Fix: leave the key out, or fill it.
    Stands down: for keys that the shape lets be null, and where keys stand beside those of the shape of which nobody knows
    what they mean.
    """
    assert data.shape is not None
    if data.records < limits["records"]:
        raise StandDown(f"{data.records} records are too few to call a column null throughout")
    for key, column in _columns(data).items():
        if set(column.types) == {"null"} and column.present >= limits["records"] and key not in data.shape.vocabulary:
            yield Firing(
                f"a column is null throughout: {safe_key(key)}",
                f"{column.present} of {data.records} records",
                "values",
                Places(data.location(1, record=column.first, key=safe_key(key))),
            )
            return
