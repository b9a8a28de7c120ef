"""How records of one signature are accepted on the fast ways: where their prompts, targets, labels and numbers stand."""

from collections.abc import Callable, Mapping
from operator import itemgetter

from trainproof_ci.readers.dataset.columns import Kind, Signature
from trainproof_ci.readers.dataset.duplicates import asking, beside
from trainproof_ci.readers.dataset.habits import replies
from trainproof_ci.readers.dataset.record import JSON_TYPES
from trainproof_ci.readers.dataset.vocabulary import MEDIA
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.shapes import Shape

GIVEN = MEDIA | {"history"}
"""Keys of what is given beside prompts, which is looked at in every record."""
FLAT = frozenset({str, int, float, bool, type(None)})


class Plan(NamedTuple):
    """How records of one signature are accepted: where their prompts, targets, labels and numbers stand.

    `replies` are the answers in which no control token belongs; `questions` are what is asked and given beside it, but for
    the answers of a `pair`; `order` are all values in the order of their keys.
    """

    kind: Kind
    keys: tuple[str, ...]
    types: tuple[type, ...]
    prompts: tuple[int | None, ...]
    questions: tuple[int | None, ...]
    texts: tuple[int, ...]
    target: int | None
    replies: tuple[int, ...]
    pair: tuple[int, int] | None
    label: int | None
    numbers: tuple[int, ...]
    order: list[int]
    ordered: Callable[[Any], Any] | None


def plan(signature: Signature, kind: Kind, shape: "Shape | None") -> Plan | None:
    """The plan for records of this signature, or None where they must be explained one by one."""
    keys, types = signature
    if shape is None or not FLAT.issuperset(types) or GIVEN & set(keys):
        return None
    where = {key: at for at, key in enumerate(keys)}
    needed = {**shape.required, **shape.usual}
    if any(key not in where or JSON_TYPES[types[where[key]]] not in allowed for key, allowed in needed.items()):
        return None
    texts = _texts(shape, where, types)
    learned = tuple(where[key] for key in (*shape.targets, *shape.pair) if key in where)
    asked = tuple(where.get(key) for key in shape.prompts)
    if texts is None or any(at is not None and types[at] not in {str, type(None)} for at in asked):
        return None
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ordered = None if order == list(range(len(keys))) else itemgetter(*order)
    target = where[shape.targets[0]] if len(shape.targets) == 1 else None
    pair = (where[shape.pair[0]], where[shape.pair[1]]) if shape.pair else None
    numbers = tuple(at for at, type_ in enumerate(types) if type_ in {int, float})
    questions = (*map(where.get, asking(shape)), *(where[key] for key in beside(keys, shape))) if asked else ()
    return Plan(
        kind,
        keys,
        types,
        asked,
        questions,
        texts,
        target if target in texts else None,
        tuple(at for at in learned if at in texts) if replies(shape) else (),
        pair,
        where.get(shape.counted or ""),
        numbers,
        order,
        ordered,
    )


def _texts(shape: "Shape", where: Mapping[str, int], types: tuple[type, ...]) -> tuple[int, ...] | None:
    """Where the texts stand that must say something; None where a record has something else in place of one.

    A class, and what is only usual, may be a number.
    """
    learned = [key for key in dict.fromkeys((*shape.answers, *shape.pair)) if key in where]
    found = []
    for key in learned:
        type_ = types[where[key]]
        if type_ is str:
            found.append(where[key])
        elif type_ is type(None) or not (key == shape.label or key in shape.usual):
            return None
    return tuple(found)
