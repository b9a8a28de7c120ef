"""What lies beside YOLO labels: the images, which may be none, and a list of the classes in plain text."""

import os
from collections.abc import Iterator

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.label_files import IMAGES
from trainproof_ci.readers.dataset.whole import is_blank_or_page
from trainproof_ci.readers.pointers import LONGEST_POINTER, is_pointer
from trainproof_ci.readers.source import Head, leads_outside, read_begun
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey

SUFFIXES = frozenset(suffix.lower() for suffix in IMAGES)
LONGEST_LIST = 1 << 20
"""Bytes of a list of classes."""


def look_at_images(folder: str, survey: "Survey") -> None:
    """Look at the first bytes of every image in a folder; a pointer is an image that is not here."""
    here = 0
    for path in _images_in(folder):
        try:
            head = Head(path, *read_begun(path, LONGEST_POINTER))
        except Unreadable:
            continue
        if is_pointer(head):
            continue
        here += 1
        if is_blank_or_page(head):
            measured = f"{head.size} blank bytes" if head.whole and not head.start.strip() else "an HTML page"
            survey.faults.sight("no-image", Location(path, 1), measured if head.size else "0 bytes", b"")
    survey.extra["images"] = here


def _images_in(folder: str) -> Iterator[str]:
    """The images in a folder inside the working directory, in order; links are not followed."""
    if os.path.isabs(folder) or folder.startswith("..") or leads_outside(folder, os.path.realpath(".")):
        return
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return
    for name in sorted(names):
        if os.path.splitext(name)[1].lower() in SUFFIXES:
            yield f"{folder}/{name}"


def listed_classes(folder: str, top: str) -> int | None:
    """How many classes a `classes.txt` lists, one a line, in the folder of the labels or above it up to `top`."""
    while True:
        count = _lines_of(os.path.join(folder, "classes.txt"))
        if count is not None or folder in {top, "", "."}:
            return count
        folder = os.path.dirname(folder) or "."


def _lines_of(path: str) -> int | None:
    try:
        head = Head(path, *read_begun(path, LONGEST_LIST))
    except Unreadable:
        return None
    if is_blank_or_page(head) or is_pointer(head) or not head.whole:
        return None
    lines = head.start.rstrip().split(b"\n")
    return None if len(lines) == 1 and any(mark in lines[0].strip() for mark in b" ,;\t") else len(lines)
