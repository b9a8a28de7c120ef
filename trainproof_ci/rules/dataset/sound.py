"""Sounds: how long they are said to be, how long they are, and whether the text can be said in that time."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired


def _spoken(data: Survey) -> None:
    assert data.shape is not None
    if not data.shape.targets:
        raise StandDown("no text that is spoken")


@rule("TP-AUDIO-DURATION", Severity.FAIL, needs=("media",))
def wrong_duration(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A duration is missing, zero, or not that of the sound; or the file that a record names is no sound.

    Why: NeMo and lhotse filter by the stated duration: null raises, 0 and milliseconds in place of seconds make the
    whole file vanish from training without a word. A download that failed leaves 0 bytes or a web page under the name of a
    sound, and the loader stops there.
    Fix: write the duration of the file in seconds, or fetch the sound again. Compared with the header of WAV and FLAC files
    that are in the checkout; segments must not be longer than their file, and end inside it where an `offset` says where
    they begin. A Git LFS pointer counts as a file that is not in the checkout.
    """
    if data.sighted("no-sound") is None:
        _spoken(data)
    yield from fired(data, "no-sound", "a file that a record names is no sound", "{first}, {n} records", "a sound")
    yield from fired(
        data, "no-duration", "a duration is missing or cannot be one", "{first}, {n} records", "seconds > 0"
    )
    yield from fired(
        data, "other-duration", "a stated duration is not that of the sound", "{first}, {n} records", "the sound's own"
    )


@rule("TP-AUDIO-RATE", Severity.WARN, needs=("media",))
def too_fast(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A text is too long for its sound, or far too short.

    Why: nobody speaks 50 characters a second; the text belongs to another clip or the clip was cut. CTC and RNN-T
    losses become infinite when there are more tokens than frames. Sounds below a second may have 150 a second,
    because their lengths are rounded. A few words in an hour are mostly a duration in milliseconds: the record is
    filtered out as too long.
    Fix: align the text with the sound again, write its duration in seconds, or remove the record.
    """
    _spoken(data)
    yield from fired(
        data, "slow", "a text is far too short for its sound", "{first}, {n} records",
        "≥ 1 character in 20 s where a sound lasts over 5 minutes",
    )  # fmt: skip
    yield from fired(
        data, "rate", "a text is too long to be said in its sound", "{first}, {n} records", "≤ 50 characters a second"
    )


@rule("TP-AUDIO-LONG", Severity.WARN, needs=("media",))
def too_long(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A sound is longer than the model hears.

    Why: Whisper cuts sounds at 30 s and keeps the whole text, so it learns to invent the rest; others run out of memory.
    Fix: cut the recording into segments.
    Stands down: without `max-audio-seconds` and without `target: whisper`.
    """
    _spoken(data)
    if data.options.max_audio_seconds is None and data.options.target != "whisper":
        raise StandDown("no max-audio-seconds configured, and no target that has one")
    longest = data.options.max_audio_seconds or 30
    yield from fired(
        data, "long-audio", "a sound is longer than the model hears", "{first}, {n} records", f"≤ {longest:g} s"
    )
