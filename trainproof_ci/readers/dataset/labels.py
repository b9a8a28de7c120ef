"""YOLO labels: one text file an image, one object a line: class, then a box, a polygon or key points in 0 … 1."""

import math
import os
from collections.abc import Sequence

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.delimited import line_of
from trainproof_ci.readers.dataset.digests import FolderDigest, sha256
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.dataset.survey import Survey

NAMES = ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml")
LARGEST = 16 << 20
"""Bytes of one label file; an image with more objects is none."""
MARGIN = 0.01
"""Beyond 0 … 1 by this much is rounding: the tolerance of ultralytics."""
NOT_LABELS = frozenset(
    {"classes.txt", "labels.txt", "train.txt", "val.txt", "test.txt", "obj.names", "readme.txt", "notes.txt"}
)


class Names(NamedTuple):
    """What `data.yaml` says: the number of classes, the numbers in a key point, where it stands."""

    classes: int | None = None
    key_points: tuple[int, int] | None = None
    path: str | None = None


def recognise(head: Head) -> str | None:
    """A `.txt` below a folder `labels` that has `images` or a `data.yaml` beside it, and holds rows of numbers."""
    if head.suffix != ".txt" or head.name.lower() in NOT_LABELS or _top(head.path) is None:
        return None
    first = next((line for line in head.start.split(b"\n") if line.strip()), b"")
    return "yolo-labels" if not first or _numbers(first.decode("utf-8", "replace")) is not None else None


def _top(path: str) -> str | None:
    """The folder of the dataset: the one that holds `labels`, beside `images` or `data.yaml`."""
    parts = path.split("/")[:-1]
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] != "labels":
            continue
        for depth, names in ((at, (*NAMES, "images")), (at - 1, (*NAMES, "images")), (at - 2, NAMES)):
            top = "/".join(parts[: max(0, depth)])
            if any(os.path.lexists(os.path.join(top, name)) for name in names):
                return top or "."
    return None


def _named_above(top: str) -> Names:
    """What the `data.yaml` of the dataset says, or that of the folder above, or of the one above that."""
    parts = [] if top == "." else top.split("/")
    folders = ("/".join(parts[:depth]) or "." for depth in range(len(parts), max(-1, len(parts) - 3), -1))
    return next((names for folder in folders if (names := named(folder)).path is not None), Names())


def named(top: str) -> Names:
    """What the `data.yaml` of a dataset says, as far as it can be read."""
    from trainproof_ci.yaml_file import LARGEST as LARGEST_YAML
    from trainproof_ci.yaml_file import load

    for name in NAMES:
        path = os.path.normpath(os.path.join(top, name))
        try:
            with Source(path) as source:
                root = load(source.file.read(LARGEST_YAML + 1), name)
        except (Unreadable, UsageError):
            continue
        plain = {key: node.value for key, node in root.value.items()} if isinstance(root.value, dict) else {}
        count, names, points = plain.get("nc"), plain.get("names"), plain.get("kpt_shape")
        if not isinstance(count, int) and isinstance(names, (list, dict)):
            count = len(names)
        shape = [node.value for node in points] if isinstance(points, list) else []
        pair = (shape[0], shape[1]) if len(shape) == 2 and all(isinstance(each, int) for each in shape) else None
        return Names(count if isinstance(count, int) else None, pair, path.replace(os.sep, "/"))
    return Names()


def survey_members(target: "Target", settings: "Settings", survey: "Survey") -> None:
    """Measure all label files of one folder; each object is a record of its own file."""
    top = _top(target.members[0])
    names = _named_above(top) if top is not None else Names()
    classes = settings.dataset(target.path).num_labels or names.classes
    reading = _Reading(survey, classes, names.key_points)
    for path in target.members:
        reading.file(path)
    survey.settle((), None)
    survey.sha256 = reading.digest.hexdigest()
    survey.extra |= {"files": len(target.members), "classes": classes if classes is not None else "unknown"}
    survey.extra["background_images"] = reading.empty


def _numbers(line: str) -> list[float] | None:
    """The numbers of a row; None for anything else."""
    try:
        return [float(field) for field in line.split()]
    except ValueError:
        return None


class _Reading:
    def __init__(self, survey: "Survey", classes: int | None, key_points: tuple[int, int] | None) -> None:
        self.survey, self.classes, self.key_points = survey, classes, key_points
        self.path = ""
        self.digest = FolderDigest()
        self.empty = 0

    def file(self, path: str) -> None:
        """Judge one label file; an empty one is an image with nothing in it."""
        self.path = path
        with Source(path) as source:
            data = source.file.read(LARGEST + 1)
            self.digest.add(path, sha256(data).hexdigest())
            self.survey.size += source.size
        if len(data) > LARGEST:
            self._sight("yolo-large", 1, 0, f"{source.size} bytes", b"")
            return
        if not data.strip():
            self.empty += 1
            return
        seen: dict[tuple[float, ...], int] = {}
        offset = 0
        for number, raw in enumerate(data.split(b"\n"), 1):
            if raw.strip():
                self._row(raw, number, offset, seen)
            offset += len(raw) + 1

    def _row(self, raw: bytes, number: int, offset: int, seen: dict[tuple[float, ...], int]) -> None:
        line = line_of(raw, number, offset)
        self.survey.records += 1
        fields = _numbers(line.text)
        if fields is None or not all(map(math.isfinite, fields)):
            self._sight("yolo-number", number, offset, "a field that is no finite number", raw)
            return
        if not self._width(len(fields)):
            self._sight("yolo-columns", number, offset, f"{len(fields)} columns", raw)
            return
        self._class(fields[0], number, offset, raw)
        self._bounds(fields, number, offset, raw)
        if seen.setdefault(tuple(fields), number) != number:
            self._sight("yolo-twice", number, offset, f"line {seen[tuple(fields)]} again", raw)

    def _width(self, columns: int) -> bool:
        if self.key_points is not None:
            return columns == 5 + self.key_points[0] * self.key_points[1]
        return columns == 5 or (columns >= 7 and columns % 2 == 1)

    def _class(self, label: float, number: int, offset: int, raw: bytes) -> None:
        if label < 0 or label != int(label) or (self.classes is not None and label >= self.classes):
            self._sight("yolo-class", number, offset, f"class {label:g}", raw)
            return
        self.survey.tally.label(int(label), number, self.survey.records)

    def _bounds(self, fields: Sequence[float], number: int, offset: int, raw: bytes) -> None:
        coordinates = fields[1:5] if self.key_points is not None else fields[1:]
        outside = [value for value in coordinates if not -MARGIN <= value <= 1 + MARGIN]
        flat = len(fields) == 5 and (fields[3] <= 0 or fields[4] <= 0)
        if outside:
            self._sight("yolo-bounds", number, offset, f"{outside[0]:g}", raw)
        elif flat:
            self._sight("yolo-bounds", number, offset, f"a box of {fields[3]:g} x {fields[4]:g}", raw)

    def _sight(self, name: str, line: int, offset: int, measured: str, content: bytes) -> None:
        place = Location(self.path, line, byte_offset=offset)
        self.survey.faults.sight(name, place, measured, content)
