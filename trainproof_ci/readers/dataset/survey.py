"""What one pass over a dataset measures: the facts that the dataset rules judge."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from trainproof_ci.model import Chart, Firing
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset import shapes, turns
from trainproof_ci.readers.dataset.columns import Columns
from trainproof_ci.readers.dataset.detection import detect, detect_named, upheld
from trainproof_ci.readers.dataset.duplicates import Duplicates, Repeat
from trainproof_ci.readers.dataset.faults import Faults, Sighting
from trainproof_ci.readers.dataset.habits import TOKENS, fitted
from trainproof_ci.readers.dataset.lines import Index
from trainproof_ci.readers.dataset.marks import marks_beside
from trainproof_ci.readers.dataset.needs import FORMATS, UNLIKE, lacks_format, offers
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.splits import split_of
from trainproof_ci.readers.dataset.tally import Tally
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.errors import Unreadable
    from trainproof_ci.readers.dataset.leaks import Leaks
    from trainproof_ci.readers.dataset.media import Media
    from trainproof_ci.registry import Limits, Rule

RecordJudge = tuple[str, Callable[..., Iterable[Any]], "Limits"]


class Survey:
    """The facts about one dataset file. A format reader fills it: `settle`, then `take` and `sight` in file order."""

    def __init__(self, target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> None:
        self._target, self._all_rules = target, rules
        self.path, self.format, self.size = target.path, target.format, target.size
        self.settings, self.options = settings, settings.dataset(target.path)
        self.shape: shapes.Shape | None = None
        self.encoding = "utf-8"
        self.sha256 = ""
        self.records = 0
        self.lines = 0
        self.first_line = 0
        self.index = Index()
        self.faults = Faults(target.path)
        self.columns = Columns()
        self.duplicates = Duplicates()
        self.tally = Tally(target.path)
        self.talks: list[tuple[str, list[turns.Turn]]] = []
        self.partial: list[tuple[str, list[turns.Turn], bool]] = []
        """The conversations, and the parts of one, of the record that is being judged."""
        self.spaced = False
        """Whether targets begin with a space as a rule, judged by the first records."""
        self.begun: Callable[[], object] = int
        """Called when the shape is settled and no process will be forked any more; the digest starts then."""
        self.extra: dict[str, object] = {}
        """More facts for the summary, by name; a format adds its own (delimiter, columns…)."""
        self.marks = marks_beside(target.path)
        self.split = split_of(target.path, settings)
        self.one_of_many = False
        """Whether files of the same kind lie beside this one of labels and nothing names the split: one file a class."""
        self.media: Media | None = None
        """The files that the records name, where the shape names any: every record must be taken then."""
        self.leaks: Leaks | str = "the splits were not compared"
        self.unread: Unreadable | None = None
        """Why some of the files were not read, where the others are judged."""
        self.repeats, self.conflicts = list[Repeat](), list[Repeat]()
        self._offered: frozenset[str] = frozenset()
        self._judges: list[RecordJudge] = []
        self._rare: list[RecordJudge] = []

    def another(self) -> "Survey":
        """A survey of another part of the same file, with nothing in it yet."""
        return Survey(self._target, self.settings, self._all_rules)

    def settle(self, samples: Iterable[Mapping[str, Any]], told: "shapes.Shape | None" = None) -> None:
        """Decide the shape from the first records, before any is judged; the configuration has the last word.

        `told` is the shape where the format itself shows it.
        """
        self.begun()
        options, samples = self.options, list(samples)
        named = shapes.SHAPES.get(options.shape) if options.shape else None
        self.shape = fitted(named.renamed(options.fields), samples) if named else self._detected(samples, told)
        if self.shape is not None and self.shape.media:
            from trainproof_ci.readers.dataset.media import Media  # few datasets name sounds or images

            self.media = Media(self)
        if samples:
            self.columns.primary = (tuple(samples[0]), tuple(map(type, samples[0].values())))
        if self.shape is not None:
            self._offered = offers(self.shape)
            learned = [text[0] == " " for value in samples if (text := shapes.learned_text(value, self.shape))]
            self.spaced = sum(learned) > len(learned) / 2
            self.tally.listed = turns.mostly_lists(self.shape, samples)
        self._choose_judges()

    def _choose_judges(self) -> None:
        """The rules over records whose needs this shape meets, and that are not switched off."""
        met: dict[tuple[str, ...], bool] = {}  # many rules need the same
        for rule in self._all_rules:
            needs = rule.needs
            if rule.each is None:
                continue
            if needs not in met:
                met[needs] = all(self.lacks(need) is None for need in needs if need != "records")
            if met[needs] and (limits := limits_of(rule, self.settings)) is not None:
                (self._rare if "rare-text" in needs else self._judges).append((rule.id, rule.each, limits))

    def _detected(self, samples: Sequence[Mapping[str, Any]], told: "shapes.Shape | None") -> shapes.Shape | None:
        fields = {theirs: ours for ours, theirs in self.options.fields.items()}
        if (kept := upheld(told, samples)) is not None or not fields:
            return kept or detect_named(samples, self.path)
        shape = detect({fields.get(key, key): child for key, child in value.items()} for value in samples)
        return shape.renamed(self.options.fields) if shape is not None else None

    def take(self, value: Mapping[str, Any], raw: bytes, *, line: int, byte_offset: int, plain: bool = False) -> None:
        """Measure and judge one record."""
        self.records += 1
        self.first_line = self.first_line or line
        record = Record(self.records, line, byte_offset, value, raw, plain)
        if self.shape is not None and self.shape.roles:
            self.talks = list(turns.conversations(self.shape, value))
            self.partial = list(turns.partial_conversations(self.shape, value))
        self.columns.add(record)
        self.duplicates.add(record, self.shape)
        if self.shape is not None:
            self.tally.add(record, self.shape, self)
            if self.marks is not None and (text := shapes.learned_text(value, self.shape)) is not None:
                self.marks.add(text)
        if self.media is not None:
            self.media.add(record)
        for rule_id, judge, limits in self._judges:
            for fault in judge(record, self, limits):
                self.faults.add(rule_id, fault, record)
        if not plain:
            self.ask_about_text(record)

    def ask_about_text(self, record: Record, path: str | None = None) -> None:
        """Ask the rules about characters; `path` is the file where the dataset is several."""
        for rule_id, judge, limits in self._rare:
            for fault in judge(record, self, limits):
                self.faults.add(rule_id, fault, record, path)

    def sight(  # noqa: PLR0913 - a place has that many coordinates
        self,
        name: str,
        line: int,
        *,
        column: int | None = None,
        byte_offset: int | None = None,
        key: str | None = None,
        record: int | None = None,
        measured: str = "",
        content: bytes = b"",
    ) -> None:
        """Note something that is no record, or that a rule over the whole file will judge."""
        place = Location(self.path, line, column, byte_offset, record, key=key)
        self.faults.sight(name, place, measured, content)

    def sighted(self, name: str) -> Sighting | None:
        """What the reader came upon under this name, if anything."""
        return self.faults.sightings.get(name)

    def lacks(self, need: str) -> str | None:
        """Why a need of a rule is not met, or None."""
        if need == "records":
            return None if self.records else "no record could be read"
        if need in {"max-chars", "phrases", "label-range"}:
            return self._not_configured(need)
        if need in FORMATS or need in UNLIKE:
            return lacks_format(need, self.format)
        if self.shape is None:
            return "the shape of the records is not recognised"
        if need == "known-keys":
            return f"unknown keys stand beside the shape {self.shape.name}" if self.shape.is_open else None
        if need == "replies" and TOKENS in self.shape.habits:
            return "the texts are written for a chat template"
        return None if need in self._offered else f"no {need} in the shape {self.shape.name}"

    def _not_configured(self, need: str) -> str | None:
        if need == "label-range":
            known = self.options.num_labels is not None or self.split == "train"
            return None if known else "no num-labels configured, and not a training split by configuration or by name"
        option = self.options.max_chars if need == "max-chars" else self.options.phrases
        return None if option else f"no {need} configured"

    def summary(self) -> Mapping[str, object]:
        """The measurements that the report prints."""
        facts = {"bytes": self.size, "sha256": self.sha256, "records": self.records, "encoding": self.encoding}
        return {**facts, "shape": self.shape.name if self.shape else "unknown", **self.extra}

    def shortfall(self, fired: object) -> "Unreadable | None":
        """Why a part was not read, whatever fired on the others."""
        del fired
        return self.unread

    def charts(self) -> tuple[Chart, ...]:
        """A dataset has no series."""
        return ()

    def firings(self, rule_id: str) -> list[Firing]:
        """What a record rule found."""
        return self.faults.firings(rule_id)

    def first(self, key: str) -> Location:
        """A field of the first record, where a finding about all records stands."""
        return Location(self.path, self.first_line or 1, record=1, key=key)

    def location(self, line: int = 1, **more: Any) -> Location:
        """A place in this file."""
        return Location(self.path, line or None, **more)


def limits_of(rule: "Rule", settings: "Settings") -> "Limits | None":
    """The numbers a rule fires on under these settings; None where it is switched off."""
    chosen = settings.rules.get(rule.id)
    if chosen is None:
        return rule.limits
    return None if chosen.off else {**rule.limits, **chosen.limits}
