"""Which headers make a table a dataset: a table of measurements or of an app's translations is none of our business."""

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from trainproof_ci.readers.dataset.shapes import SHAPES, Shape
from trainproof_ci.readers.dataset.splits import EVAL_WORDS, TRAIN_WORDS
from trainproof_ci.readers.suffixes import SOUNDS as SOUND_FILES
from trainproof_ci.readers.suffixes import is_metadata
from trainproof_ci.typed import Any

TEXTS = frozenset(
    {"text", "sentence", "sentence1", "premise", "question1", "tweet", "review", "utterance", "comment_text"}
)  # fmt: skip
LABELS = frozenset(
    {"label", "labels", "sentiment", "intent", "emotion", "class", "category", "target", "is_duplicate", "toxic"}
)
PAIRS = (
    {"prompt", "completion"}, {"prompt", "response"}, {"instruction", "output"}, {"instruction", "response"},
    {"question", "answer"}, {"prompt", "chosen", "rejected"}, {"chosen", "rejected"},
)  # fmt: skip
SOUNDS = frozenset({"audio", "audio_filepath", "audio_path", "audio_file", "wav_filename", "wav", "wav_path"})
SPOKEN = frozenset({"sentence", "text", "transcript", "transcription", "normalized_text"})
FILES = frozenset({"path", "file_name", "filename", "file"})
"""Columns that name a sound only beside one that is said: a table of files with a text is many things."""
SAID = frozenset({"sentence", "transcript", "transcription"})
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff")
MOST_BESIDE = 100_000
"""Names of pictures and sounds of one folder that are kept."""
IMAGES = frozenset({"image", "images", "img", "picture", "photo", "image_path", "image_file", "image_name", "image_id"})
"""Columns that name a picture in a metadata file beside pictures, which its loader looks for in `file_name`."""
RUN_COLUMNS = frozenset({"epoch", "step", "global_step", "iteration", "iter", "loss", "train_loss", "train/loss"})
SPLITS = frozenset((*TRAIN_WORDS, *EVAL_WORDS, "validate", "holdout"))


def is_dataset(names: Iterable[str], path: str) -> bool:
    """Whether a header with these column names, in a file at this path, belongs to a dataset."""
    columns = {name.strip().lower() for name in names}
    if columns & RUN_COLUMNS:
        return False
    if any(pair <= columns for pair in PAIRS):
        return True
    if columns & TEXTS and columns & LABELS:
        return True
    if (columns & SOUNDS and columns & SPOKEN) or (columns & FILES and columns & SAID):
        return True
    if is_metadata(path) and ("file_name" in columns or (columns & FILES and columns & SPOKEN)):
        return True
    if is_metadata(path) and columns & (FILES | SOUNDS | IMAGES) and media_beside(path):
        return True
    if columns == {"text"}:
        return True
    return bool(columns & (TEXTS | LABELS)) and _named_after_a_split(path)


def media_beside(path: str) -> frozenset[str]:
    """The pictures and sounds in the folder of a file, by name; of many the first ones."""
    try:
        with os.scandir(os.path.dirname(path) or ".") as listing:
            named = (entry.name for entry in listing if entry.name.lower().endswith((*PICTURES, *SOUND_FILES)))
            return frozenset(islice(named, MOST_BESIDE))
    except OSError:
        return frozenset()


def names_media_beside(values: Iterable[Mapping[str, Any]], path: str) -> bool:
    """Whether one of these records of a file names a picture or a sound that lies beside it."""
    beside = media_beside(path)
    return bool(beside) and any(
        isinstance(child, str) and child in beside for value in values for child in value.values()
    )


def _named_after_a_split(path: str) -> bool:
    stem = path.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()
    return not SPLITS.isdisjoint(stem.replace("-", "_").split("_"))


RENAMED: tuple[tuple[str, Mapping[str, tuple[str, ...]]], ...] = (
    ("prompt-completion", {"prompt": ("prompt", "question"), "completion": ("completion", "response", "answer")}),
    ("alpaca", {"instruction": ("instruction",), "output": ("output", "response")}),
    (
        "whisper",
        {
            "audio": (*sorted(SOUNDS), "path", "filename", "file", "file_name"),
            "sentence": ("sentence", "transcript", "transcription", "text"),
        },
    ),
)
"""The shapes that tables spell with other column names, and those names."""


ABOUT_A_ROW = frozenset(
    {"", "unnamed: 0", "idx", "index", "split", "fold", "source", "url", "date", "time", "timestamp", "created_at", "user", "author", "annotator", "confidence"}
)  # fmt: skip
"""Columns that say where a row is from: two rows that differ in nothing else ask the same."""


def _told_by(columns: Sequence[str], name: str, fields: Mapping[str, str]) -> Shape:
    """A shape by the names that a table has for its fields.

    All other columns but numbers and origins are part of what is asked, as a second sentence is.
    """
    shape = SHAPES[name].renamed(fields)
    if shape.media:
        return shape
    known = {*shape.required, *shape.prompts}
    beside = [column for column in columns if column not in known and not _is_about_a_row(column.strip().lower())]
    return shape._replace(beside=tuple(beside))


def _is_about_a_row(column: str) -> bool:
    return column in ABOUT_A_ROW or column.endswith("id")


def shape_of(columns: Sequence[str]) -> Shape | None:
    """The shape that a header alone shows, with its own names for the fields; None where the records must show it."""
    names = {name.lower(): name for name in columns}
    if "chosen" in names or "messages" in names:
        return None
    if "file_name" in names and len(columns) > 1 and SAID.isdisjoint(names):
        return SHAPES["hf-imagefolder"]
    texts, labels = sorted(TEXTS & names.keys()), sorted(LABELS & names.keys())
    if len(texts) == 1 and len(labels) == 1:
        return _told_by(columns, "text-label", {"text": names[texts[0]], "label": names[labels[0]]})
    for shape, fields in RENAMED:
        found = {field: next((name for name in spelled if name in names), None) for field, spelled in fields.items()}
        if all(found.values()):
            return _told_by(columns, shape, {field: names[name] for field, name in found.items() if name})
    return None
