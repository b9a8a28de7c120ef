"""YOLO labels: one text file an image, one object a line: class, then a box, a polygon or key points in 0 … 1."""

import math
from collections.abc import Sequence

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.delimited import line_of
from trainproof_ci.readers.dataset.digests import FolderDigest, sha256
from trainproof_ci.readers.dataset.examiner import BOM, MARKERS
from trainproof_ci.readers.dataset.label_files import BOX, images_of, is_label, numbers_of, top_of
from trainproof_ci.readers.dataset.label_names import Names, names_for
from trainproof_ci.readers.pointers import is_pointer, refuse_pointer
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.dataset.survey import Survey

LARGEST = 16 << 20
"""Bytes of one label file; an image with more objects is none."""
MARGIN = 0.01
"""Beyond 0 … 1 by this much is rounding: the tolerance of ultralytics."""
SEEN = (0, 1, 2)
"""How well a key point is seen, the last number of three."""


def recognise(head: Head) -> str | None:
    """Label files by where they lie and what their first row is."""
    return "yolo-labels" if is_label(head) else None


def survey_members(target: "Target", settings: "Settings", survey: "Survey") -> None:
    """Measure all label files of one folder; each object is a record of its own file."""
    top = top_of(target.members[0])
    names = names_for(top, images_of(target.path)) if top is not None else Names()
    classes = settings.dataset(target.path).num_labels or names.classes
    reading = _Reading(survey, classes, names.key_points)
    for path in target.members:
        reading.file(path)
    if names.other_count is not None:
        measured, place = names.other_count
        survey.faults.sight("yolo-names", place, measured, b"")
    survey.settle((), None)
    survey.sha256 = reading.digest.hexdigest()
    survey.extra |= {"files": len(target.members), "classes": classes if classes is not None else "unknown"}
    survey.extra["background_images"] = reading.empty


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
        if is_pointer(head := Head(path, data, len(data))):
            self._pointer(head)
            return
        if data.startswith(BOM):
            self._sight("bom", 1, 0, "EF BB BF", b"")
        seen: dict[tuple[float, ...], int] = {}
        offset = 0
        for number, raw in enumerate(data.split(b"\n"), 1):
            if raw.strip():
                self._row(raw, number, offset, seen)
            offset += len(raw) + 1

    def _pointer(self, head: Head) -> None:
        """A file that is not here; the first of them says why, and the others are judged."""
        self._sight("yolo-pointer", 1, 0, "", b"")
        try:
            refuse_pointer(head)
        except Unreadable as why:
            self.survey.unread = self.survey.unread or why

    def _row(self, raw: bytes, number: int, offset: int, seen: dict[tuple[float, ...], int]) -> None:
        if raw.startswith(MARKERS) or raw.rstrip() == b"=======":
            self._sight("conflict", number, offset, "conflict markers", raw)
            return
        line = line_of(raw, number, offset)
        self.survey.records += 1
        fields = numbers_of(line.text)
        if fields is None or not all(map(math.isfinite, fields)):
            self._sight("yolo-number", number, offset, "a field that is no finite number", raw)
            return
        if (coordinates := self._coordinates(fields)) is None:
            self._sight("yolo-columns", number, offset, f"{len(fields)} columns", raw)
            return
        self._class(fields[0], number, offset, raw)
        self._bounds(fields, coordinates, number, offset, raw)
        if seen.setdefault(tuple(fields), number) != number:
            self._sight("yolo-twice", number, offset, f"line {seen[tuple(fields)]} again", raw)

    def _coordinates(self, fields: Sequence[float]) -> Sequence[float] | None:
        """What of a row lies in 0 … 1: of key points the box, of a polygon all of it. None for a row that is neither.

        Where nothing says how many key points there are, a row holds some if each third number says how well one is seen.
        """
        columns = len(fields)
        if self.key_points is not None:
            return fields[1:BOX] if columns == BOX + self.key_points[0] * self.key_points[1] else None
        if columns > BOX and columns % 3 == BOX % 3 and all(number in SEEN for number in fields[BOX + 2 :: 3]):
            return fields[1:BOX]
        return fields[1:] if columns == BOX or (columns > BOX and columns % 2 == 1) else None

    def _class(self, label: float, number: int, offset: int, raw: bytes) -> None:
        if label < 0 or label != int(label) or (self.classes is not None and label >= self.classes):
            self._sight("yolo-class", number, offset, f"class {label:g}", raw)
            return
        self.survey.tally.label(int(label), number, self.survey.records)

    def _bounds(
        self, fields: Sequence[float], coordinates: Sequence[float], number: int, offset: int, raw: bytes
    ) -> None:
        outside = [value for value in coordinates if not -MARGIN <= value <= 1 + MARGIN]
        flat = len(fields) == 5 and (fields[3] <= 0 or fields[4] <= 0)
        if outside:
            self._sight("yolo-bounds", number, offset, f"{outside[0]:g}", raw)
        elif flat:
            self._sight("yolo-bounds", number, offset, f"a box of {fields[3]:g} x {fields[4]:g}", raw)

    def _sight(self, name: str, line: int, offset: int, measured: str, content: bytes) -> None:
        place = Location(self.path, line, byte_offset=offset)
        self.survey.faults.sight(name, place, measured, content)
