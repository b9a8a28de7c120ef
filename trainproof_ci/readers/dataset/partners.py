"""The training files that go with an evaluation split where none has its name with a word for training.

A name is taken apart into the word for the split, the number of a part, words that only say that these are data, and the
rest. The rest decides: `test_set` goes with `sft_train`, but `fold2_test` not with `fold1_train`, and of `a_train` and
`b_train` neither goes with `test`.
"""

import os
from functools import lru_cache
from itertools import islice

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.readers.dataset.splits import EVALUATED, TRAINED, namesakes, said
from trainproof_ci.readers.source import Head
from trainproof_ci.readers.suffixes import JSON_LINES, PACKED
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trainproof_ci.readers.dataset.shapes import Shape

SAY_NOTHING = frozenset({"data", "dataset", "set", "split", "examples", "records", "public"})
"""Words that do not tell one set of data from another."""
WHOLE = frozenset({"all", "full", "whole", "combined", "merged", "total"})
"""Words of what may be the union of the splits: only a split that says the same goes with it."""
MOST_PARTS = 64
"""Parts of one training set that a split is compared with, the first by name."""
FIRST = 8
"""Records of a training file that are looked at for the keys of a shape."""
_PART = later(r"[-_.]?\d+[-_]of[-_]\d+(?:-[0-9a-f]{16})?$")
_TOKEN = later(r"[a-z]+|\d+|[^\W\d_]+")


class _Name(NamedTuple):
    """What the name of a file says: `family` are the endings that hold the same kind of data, `series` is what the parts
    of one set share, `rest` are the words that tell data from data.
    """

    path: str
    family: str
    ending: str
    series: str
    rest: tuple[str, ...]

    @property
    def is_part(self) -> bool:
        return self.series != os.path.basename(self.path).lower().removesuffix(self.ending)


_Names = dict[tuple[str, ...], list[_Name]]
"""Names by their rest: a split of very many files looks its own up."""


def partners(path: str, *, classes: bool = False) -> list[str]:
    """The training files that go with the evaluation split at `path` by what their names say, in order; or none.

    They lie beside it under a name for training, or in the folder for training beside its own. Where the records have
    `classes` a file may be called by its class, so that its name always counts.
    """
    folder, name = os.path.split(path)
    own = _parted(path)
    beside = _training(folder, _stamp(folder)).get(own.family) if said(name) == "eval" else None
    if beside:
        return _going_with(own, beside)
    above, base = os.path.split(folder)
    trained = _training_folder(above, base, _stamp(above)) if said(base) == "eval" else None
    if trained is None:
        return []
    there = _files(trained, _stamp(trained)).get(own.family, {})
    only = None if classes else _only(there)
    if only and _numbers(only) in {(), _numbers(own)} and _only(_files(folder, _stamp(folder)).get(own.family, {})):
        return [only.path]  # whatever their names, but for the number of a fold
    return _going_with(own, there)


def holds(path: str, shape: "Shape") -> bool:
    """Whether the first records of a training file have the keys of a shape."""
    return any(shape.required.keys() <= keys for keys in _keys_in(path))


def held_out(head: Head, records: "Iterable[Mapping[str, Any]]") -> bool:
    """Whether a `.json` is the evaluation split of a training file that is recognised, by names and by keys.

    `records` are its first; where none can be read the names must do.
    """
    from trainproof_ci.readers.dataset import recognise

    alike = {frozenset(record) for record in records}
    for path in namesakes(head.path) or partners(head.path):
        try:
            known = recognise(Head.of(path)) is not None
        except Unreadable:
            continue
        if known and not (alike and alike.isdisjoint(_keys_in(path))):
            return True
    return False


def _keys_in(path: str) -> list[frozenset[str]]:
    """The keys of the first records of a file; none where they cannot be read."""
    from trainproof_ci.readers.dataset import format_of

    try:
        return [frozenset(record.value) for record in islice(format_of(Head.of(path)).records(path), FIRST)]
    except (Unreadable, UnicodeDecodeError):
        return []


def _going_with(own: _Name, others: _Names) -> list[str]:
    """Those of the training files that say the same as a split, or all where it says nothing, if they are one set."""
    chosen = others.get(own.rest, [])
    if not chosen and not own.rest:
        chosen = [other for rest, alike in others.items() if WHOLE.isdisjoint(rest) for other in alike]
    chosen = [other for other in chosen if other.ending == own.ending] or chosen
    one_set = len({(other.series, other.ending) for other in chosen}) == 1
    parts = len(chosen) == 1 or all(other.is_part for other in chosen)
    return sorted(other.path for other in chosen)[:MOST_PARTS] if one_set and parts else []


def _only(names: _Names) -> _Name | None:
    alike = next(iter(names.values())) if len(names) == 1 else []
    return alike[0] if len(alike) == 1 else None


def _numbers(name: _Name) -> tuple[str, ...]:
    return tuple(word for word in name.rest if word.isdigit())


@lru_cache(maxsize=8)
def _training(folder: str, stamp: tuple[int, ...]) -> dict[str, _Names]:
    """What is named for training in a folder, by family."""
    return _listed(folder, lambda name: said(name) == "train") if stamp else {}


@lru_cache(maxsize=8)
def _files(folder: str, stamp: tuple[int, ...]) -> dict[str, _Names]:
    """What lies in a folder, by family."""
    return _listed(folder, lambda name: not name.startswith(".")) if stamp else {}


@lru_cache(maxsize=8)
def _training_folder(above: str, base: str, stamp: tuple[int, ...]) -> str | None:
    """The one folder for training that goes with the folder `base` of a split; None without one or with several."""
    rest = _rest(base.lower())
    names = os.listdir(above or ".") if stamp else []
    alike = [os.path.join(above, name) for name in names if said(name) == "train" and _rest(name.lower()) == rest]
    folders = [path for path in alike if os.path.isdir(path)]
    return folders[0] if len(folders) == 1 else None


def _listed(folder: str, wanted: "Callable[[str], bool]") -> dict[str, _Names]:
    found: dict[str, _Names] = {}
    for name in map(_parted, (os.path.join(folder, name) for name in os.listdir(folder or ".") if wanted(name))):
        found.setdefault(name.family, {}).setdefault(name.rest, []).append(name)
    return found


def _stamp(folder: str) -> tuple[int, ...]:
    """What changes when the content of a folder does, so that it is listed once for many splits; empty without one."""
    try:
        status = os.stat(folder or ".")
    except OSError:
        return ()
    if not os.access(folder or ".", os.R_OK):
        return ()
    return status.st_dev, status.st_ino, status.st_mtime_ns


def _parted(path: str) -> _Name:
    name = os.path.basename(path).lower()
    packed = next((packed for packed in PACKED if name.endswith(packed)), "")
    suffix = os.path.splitext(name.removesuffix(packed))[1]
    family = "json" if suffix in {*JSON_LINES, ".json"} else suffix
    stem = name.removesuffix(suffix + packed)
    series = _PART.sub("", stem)
    return _Name(path, family, suffix + packed, series, _rest(series))


def _rest(stem: str) -> tuple[str, ...]:
    """The words of a name that tell data from data."""
    text = TRAINED.sub(" ", EVALUATED.sub(" ", stem))
    return tuple(word for word in _TOKEN.findall(text) if word not in SAY_NOTHING)
