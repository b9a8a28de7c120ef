"""The sounds and images that records name: which are there, how long they are, which are named twice."""

import os

from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.recordings import part_of
from trainproof_ci.readers.source import leads_outside
from trainproof_ci.readers.suffixes import SOUNDS
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.sound import Sound
    from trainproof_ci.readers.dataset.survey import Survey

FOLDERS = ("", "wavs", "wav", "audio", "audios", "clips", "images", "data")
SUFFIXES = ("", ".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a")
"""What may be missing at the end of a name."""
MOST_NAMES = 1_000_000
"""Names that are remembered to find one that stands twice."""
MOST_LISTINGS = 4096
TOLERANCE = 0.1
"""Seconds that a stated duration may differ by whatever its length: resampling and trimming round."""
RATIO = 1.5
"""A stated duration beyond this ratio to the header's is about another file or in another unit."""
SHORT = 1.0
"""Seconds; below, rounding makes the characters per second meaningless but for absurd ones."""

LONG = 300.0
"""Seconds; a shorter sound may well hold a single word."""
SPARSE = 20.0
"""Seconds for each character that even a sound of long silences does not take: in milliseconds every text is below."""


class Media:
    """Looks at the file that each record names, inside the working directory only."""

    def __init__(self, survey: "Survey") -> None:
        assert survey.shape is not None
        self.survey, self.shape = survey, survey.shape
        self.folder = os.path.dirname(survey.path)
        self.root = os.path.realpath(".")
        self.named = self.present = 0
        self.elsewhere = self.pointers = 0
        self.first_of_twice: Location | None = None
        self._seen: dict[tuple[str, int], tuple[int, int, int]] = {}
        self._several: set[tuple[str, int]] = set()
        self._listed: dict[str, frozenset[str]] = {}
        self._way: tuple[str | None, str] = ("", "")
        """The folder and the suffix by which the last name was found."""
        self._last: tuple[str, Sound] | None = None

    def add(self, record: Record) -> None:
        """Look at what one record names."""
        length: float | None = None
        for key in self.shape.media:
            name = record.value.get(key)
            if isinstance(name, str) and name.strip():
                self._twice(name, key, record)
                length = self._look(name.strip(), key, record)
        if self.shape.targets:
            self._duration(record, length)

    def _twice(self, name: str, key: str, record: Record) -> None:
        text = record.value.get(self.shape.targets[0]) if self.shape.targets else None
        where = (name, hash(part_of(record.value)))
        if len(self._seen) >= MOST_NAMES:
            self.survey.extra["names_compared"] = f"the first {MOST_NAMES}"
            return
        line, number, said = self._seen.setdefault(where, (record.line, record.number, hash(str(text))))
        if number != record.number and said != hash(str(text)):
            self.first_of_twice = self.first_of_twice or Location(
                self.survey.path, line or None, record=number, key=key, note="first text"
            )
            self._several.add(where)
            self._sight("dup-id", record, key, "2 different texts")

    @property
    def by_design(self) -> bool:
        """Whether most of the named files have several texts, as captions and segments have that nothing tells apart."""
        return 2 * len(self._several) > len(self._seen)

    def _look(self, name: str, key: str, record: Record) -> float | None:
        """The length of the sound in seconds, where the file is there and says so."""
        self.named += 1
        if "://" in name or name.startswith(("/", "\\")) or name[1:2] == ":" or "\0" in name:
            self.elsewhere += 1
            return None
        path = self._found(name.replace("\\", "/"))
        if path is None:
            self._sight("media-missing", record, key, "")
            return None
        if not path.lower().endswith(SOUNDS):
            self.present += 1
            return None
        from trainproof_ci.readers.dataset.sound import look  # only sounds that are here need it

        if self._last is None or self._last[0] != path:  # the segments of a recording stand side by side
            self._last = path, look(path)
        sound = self._last[1]
        if not sound.here:
            self.elsewhere += 1
            self.pointers += 1
            self.survey.extra["pointers"] = self.pointers
            return None
        self.present += 1
        if sound.flaw:
            self._sight("no-sound", record, key, sound.flaw)
        return sound.seconds

    def _found(self, name: str) -> str | None:
        if self._there(*self._way, name):
            return self._path(*self._way, name)
        if not self.present and self.named > 1000:
            return None  # none of a thousand is here: the media are not in the checkout
        for folder in (*FOLDERS, None):
            above, base = os.path.split(self._path(folder, "", name))
            names = self._names(above)
            suffix = next((suffix for suffix in SUFFIXES if base + suffix in names), None) if names else None
            if suffix is not None:
                self._way = (folder, suffix)
                return self._path(folder, suffix, name)
        return None

    def _path(self, folder: str | None, suffix: str, name: str) -> str:
        """Where a name would lie: beside the dataset, in one of the usual folders, or below the working directory."""
        parts = (name,) if folder is None else (self.folder, folder, name)
        return os.path.normpath(os.path.join(*parts)) + suffix

    def _there(self, folder: str | None, suffix: str, name: str) -> bool:
        above, base = os.path.split(self._path(folder, suffix, name))
        return base in self._names(above)

    def _names(self, folder: str) -> frozenset[str]:
        """What lies in a folder; one that its own folder does not hold is not asked for."""
        names = self._listed.get(folder)
        if names is None:
            above, base = os.path.split(folder)
            there = base in {"", ".."} or base in self._names(above)
            if len(self._listed) >= MOST_LISTINGS:
                self._listed.clear()
            names = self._listed[folder] = self._listing(folder) if there else frozenset()
        return names

    def _listing(self, folder: str) -> frozenset[str]:
        here = folder or "."
        if here.startswith("..") or os.path.isabs(here) or leads_outside(here, self.root):
            return frozenset()
        try:
            return frozenset(os.listdir(here))
        except OSError:
            return frozenset()

    def _duration(self, record: Record, length: float | None) -> None:
        """Hold the stated duration against the header, and the text against the time there is to say it in."""
        stated = None if part_of(record.value) else length
        if "duration" in record.value:
            stated = self._stated(record, record.value["duration"], length)
        text = record.value.get(self.shape.targets[0])
        if stated is None or stated <= 0:
            return
        longest = self.survey.options.max_audio_seconds or (30.0 if self.survey.options.target == "whisper" else None)
        if longest is not None and stated > longest:
            self._sight("long-audio", record, "duration", f"{stated:g} s")
        if not isinstance(text, str):
            return
        measured = f"{len(text)} characters in {stated:g} s"
        if len(text) > (150 * stated if stated < SHORT else 50 * stated):
            self._sight("rate", record, self.shape.targets[0], measured)
        elif stated > LONG and len(text) < stated / SPARSE and any(map(str.isalnum, text)):
            self._sight("slow", record, self.shape.targets[0], measured)

    def _stated(self, record: Record, stated: Any, length: float | None) -> float | None:
        if isinstance(stated, str):
            try:
                stated = float(stated)
            except ValueError:
                stated = None
        if stated is None or isinstance(stated, bool) or not isinstance(stated, (int, float)) or not 0 < stated < 1e9:
            found = "null" if stated is None else "a number that is no duration"
            self._sight("no-duration", record, "duration", found)
            return None
        if length is None:
            return float(stated)
        if part_of(record.value):
            start = record.value.get("offset")  # of all that may say where a segment begins, this alone is in seconds
            begun = start if isinstance(start, (int, float)) and not isinstance(start, bool) else 0
            beyond = begun + stated > length * 1.05 + TOLERANCE
        else:
            beyond = abs(stated - length) > TOLERANCE and not length / RATIO <= stated <= length * RATIO
        if beyond:
            self._sight("other-duration", record, "duration", f"{stated:g} s stated, {length:g} s in the header")
            return None
        return float(stated)

    def _sight(self, name: str, record: Record, key: str, measured: str) -> None:
        self.survey.sight(
            name, record.line, byte_offset=record.byte_offset, key=key, record=record.number, measured=measured,
            content=record.raw,
        )  # fmt: skip
