"""Which text files are YOLO labels: where they lie, what lies beside them, and how their first row looks."""

import os
import re

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.readers.dataset.examiner import BOM, MARKERS
from trainproof_ci.readers.dataset.listed import once_a_folder
from trainproof_ci.readers.pointers import is_pointer
from trainproof_ci.readers.source import Head

NAMES = ("data.yaml", "data.yml", "dataset.yaml", "dataset.yml")
"""What the YAML of a dataset is called."""
NOT_LABELS = frozenset(
    {"classes.txt", "labels.txt", "train.txt", "val.txt", "test.txt", "obj.names", "readme.txt", "notes.txt"}
)
IMAGES = (".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG", ".bmp", ".webp", ".tif", ".tiff")
SAMPLED = 64
"""Files of a folder that are looked at to learn whether it holds labels."""
BOX = 5
"""Columns of the narrowest label."""
NARROW = range(1, BOX - 1)
"""Columns of what may be a list or a count rather than a label with something missing."""
_WRITTEN_BY_A_MODEL = later(
    r"(?:runs?|outputs?|results?|infer(?:ence)?|pred(?:s|icted|ict|ictions?)?|detect(?:ed|ions?)?)[\d_-]*\Z",
    re.IGNORECASE,
)
_BETWEEN = later(rb"[\s,;]+")


def marks_conflict(line: bytes) -> bool:
    """Whether a line of a label file, or of the YAML beside it, marks a merge conflict."""
    return line.startswith(MARKERS) or line.rstrip() == b"======="


def is_label(head: Head) -> bool:
    """A `.txt` below a folder `labels` that has `images` or a `data.yaml` beside it, and begins with a row of numbers.

    One that begins with anything else is a label all the same where its image is there or the row looks like a damaged
    one, if other files of its folder are labels: a whole folder of such rows holds labels in another format.
    """
    if head.suffix != ".txt" or head.name.lower() in NOT_LABELS or top_of(head.path) is None:
        return False
    first = first_row(head.start)
    numbers = numbers_of(first)
    if is_pointer(head):
        return True
    if numbers is not None and len(numbers) not in NARROW:
        return len(numbers) % 2 == 1 or not _is_prediction(head.path)
    folder, there = os.path.dirname(head.path), has_image(head.path)
    if numbers is not None:
        return there or (_holds_labels(folder) and not os.path.isdir(images_of(folder)))
    return (there or _looks_damaged(first)) and _holds_labels(folder)


def top_of(path: str) -> str | None:
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


def first_row(start: bytes) -> bytes:
    """The first line that is not blank, without a byte-order mark."""
    return next((line for line in start.removeprefix(BOM).split(b"\n") if line.strip()), b"")


def numbers_of(row: bytes | str) -> list[float] | None:
    """The numbers of a row; None for anything else."""
    try:
        return [float(field) for field in row.split()]
    except ValueError:
        return None


def images_of(path: str) -> str:
    """Where ultralytics looks for what a path below `labels` belongs to: the same path below `images`."""
    parts = path.split("/")
    at = len(parts) - 1 - parts[::-1].index("labels")
    return "/".join((*parts[:at], "images", *parts[at + 1 :]))


def has_image(path: str) -> bool:
    """Whether the image of a label file is there."""
    stem = os.path.splitext(images_of(path))[0]
    return any(os.path.lexists(stem + suffix) for suffix in IMAGES)


def _is_prediction(path: str) -> bool:
    """Whether a file with one column too many, or none, was written by a model: its confidence, in a folder of results."""
    folder = os.path.dirname(path)
    written = any(_WRITTEN_BY_A_MODEL.match(part) is not None for part in folder.split("/"))
    return written and not os.path.lexists(images_of(folder))


def _looks_damaged(row: bytes) -> bool:
    """Whether a row may have been a label: a merge conflict, or mostly numbers however they are parted."""
    fields = _BETWEEN.split(row.strip())
    many = sum(numbers_of(field) is not None for field in fields)
    return row.startswith(MARKERS) or (many >= BOX - 1 and many * 2 > len(fields))


def _any_label(folder: str) -> bool:
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".txt"))
    except OSError:
        return False
    return any(_begins_like_one(os.path.join(folder, name)) for name in names[:SAMPLED])


def _begins_like_one(path: str) -> bool:
    try:
        first = first_row(Head.of(path).start)
    except Unreadable:
        return False
    return len(numbers_of(first) or ()) >= BOX


_holds_labels = once_a_folder(_any_label)
