"""Which file is trained on and which evaluated, by configuration or by name."""

import os
import re
from collections.abc import Iterator

from trainproof_ci.globs import matches
from trainproof_ci.patterns import later
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings

TRAIN_WORDS = ("training", "train")
EVAL_WORDS = ("validation", "evaluation", "valid", "eval", "test", "testing", "dev", "val")
_WORD = later(r"[^a-z]+")


def split_of(path: str, settings: "Settings") -> str | None:
    """Whether a file is "train" or "eval": by configuration first, then by the words of its name or folder."""
    named = settings.dataset(path).split
    if named is not None:
        return "train" if named == "train" else "eval"
    if any(matches(path, split.eval) for split in settings.splits):
        return "eval"
    if any(matches(path, split.train) for split in settings.splits):
        return "train"
    for part in reversed(path.lower().split("/")[-2:]):
        words = _WORD.split(part.split(".")[0])
        if any(word in TRAIN_WORDS for word in words):
            return "train"
        if any(word in EVAL_WORDS for word in words):
            return "eval"
    return None


def training_files(path: str, settings: "Settings") -> list[str]:
    """The training files that an evaluation split must not share records with."""
    named = [split.train for split in settings.splits if matches(path, split.eval)]
    if named:
        return [name for name in named if os.path.isfile(name)]
    if any(matches(path, pattern) for split in settings.splits for pattern in split):
        return []
    return sorted(name for name in _renamed(path) if name != path and os.path.isfile(name))


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


def _renamed(path: str) -> Iterator[str]:
    """The path with the word for its split, in the name or the folder, replaced by a word for training."""
    parts = path.split("/")
    for at in range(max(0, len(parts) - 2), len(parts)):
        for word in EVAL_WORDS:
            for found in re.finditer(rf"(?<![a-zA-Z]){word}(?![a-zA-Z])", parts[at], re.IGNORECASE):
                for train in TRAIN_WORDS:
                    cased = train.upper() if found[0].isupper() else train.title() if found[0].istitle() else train
                    changed = parts[at][: found.start()] + cased + parts[at][found.end() :]
                    yield "/".join((*parts[:at], changed, *parts[at + 1 :]))
