"""YOLO labels: one text file an image, one object a line: class, then a box, a polygon or key points in 0 … 1."""

import math
from collections.abc import Sequence

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.delimited import line_of
from trainproof_ci.readers.dataset.digests import FolderDigest, sha256
from trainproof_ci.readers.dataset.examiner import BOM
from trainproof_ci.readers.dataset.label_files import BOX, images_of, is_label, marks_conflict, numbers_of, top_of
from trainproof_ci.readers.dataset.whole import refuse_no_text
from trainproof_ci.readers.pointers import refuse_pointer
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
AXES = 2
"""Numbers of a key point that say where it lies."""
SEEN = (0, 1, 2)
"""How well a key point is seen, the last number of three."""
NO_TEXT = {"TP-FILE-NOT-DATA": "not-data", "TP-ENC-UTF16": "wide"}
"""What a label file may be in place of text, by the rule about it."""


def recognise(head: Head) -> str | None:
    """Label files by where they lie and what their first row is."""
    return "yolo-labels" if is_label(head) else None


def survey_members(target: "Target", settings: "Settings", survey: "Survey") -> None:
    """Measure all label files of one folder; each object is a record of its own file."""
    from trainproof_ci.readers.dataset.label_images import (  # recognising needs none of it
        listed_classes,
        look_at_images,
    )
    from trainproof_ci.readers.dataset.label_names import Names, names_for

    top, images = top_of(target.members[0]), images_of(target.members[0]).rpartition("/")[0]
    names = names_for(top, images) if top is not None else Names()
    classes = settings.dataset(target.path).num_labels or names.classes
    listed = listed_classes(target.path, top) if classes is None and top is not None else None
    reading = _Reading(survey, classes, names.key_points, listed)
    for path in target.members:
        reading.file(path)
    for flaw in names.flaws:
        survey.faults.sight(flaw.name, flaw.place, flaw.measured, b"")
    if classes is None:
        survey.unread = survey.unread or names.unread
    survey.settle((), None)
    survey.sha256 = reading.digest.hexdigest()
    survey.extra["files"] = len(target.members)
    look_at_images(images, survey)
    survey.extra["classes"] = classes or (f"{listed} in classes.txt" if listed else "unknown")
    survey.extra["background_images"] = reading.empty


class _Reading:
    def __init__(
        self, survey: "Survey", classes: int | None, key_points: tuple[int, int] | None, listed: int | None
    ) -> None:
        self.survey, self.classes, self.key_points, self.listed = survey, classes, key_points, listed
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
        if self._is_no_text(Head(path, data, len(data))):
            return
        if data.startswith(BOM):
            self._sight("bom", 1, 0, "EF BB BF", b"")
        seen: dict[tuple[float, ...], int] = {}
        offset = 0
        for number, raw in enumerate(data.split(b"\n"), 1):
            if raw.strip():
                self._row(raw, number, offset, seen)
            offset += len(raw) + 1

    def _is_no_text(self, head: Head) -> bool:
        """Whether a file is none or not here: the first pointer says why, and the other files are judged."""
        try:
            refuse_no_text(head)
            refuse_pointer(head)
        except Unreadable as why:
            name = NO_TEXT.get(why.rule)
            self._sight(name or "yolo-pointer", 1, 0, why.measured, b"")
            self.survey.unread = self.survey.unread or (why if name is None else None)
            return True
        return False

    def _row(self, raw: bytes, number: int, offset: int, seen: dict[tuple[float, ...], int]) -> None:
        if marks_conflict(raw):
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
        """What of a row lies in 0 … 1: a polygon, or a box and its key points. None for a row that is neither.

        The loader wants it of key points that are not seen, too. Where nothing says how many there are, a row holds some
        if each third number says how well one is seen; one that is not seen may then lie anywhere.
        """
        columns, points = len(fields), fields[BOX:]
        if self.key_points is not None:
            count, width = self.key_points
            if columns != BOX + count * width:
                return None
            return [*fields[1:BOX], *(value for at, value in enumerate(points) if at % width < AXES or value < 0)]
        if columns > BOX and columns % 3 == BOX % 3 and all(number in SEEN for number in points[2::3]):
            return [
                *fields[1:BOX],
                *(value for at, value in enumerate(points) if at % 3 < AXES and points[at // 3 * 3 + 2]),
            ]
        return fields[1:] if columns == BOX or (columns > BOX and columns % 2 == 1) else None

    def _class(self, label: float, number: int, offset: int, raw: bytes) -> None:
        if label < 0 or label != int(label) or (self.classes is not None and label >= self.classes):
            self._sight("yolo-class", number, offset, f"class {label:g}", raw)
            return
        if self.listed is not None and label >= self.listed:
            self._sight("yolo-unlisted", number, offset, f"class {label:g}, {self.listed} listed", raw)
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
