"""How records of one signature are accepted on the fast ways: where their prompts, targets, labels and numbers stand."""

from collections.abc import Callable
from operator import itemgetter

from trainproof_ci.readers.dataset.columns import Kind, Signature
from trainproof_ci.readers.dataset.duplicates import NO_CONFLICT, beside
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

    `replies` are the answers in which no control token belongs, `questions` are the prompts and what is given beside them, `order` all values in the order of their keys.
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
    if shape is None or not FLAT.issuperset(types) or not shape.required.keys() <= set(keys) or GIVEN & set(keys):
        return None
    where = {key: at for at, key in enumerate(keys)}
    classed = where.get(shape.label or "")
    if classed is not None and types[classed] is type(None):
        return None
    learned = tuple(where[key] for key in (*shape.targets, *shape.pair) if key in where)
    named = () if classed is None or types[classed] is not str else (shape.label or "",)
    texts = (*learned, *(where[key] for key in named if key in where))
    asked = tuple(where.get(key) for key in shape.prompts)
    if any(JSON_TYPES[types[where[key]]] not in allowed for key, allowed in shape.required.items()):
        return None
    spoken = [at for at in (*texts, *asked) if at is not None and types[at] is not type(None)]
    if any(types[at] is type(None) for at in texts) or any(types[at] is not str for at in spoken):
        return None
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ordered = None if order == list(range(len(keys))) else itemgetter(*order)
    target = where[shape.targets[0]] if len(shape.targets) == 1 else None
    pair = (where[shape.pair[0]], where[shape.pair[1]]) if shape.pair else None
    numbers = tuple(at for at, type_ in enumerate(types) if type_ in {int, float})
    questions = (*asked, *(where[key] for key in beside(keys, shape))) if asked else ()
    return Plan(
        kind,
        keys,
        types,
        asked,
        questions,
        texts,
        target,
        learned if replies(shape) else (),
        pair,
        where.get(shape.counted or ""),
        numbers,
        order,
        ordered,
    )


def asks(shape: "Shape") -> bool:
    """Whether records of the shape can contradict each other."""
    return bool(shape.prompts) and not (shape.pair or shape.thumb) and shape.name not in NO_CONFLICT
