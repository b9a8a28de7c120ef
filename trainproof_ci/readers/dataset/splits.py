"""Which file is trained on and which evaluated, by configuration or by name."""

import os
import re
from collections.abc import Iterator

from trainproof_ci.globs import matches
from trainproof_ci.patterns import later
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.readers.dataset.shapes import Shape

TRAIN_WORDS = ("training", "train", "训练集")
EVAL_WORDS = (
    "validation", "evaluation", "valid", "eval", "test", "testing", "dev", "val", "holdout", "heldout", "验证集", "测试集",
)  # fmt: skip
_WORD = later(r"[a-z]+|训练集|验证集|测试集")
_ENDS = r"(?=(?:set)?(?![a-zA-Z]))"
EVALUATED = later(rf"(?<![a-zA-Z])(?:{'|'.join(EVAL_WORDS)}|held[-_]out){_ENDS}", re.IGNORECASE)
"""A word for an evaluation split in a path; `set` may be written as one with it."""
TRAINED = later(rf"(?<![a-zA-Z])(?:{'|'.join(TRAIN_WORDS)}){_ENDS}", re.IGNORECASE)


def said(name: str) -> str | None:
    """The split that the words of a name say: "train", "eval", or "both" for what may be the union of two."""
    text = name.lower().replace("held_out", "heldout").replace("held-out", "heldout")
    words = {word.removesuffix("set") for word in _WORD.findall(text)}
    trained, evaluated = not words.isdisjoint(TRAIN_WORDS), not words.isdisjoint(EVAL_WORDS)
    return "both" if trained and evaluated else "train" if trained else "eval" if evaluated else None


def split_of(path: str, settings: "Settings") -> str | None:
    """Whether a file is "train" or "eval": by configuration first, then by the words of its name or folder."""
    named = settings.dataset(path).split
    if named is not None:
        return "train" if named == "train" else "eval"
    if any(matches(path, split.eval) for split in settings.splits):
        return "eval"
    if any(matches(path, split.train) for split in settings.splits):
        return "train"
    folder, name = os.path.split(path)
    split = said(name) or said(os.path.basename(folder).split(".")[0])
    return "train" if split == "both" else split


def training_files(path: str, settings: "Settings", shape: "Shape | None" = None) -> list[str]:
    """The training files that an evaluation split must not share records with.

    Where none is configured and none has the name of the split with a word for training, those that go with it by what
    else their names say; of a split with a `shape` only those whose first records have its keys.
    """
    named = [split.train for split in settings.splits if matches(path, split.eval)]
    if named:
        return [name for name in named if os.path.isfile(name)]
    if any(matches(path, pattern) for split in settings.splits for pattern in split):
        return []
    found = namesakes(path)
    if found and "-of-" not in path:
        return found
    from trainproof_ci.readers.dataset.partners import holds, partners  # most splits have a namesake, or are none

    classes = shape is not None and shape.label is not None
    others = [name for name in partners(path, classes=classes) if split_of(name, settings) == "train"]
    return [name for name in others if shape is None or holds(name, shape)] or found


def others_beside(path: str, split: str | None, settings: "Settings") -> bool:
    """Whether another file of the same suffix, and of the same split if it has one, lies in the folder of `path`."""
    folder, name = os.path.split(path)
    suffix = os.path.splitext(name)[1]
    with os.scandir(folder or ".") as listing:  # the first one found ends it, however many files there are
        return any(
            other.name != name
            and other.name.endswith(suffix)
            and (split is None or split_of(f"{folder}/{other.name}" if folder else other.name, settings) == split)
            for other in listing
        )


def namesakes(path: str) -> list[str]:
    """The files that have the path with the word for its split, in the name or the folder, replaced by one for training."""
    return sorted({name for name in _renamed(path) if name != path and os.path.isfile(name)})


def _renamed(path: str) -> Iterator[str]:
    parts = path.split("/")
    for at in range(max(0, len(parts) - 2), len(parts)):
        for found in EVALUATED.finditer(parts[at]):
            for train in (word for word in TRAIN_WORDS if word.isascii() == found[0].isascii()):
                cased = train.upper() if found[0].isupper() else train.title() if found[0].istitle() else train
                changed = parts[at][: found.start()] + cased + parts[at][found.end() :]
                yield "/".join((*parts[:at], changed, *parts[at + 1 :]))
