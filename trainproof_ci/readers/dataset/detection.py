"""Which shape the records of a file have, judged by the first of them."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci.readers.dataset.habits import fitted
from trainproof_ci.readers.dataset.shapes import SHAPES, Shape, shape_of
from trainproof_ci.readers.dataset.vocabulary import STRING
from trainproof_ci.readers.suffixes import RARER_SOUNDS, SOUNDS, is_metadata, words_of
from trainproof_ci.typed import Any

RESULTS = frozenset(
    {"tests", "testcases", "cases", "prediction", "predictions", "preds", "outputs", "results", "responses", "generations", "generated"}
)  # fmt: skip
"""Words of the name of a file whose questions and answers are nothing to learn."""
SAMPLED = 64
"""Records that the shape is detected from."""
SHARE = 0.4
"""Part of the sampled records that must have the shape before the file is said to have it."""
ALIKE = 0.6
"""Part of the sampled records that must have the keys of the first before those say what the file is."""
GAPS = 0.2
"""Part of the records with a prompt that must have a completion before the others are said to lack it."""
PLAIN = (str, bool, int, float, type(None))
"""Types of what was meant to be a text; an object or a list is meant otherwise."""
TRUTHS = frozenset({"true", "false"})


def detect(samples: Iterable[Mapping[str, Any]], *, usual: bool = True) -> Shape | None:
    """The shape most of the sampled records have, the first seen of two that tie; None below `SHARE`.

    With `usual` a shape is also told by what nearly all records have beside other keys.
    """
    votes: Counter[str | None] = Counter()
    kept = list(samples)
    for value in kept:
        shape = shape_of(value)
        votes[shape.name if shape else None] += 1
    total = votes.total() if hasattr(votes, "total") else sum(votes.values())
    best = max((SHAPES[name] for name in votes if name), key=lambda shape: votes[shape.name], default=None)
    if best is not None and votes[best.name] < SHARE * total:
        best = None
    best = _meant(best, kept)
    best = None if best is None else fitted(best, kept)
    if usual and (best is None or best.name in {"text", "prompt-only"}):
        from trainproof_ci.readers.dataset.usual import with_usual  # most files have a shape of their own

        return with_usual(best, kept)
    return best


def _meant(found: Shape | None, samples: Sequence[Mapping[str, Any]]) -> Shape | None:
    """The shape that records were meant to have, by keys that nothing else has, where a wrong type or a gap hides it."""
    if found is not None and found.name == "prompt-completion":
        spelled = all(isinstance(value.get("label"), str) and value["label"].lower() in TRUTHS for value in samples)
        return SHAPES["kto"] if spelled else found
    if found is not None and found.name != "prompt-only":
        return found
    for shape in map(SHAPES.__getitem__, ("prompt-completion", "alpaca")):
        having = sum(all(key in value and isinstance(value[key], PLAIN) for key in shape.required) for value in samples)
        if having and having >= (SHARE if found is None else GAPS) * len(samples):
            return shape
    return found


def detect_named(samples: Sequence[Mapping[str, Any]], path: str) -> Shape | None:
    """The shape of the records of a file, whose name has a say in what is told by common words alone."""
    results = not RESULTS.isdisjoint(words_of(path))
    found = media_shape(samples, path) or detect(samples, usual=not results)
    return None if results and found is not None and found.closed else found


def media_shape(samples: Sequence[Mapping[str, Any]], path: str) -> Shape | None:
    """The shape of records that name a sound with what is said in it, or stand in a `metadata.jsonl`; else None."""
    keys = list(samples[0]) if samples else []
    if not any("file" in key or "audio" in key for key in keys) or "duration" in keys or "messages" in keys:
        return None
    from trainproof_ci.readers.dataset.known_columns import shape_of as shape_of_columns

    shape = shape_of_columns(keys)
    alike = sum(value.keys() == samples[0].keys() for value in samples)
    if shape is None or not shape.media or alike < ALIKE * len(samples):
        return None
    if shape.name == "hf-imagefolder":
        return shape._replace(required={"file_name": STRING}) if is_metadata(path) else None
    named = _named(shape.media[0], samples)
    return shape if named and all(name.endswith(SOUNDS) for name in named) else None


def upheld(told: Shape | None, samples: Sequence[Mapping[str, Any]]) -> Shape | None:
    """The shape that column names tell, unless it says speech and files of another kind are named: pictures, documents."""
    if told is None or told.name != "whisper":
        return told
    from trainproof_ci.readers.dataset.known_columns import FILES

    if told.media[0].lower() not in FILES:
        return told
    kinds = [os.path.splitext(name)[1] for name in _named(told.media[0], samples)]
    others = sum(bool(kind.strip(".0123456789")) and kind not in (*SOUNDS, *RARER_SOUNDS) for kind in kinds)
    return None if 2 * others > len(kinds) else told


def _named(key: str, samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of files that records give, in lower case."""
    return [name for value in samples if (name := str(value.get(key, "")).strip().lower())]
