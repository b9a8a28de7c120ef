"""Sounds and images that the records name: missing, named twice, not named at all, too many for their text."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.record import Fault, Record, texts
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired
from trainproof_ci.typed import Any

PLACEHOLDERS = {"images": "<image>", "videos": "<video>", "audios": "<audio>"}


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
    Fix: correct the id or remove the wrong row. Segments of one file at several offsets are fine.
    """
    assert data.media is not None
    for firing in fired(data, "dup-id", "a file is named with two different texts", "{n} rows", "one text a file"):
        first = data.media.first_of_twice
        yield firing._replace(related=(first,) if first is not None else ())


@rule("TP-MEDIA-COLUMNS", Severity.FAIL, needs=("media",))
def no_file_name(data: Survey, limits: Limits) -> Iterator[Firing]:
    """The column that names the files is missing.

    Why: the loader of image and audio folders matches rows to files by `file_name` alone; without it the metadata is
    ignored and the model learns from folder names.
    Fix: rename the column to `file_name`.
    """
    assert data.shape is not None
    if not data.shape.name.startswith("hf-"):
        raise StandDown("not the metadata of an image or audio folder")
    columns = data.columns.named()
    if data.records and not {"file_name", "file_names", *(f"{kind}_file_name" for kind in KINDS)} & columns.keys():
        yield Firing(
            'the column "file_name" is missing', f"{len(columns)} other columns", "file_name", Places(data.location())
        )


KINDS = ("image", "audio", "video", "mask")


@rule("TP-MEDIA-COUNT", Severity.FAIL, needs=("turns",), per="record")
def other_number(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A record has another number of images than places for them.

    Why: the processor raises "number of images does not match number of tokens" in the middle of an epoch, or shifts
    every image to the wrong sentence.
    Fix: one `<image>` (`<video>`, `<audio>`) in the text for each file of the list.
    """
    assert data.shape is not None
    for key, placeholder in PLACEHOLDERS.items():
        files: Any = record.value.get(key)
        if not isinstance(files, list):
            continue
        said = (text for turn in data.shape.turns for _, text in texts(record.value.get(turn)))
        places = sum(text.count(placeholder) for text in said)
        parts = _typed_parts(record.value, data.shape.turns, key[:-1])
        if places != len(files) and (places or not parts):
            yield Fault(
                f'"{key}" and the places for them differ in number', f"{places} {placeholder}, {len(files)} {key}",
                "as many places as files", key=key,
            )  # fmt: skip
            return


def _typed_parts(value: Any, turns: tuple[str, ...], kind: str) -> bool:
    """Whether the messages place their media as typed parts, which count for themselves."""
    for key in turns:
        for message in value.get(key) or ():
            content = message.get("content") if isinstance(message, dict) else None
            if isinstance(content, list) and any(isinstance(p, dict) and p.get("type") == kind for p in content):
                return True
    return False
