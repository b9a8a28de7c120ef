"""What nearly all records of a file have, whatever the other keys mean: a question and its answer, a check, a class."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci.readers.dataset.habits import ENOUGH
from trainproof_ci.readers.dataset.record import is_nothing, json_type
from trainproof_ci.readers.dataset.shapes import SHAPES, Shape
from trainproof_ci.readers.dataset.vocabulary import ABOUT, CHECKS, MEASURED, STRING, Types
from trainproof_ci.typed import Any

Samples = Sequence[Mapping[str, Any]]
PAIRS = (
    ("question", "answer"), ("question", "answers"), ("instruction", "response"), ("prompt", "response"), ("query", "response"),
    ("problem", "solution"), ("problem", "answer"), ("document", "summary"), ("article", "summary"), ("article", "highlights"),
    ("dialogue", "summary"), ("source", "target"), ("human", "assistant"), ("query", "pos"),
)  # fmt: skip
"""Keys of a question and of its answer. An input with an output is not among them: a program may well print nothing."""
FEW = 0.1
"""Part of the records; what is missing from more of them is the way of the file. One record is always few."""
NUMBERS: Types = ("integer", "number")
TEXTS = frozenset({"text", "sentence", "utterance", "tweet", "review"})
CLASSES = frozenset({"label", "intent", "category", "class", "sentiment", "emotion", "topic"})
KINDS = ("_type", "_name", "_label")
"""What the name of a class may end in."""
SEVERAL = 0.75
"""Part of the sampled records; with more different values than that, a column names no classes."""
LONGEST_CLASS, LONGEST_TEXT = 64, 500
"""Characters of the name of a class, and of half of the texts: what is longer is rather read than told apart."""


def with_usual(found: Shape | None, samples: Samples) -> Shape | None:
    """The shape with what is usual in a file whose records have other keys, too."""
    if len(samples) < ENOUGH:
        return found
    if found is None:
        return _classed(samples) or _opened(samples)
    if found.name == "text":
        return _classed(samples) or found
    return _checked(found, samples) if found.name == "prompt-only" else found


def _opened(samples: Samples) -> Shape | None:
    """The question and the answer that stand beside other keys, unless those say that they are results."""
    keys = {key for value in samples for key in value}
    if _are_measured(keys):
        return None
    for given, learned in PAIRS:
        types = _types(samples, learned) if {given, learned} <= keys else ()
        if types and _types(samples, given) == STRING:
            usual = {given: STRING, learned: types}
            return Shape(
                f"{given}-{learned}", {}, ABOUT, prompts=(given,), targets=(learned,), strong=False, closed=True, usual=usual
            )  # fmt: skip
    return None


def _checked(shape: Shape, samples: Samples) -> Shape:
    """A prompt with what its answers are held against."""
    keys = {key for value in samples for key in value}
    found = {key: types for key in sorted(CHECKS & keys) if (types := _types(samples, key))}
    return shape if not found or _are_measured(keys - CHECKS) else shape._replace(usual=found)


def _classed(samples: Samples) -> Shape | None:
    """A short text beside one column that is called as a class, and whose values come again and again."""
    keys = {key for value in samples for key in value}
    texts, named = sorted(TEXTS & keys), sorted(filter(_names_classes, keys))
    if len(texts) != 1 or len(named) != 1 or _are_measured(keys) or "audio_filepath" in keys:
        return None
    text, label = texts[0], named[0]
    types = _types(samples, label)
    if _types(samples, text) != STRING or types not in {STRING, NUMBERS}:
        return None
    labels = {value[label] for value in samples if json_type(value.get(label)) in types}
    lengths = sorted(len(str(value.get(text, ""))) for value in samples)
    if not 1 < len(labels) <= SEVERAL * len(samples) or lengths[len(lengths) // 2] > LONGEST_TEXT:
        return None
    if not all(_is_class(name) for name in labels):
        return None
    named_so = SHAPES["text-label"].renamed({"text": text, "label": label})
    return named_so._replace(required={text: STRING}, usual={label: types})


def _names_classes(key: str) -> bool:
    return key in CLASSES or any(key.endswith(kind) and key.removesuffix(kind) in CLASSES for kind in KINDS)


def _is_class(label: Any) -> bool:
    """Whether a value may name a class: a whole number, or a short text that is none."""
    return isinstance(label, int) or (isinstance(label, str) and len(label) <= LONGEST_CLASS and label[:1].isalpha())


def _are_measured(keys: Iterable[str]) -> bool:
    return any(not MEASURED.isdisjoint(key.lower().replace("-", "_").split("_")) for key in keys)


def _types(samples: Samples, key: str) -> Types:
    """The type that a key has in nearly all records, which say something there; () where there is no such type."""
    found = Counter(json_type(value[key]) for value in samples if not is_nothing(value.get(key)))
    if not found:
        return ()
    kind = found.most_common(1)[0][0]
    types = NUMBERS if kind in NUMBERS else (kind,)
    lacking = len(samples) - sum(found[kind] for kind in types)
    return types if lacking <= max(1, FEW * len(samples)) else ()
