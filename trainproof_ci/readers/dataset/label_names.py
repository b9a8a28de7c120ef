"""What the YAML of a YOLO dataset says of its labels: how many classes there are, and how many key points."""

import os
from collections.abc import Iterator, Sequence
from itertools import product

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.patterns import later
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.examiner import MARKERS
from trainproof_ci.readers.dataset.label_files import NAMES, marks_conflict
from trainproof_ci.readers.pointers import refuse_pointer
from trainproof_ci.readers.source import Head, read_begun
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple
from trainproof_ci.yaml_file import LARGEST, InvalidYamlError, load

if TYPE_CHECKING:
    from trainproof_ci.yaml_file import Node

SPLITS = ("train", "val", "test")
MOST_FILES = 32
"""YAML files of one folder that are looked into."""


class Flaw(NamedTuple):
    """Something wrong with the YAML: its name as a sighting, what was found, and where."""

    name: str
    measured: str
    place: Location


class Names(NamedTuple):
    """The number of classes, the numbers in a key point, what is wrong with the YAML, and why it is not here."""

    classes: int | None = None
    key_points: tuple[int, int] | None = None
    flaws: tuple[Flaw, ...] = ()
    unread: Unreadable | None = None


def names_for(top: str, images: str) -> Names:
    """What is said of the dataset in folder `top`, whose images lie in folder `images`.

    It stands in a `data.yaml` there or up to two folders above; else in YAML of any name there whose `train`, `val` or
    `test` leads to the images, as a copied example of another dataset may lie anywhere. Of several, what they agree on.
    """
    parts = [] if top == "." else top.split("/")
    folders = ["/".join(parts[:depth]) or "." for depth in range(len(parts), max(-1, len(parts) - 3), -1)]
    broken: Names | None = None
    for folder, name in product(folders, NAMES):
        path = os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
        names = _told(path, images, here=folder == top)
        if names is not None and names.classes is None and (names.flaws or names.unread):
            broken = broken or names
        elif names is not None:
            return _after(broken, names)
    for folder in folders:
        found = [
            _names(said, os.path.join(folder, name))
            for name in _others(folder)
            if (said := _read(folder, name)) is not None and _leads_to(said, folder, images)
        ]
        if found:
            return _after(broken, Names(*(_agreed(values) for values in zip(*found, strict=True))))
    return broken or Names()


def _after(broken: Names | None, names: Names) -> Names:
    """What is told elsewhere than in the nearest file, which is broken: a merge conflict in that one is told all the same."""
    if broken is None:
        return names
    if names.classes is None:
        return broken
    conflicts = [flaw for flaw in broken.flaws if flaw.name == "conflict"]
    return names._replace(flaws=(*conflicts, *names.flaws))


def _agreed(values: Sequence[Any]) -> Any:
    return values[0] if all(value == values[0] for value in values) else None


def _others(folder: str) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".yaml", ".yml")) and name not in NAMES)
    except OSError:
        return []
    return [name for name in names if not os.path.islink(os.path.join(folder, name))][:MOST_FILES]


def _told(path: str, images: str, *, here: bool) -> Names | None:
    """What the YAML at `path` says, or what is wrong with it; None where it is not there, or not in our power to read.

    What any loader refuses is a flaw only where this must be the YAML of the dataset: `here` beside it, or by its name.
    """
    ours = here or os.path.basename(path).startswith("data.")
    try:
        data, size = read_begun(path, LARGEST + 1)
        refuse_pointer(Head(path, data, size))
    except Unreadable as why:
        return Names(unread=why) if ours and why.rule.startswith("TP-FILE-LFS") else None
    conflicts = tuple(_conflicts(data, path))
    if conflicts:
        return Names(flaws=conflicts) if ours else None
    try:
        said = _parsed(data, path)
    except InvalidYamlError as why:
        flaw = Flaw("yolo-yaml", f"not valid YAML ({why.problem})", Location(path, why.line or 1))
        return Names(flaws=(flaw,)) if ours else None
    except UsageError:
        return None
    if not isinstance(said, dict):
        flaw = Flaw("yolo-yaml", "nothing" if said is None else "no keys", Location(path, 1))
        return Names(flaws=(flaw,)) if here or (ours and said is None) else Names()
    names = _names(said, path)
    if names.classes is None and _leads_to(said, os.path.dirname(path) or ".", images) and _is_unnamed(said):
        return names._replace(flaws=(Flaw("yolo-yaml", "neither names nor nc", Location(path, 1)),))
    return names


def _conflicts(data: bytes, path: str) -> Iterator[Flaw]:
    """The markers of a merge conflict, which begin at the margin; YAML may hold lines of equals signs without one."""
    lines = data.split(b"\n")
    if any(line.startswith(MARKERS[0]) for line in lines):
        for number, line in enumerate(lines, 1):
            if marks_conflict(line):
                yield Flaw("conflict", "conflict markers", Location(path, number))


def _parsed(data: bytes, name: str) -> Any:
    """The value of a YAML document. A tab behind a word is white space to the parser that loaders use, in C."""
    spaced = _TAB_INSIDE.sub(lambda found: found[1] + found[2].replace(b"\t", b" "), data) if b"\t" in data else data
    return load(spaced, name).value


_TAB_INSIDE = later(rb"(?m)^([ \t]*)([^ \t\r\n].*\t.*)")


def _is_unnamed(said: "dict[str, Node]") -> bool:
    """Whether a loader that wants `train`, `val` and `names` or `nc` takes the first two and misses the last."""
    wanted = "train" in said and not said.keys().isdisjoint({"val", "validation"})
    others = any(word in key.lower() for key in said.keys() - {"names", "nc"} for word in ("name", "class", "label"))
    return wanted and not others and all(key not in said or said[key].value is None for key in ("names", "nc"))


def _read(folder: str, name: str) -> "dict[str, Node] | None":
    try:
        said = _parsed(read_begun(os.path.normpath(os.path.join(folder, name)), LARGEST + 1)[0], name)
    except (Unreadable, UsageError):
        return None
    return said if isinstance(said, dict) else {}


def _leads_to(said: "dict[str, Node]", folder: str, images: str) -> bool:
    """Whether one of the splits, from the folder of the YAML or from its `path` on, is the folder of the images."""
    roots = [folder, *(os.path.join(folder, path) for path in _texts(said, "path"))]
    splits = {split for key in SPLITS for split in _texts(said, key)}
    splits |= {split.removeprefix("../") for split in splits}  # as the loader does where the folder is not there
    places = {os.path.normpath(os.path.join(root, split)) for root in roots for split in splits}
    return any(f"{images}/".startswith(f"{place.replace(os.sep, '/')}/") for place in places)


def _texts(said: "dict[str, Node]", key: str) -> Iterator[str]:
    value = said[key].value if key in said else None
    for each in [node.value for node in value] if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each


def _names(said: "dict[str, Node]", path: str) -> Names:
    plain: dict[str, Any] = {key: node.value for key, node in said.items()}
    count, names, points = plain.get("nc"), plain.get("names"), plain.get("kpt_shape")
    named = len(names) if isinstance(names, (list, dict)) and names else None
    flaws: tuple[Flaw, ...] = ()
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        count = named
    elif named not in {None, count}:
        place = Location(os.path.normpath(path).replace(os.sep, "/"), said["nc"].line)
        flaws = (Flaw("yolo-names", f"nc {count} and {named} names", place),)
    shape = [node.value for node in points] if isinstance(points, list) else []
    pair = (shape[0], shape[1]) if len(shape) == 2 and all(isinstance(each, int) for each in shape) else None
    return Names(count, pair, flaws)
