"""Sounds and images that the records name: missing, named twice, not named at all, too many for their text."""

from collections.abc import Iterator, Mapping

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.record import Fault, Record, texts
from trainproof_ci.readers.dataset.shapes import dicts
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import Turn
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired
from trainproof_ci.typed import Any


@rule("TP-MEDIA-MISSING", Severity.FAIL, needs=("media",), limits={"share": 0.2})
def missing_file(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A record names a file that is not there.

    Why: piper and Coqui skip such rows in silence or stop at the first; a whole voice was trained on a tenth of its
    clips that way.
    Fix: add the file or remove the row.
    Stands down: when none, or less than a fifth, of the named files are in the checkout: the media live elsewhere then.
    """
    media = data.media
    assert media is not None
    looked = media.named - media.elsewhere
    if not looked or media.present < max(1, limits["share"] * looked):
        raise StandDown(f"the media are not in the checkout: {media.present} of {media.named} named files are here")
    yield from fired(
        data,
        "media-missing",
        "a record names a file that is not there",
        "{n} of " + f"{looked} files",
        "every named file",
    )


@rule("TP-MEDIA-DUP-ID", Severity.FAIL, needs=("media",))
def two_texts(data: Survey, limits: Limits) -> Iterator[Firing]:
    """One file is named with two different texts.

    Why: at most one of them is what is said in it; the model is taught both.
    Fix: correct the id or remove the wrong row. Segments of one file are fine where a field says which is meant: `offset`,
    `start`, `end_time`, `segment_id`, `channel`. Where most of the files have several texts, which may be meant so, it
    is a warning.
    Stands down: where both sides of a merge conflict stand in the file.
    """
    assert data.media is not None
    if data.sighted("conflict") is not None:
        raise StandDown("both sides of a merge conflict stand in the file")
    severity = Severity.WARN if data.media.by_design else None
    message = "a file is named with two different texts"
    for firing in fired(data, "dup-id", message, "{n} rows", "one text a file", severity):
        first = data.media.first_of_twice
        yield firing._replace(related=(first,) if first is not None else ())


@rule("TP-MEDIA-COLUMNS", Severity.FAIL, needs=("records",))
def no_file_name(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The column that names the files is missing.

    Why: the loader of image and audio folders matches rows to files by `file_name` alone; without it the metadata is
    ignored and the model learns from folder names.
    Fix: rename the column to `file_name`. A FAIL where the configuration says that this is such a folder; a warning for a
    `metadata.csv` or `metadata.jsonl` whose records name pictures or sounds that lie beside it.
    """
    configured = data.shape is not None and data.shape.name.startswith("hf-")
    if not configured and data.sighted("media-beside") is None:
        raise StandDown("only for the metadata of image and audio folders")
    severity = None if configured else Severity.WARN
    columns = data.columns.named()
    if data.records and not any(column.endswith(("file_name", "file_names")) for column in columns):
        found = f"{len(columns)} other columns"
        yield Firing(
            'the column "file_name" is missing', found, "file_name", Places(data.location()), severity=severity
        )


def _weighed(data: Survey, limits: Limits, found: list[Firing]) -> Iterator[Firing]:
    """What the whole file shows: places are missed where other records have some, and pictures likewise."""
    yield from found
    placed = data.sighted("media-placed") is not None
    severity = None if placed else Severity.WARN
    if placed or data.sighted("media-listed") is not None:
        message = "files have no place in the text" + ("" if placed else ", in this record or any other")
        yield from fired(data, "media-unplaced", message, "{first}; {n} records", "as many places as files", severity)
    if data.sighted("media-named") is not None:
        message = "a place in the text has no file, and other records have theirs"
        yield from fired(data, "media-unnamed", message, "{first}; {n} records", "as many files as places")


@rule("TP-MEDIA-COUNT", Severity.FAIL, needs=("turns",), per="record", weighed=_weighed)
def other_number(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A record has another number of images than places for them.

    Why: the processor raises "number of images does not match number of tokens" in the middle of an epoch, or shifts
    every image to the wrong sentence.
    Fix: one `<image>` (`<video>`, `<audio>`) in the text for each file of the list, or for the one that `image` names.
    A file where no record has such a place is a warning for lists, and nothing for single images: some trainers put the
    places in themselves. A place in a record without any file counts where other records have files, at the beginning or
    the end of what the user says: elsewhere it may be talked about.
    """
    assert data.shape is not None
    for placeholder, keys in PLACES.items():
        key = next((key for key in keys if _number(record.value.get(key))), keys[0])
        files = _number(record.value.get(key))
        if files is None:
            continue
        said = (text for turn in data.shape.turns for _, text in texts(record.value.get(turn)))
        places = sum(text.count(placeholder) for text in said)
        measured = f"{places} {placeholder}, {files} {placeholder[1:-1]}s"
        if files:
            _learn(data, record, listed=isinstance(record.value[key], list), placed=places > 0)
        if places == files:
            continue
        if places:
            message = f'"{key}" and the places for them differ in number'
            yield Fault(message, measured, "as many places as files", key=key)
            return
        if not _typed_parts(data, key.rstrip("s")):
            _sight(data, record, "media-unplaced", measured, key)
            return
    turn = next((turn for _, turns in data.talks for turn in turns if _shows_image(turn)), None)
    if turn is not None and not _names_media(record.value) and not _names_media(turn.message):
        _sight(data, record, "media-unnamed", "a place, 0 files", turn.key)


PLACES = {"<image>": ("images", "image"), "<video>": ("videos",), "<audio>": ("audios",)}
"""What stands in a text for a file, and the keys that name the files; single videos have places of many spellings."""


def _number(value: Any) -> int | None:
    """How many files a field names; None for a field that is no list of files and no name of one."""
    if isinstance(value, list):
        return len(value)
    return 1 if isinstance(value, str) and value.strip() else None


def _learn(data: Survey, record: Record, *, listed: bool, placed: bool) -> None:
    """Remember, once a file, what records with files have."""
    learned = {"media-named": True, "media-listed": listed, "media-placed": placed}
    for name in (name for name, seen in learned.items() if seen and data.sighted(name) is None):
        _sight(data, record, name, "", None)


def _sight(data: Survey, record: Record, name: str, measured: str, key: str | None) -> None:
    data.sight(
        name, record.line, byte_offset=record.byte_offset, key=key, record=record.number, measured=measured,
        content=record.raw,
    )  # fmt: skip


def _names_media(value: Mapping[str, Any]) -> bool:
    """Whether any field of a record or a message seems to hold media, whatever it is called."""
    return any(child and any(kind in key.lower() for kind in MEDIA_WORDS) for key, child in value.items())


MEDIA_WORDS = ("image", "img", "pic", "photo", "video", "audio", "media", "frame", "pixel", "file")


def _shows_image(turn: Turn) -> bool:
    """Whether the user says something with a picture before or behind it."""
    said = turn.content.strip() if turn.role == "user" and isinstance(turn.content, str) else ""
    return said.startswith("<image>") or said.endswith("<image>")


def _typed_parts(data: Survey, kind: str) -> bool:
    """Whether the messages place their media as typed parts, which count for themselves."""
    contents = (turn.message.get("content") for _, turns in data.talks for turn in turns)
    parts = (part for content in contents if isinstance(content, list) for part in dicts(content))
    return any(kind in str(part.get("type")) for part in parts)
