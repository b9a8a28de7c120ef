"""What the YAML of a YOLO dataset says of its labels: how many classes there are, and how many key points."""

import os
from collections.abc import Iterator, Sequence

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.places import Location
from trainproof_ci.readers.source import Source
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.yaml_file import Node

NAMES = ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml")
SPLITS = ("train", "val", "test")
MOST_FILES = 32
"""YAML files of one folder that are looked into."""


class Names(NamedTuple):
    """The number of classes, the numbers in a key point, and where `nc` is another number than there are names."""

    classes: int | None = None
    key_points: tuple[int, int] | None = None
    other_count: tuple[str, Location] | None = None


def names_for(top: str, images: str) -> Names:
    """What is said of the dataset in folder `top`, whose images lie in folder `images`.

    It stands in a `data.yaml` there or up to two folders above; else in YAML of any name there whose `train`, `val` or
    `test` leads to the images, as a copied example of another dataset may lie anywhere. Of several, what they agree on.
    """
    parts = [] if top == "." else top.split("/")
    folders = ["/".join(parts[:depth]) or "." for depth in range(len(parts), max(-1, len(parts) - 3), -1)]
    for folder in folders:
        for name in NAMES:
            if (said := _read(folder, name)) is not None:
                return _names(said, folder, name)
    for folder in folders:
        found = [
            _names(said, folder, name)
            for name in _others(folder)
            if (said := _read(folder, name)) is not None and _leads_to(said, folder, images)
        ]
        if found:
            return Names(*(_agreed(values) for values in zip(*found, strict=True)))
    return Names()


def _agreed(values: Sequence[Any]) -> Any:
    return values[0] if all(value == values[0] for value in values) else None


def _others(folder: str) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith((".yaml", ".yml")) and name not in NAMES)
    except OSError:
        return []
    return [name for name in names if not os.path.islink(os.path.join(folder, name))][:MOST_FILES]


def _read(folder: str, name: str) -> "dict[str, Node] | None":
    from trainproof_ci.yaml_file import LARGEST, load

    try:
        with Source(os.path.normpath(os.path.join(folder, name))) as source:
            root = load(source.file.read(LARGEST + 1), name)
    except (Unreadable, UsageError):
        return None
    return root.value if isinstance(root.value, dict) else {}


def _leads_to(said: "dict[str, Node]", folder: str, images: str) -> bool:
    """Whether one of the splits, from the folder of the YAML or from its `path` on, is the folder of the images."""
    roots = [folder, *(os.path.join(folder, path) for path in _texts(said, "path"))]
    places = {
        os.path.normpath(os.path.join(root, split)) for root in roots for key in SPLITS for split in _texts(said, key)
    }
    return any(f"{images}/".startswith(f"{place.replace(os.sep, '/')}/") for place in places)


def _texts(said: "dict[str, Node]", key: str) -> Iterator[str]:
    value = said[key].value if key in said else None
    for each in [node.value for node in value] if isinstance(value, list) else [value]:
        if isinstance(each, str):
            yield each


def _names(said: "dict[str, Node]", folder: str, name: str) -> Names:
    plain: dict[str, Any] = {key: node.value for key, node in said.items()}
    count, names, points = plain.get("nc"), plain.get("names"), plain.get("kpt_shape")
    named = len(names) if isinstance(names, (list, dict)) and names else None
    other: tuple[str, Location] | None = None
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        count = named
    elif named not in {None, count}:
        path = os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
        other = (f"nc {count} and {named} names", Location(path, said["nc"].line))
    shape = [node.value for node in points] if isinstance(points, list) else []
    pair = (shape[0], shape[1]) if len(shape) == 2 and all(isinstance(each, int) for each in shape) else None
    return Names(count, pair, other)
