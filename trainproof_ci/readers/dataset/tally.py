"""Counts over all records that only the end of the file can judge: what every prompt, target, label and message has."""

from collections import Counter
from collections.abc import Mapping

from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.faults import Sighting, append
from trainproof_ci.readers.dataset.record import Record, is_blank
from trainproof_ci.readers.dataset.shapes import Shape, learned_text, prompt_text
from trainproof_ci.readers.dataset.turns import ANSWERS, ENDINGS, Turn, says_nothing, whole_text
from trainproof_ci.readers.dataset.vocabulary import CONTEXT, MEDIA
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.readers.dataset.faults import Faults
    from trainproof_ci.readers.dataset.survey import Survey

MOST_LABELS = 1000
ASKING = frozenset({"prompt-completion", "alpaca", "prompt-only"})
"""Shapes of which every record asks something else as a rule, as every conversation does."""
MESSAGE_KEYS = frozenset(
    {
        "role", "from", "content", "value", "parts", "text", "name", "weight", "tool_calls", "tool_call_id", "function_call",
        "refusal", "audio", "annotations", "thinking", "reasoning", "reasoning_content", "tool_plan", "tool_results", "recipient",
        "channel", "images", "image", "videos", "prefix", "id", "loss", "train", "end_turn", "training", "train_detail",
    }
)  # fmt: skip


SAID_BESIDE = frozenset({"tool_calls", "function_call", "thinking", "reasoning", "reasoning_content", "audio"})
"""Keys under which an answer says more than its content."""
BESIDE = CONTEXT - {"history"}
GREETING = 12
"""Characters; a shorter answer may well be what it answers."""


class Label:
    """One label: how many records have it, and the first of them."""

    __slots__ = ("count", "line", "number")

    def __init__(self, line: int, number: int) -> None:
        self.count, self.line, self.number = 0, line, number


class Tally:
    """The counts. `targets` and `prompts` hold the one text that all records so far share, False when they differ."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.prompts: Any = None
        self.targets: Any = None
        self.answered = False
        """Whether any conversation ends with an answer."""
        self.more_given = False
        """Whether pictures, sounds, earlier turns or another context are given beside prompts."""
        self.spaced = 0
        self.labels: dict[Any, Label] = {}
        self.many_labels = False
        self.messages = 0
        self.strings: Counter[str] = Counter()
        self.lists: Counter[str] = Counter()
        """Message contents that are text, and lists of parts, by role."""
        self.listed = False
        """Whether message contents are lists of parts as a rule; the places of the others are kept."""
        self.contents: dict[str, Sighting] = {}
        self.unknown_keys: dict[str, Sighting] = {}

    def add(self, record: Record, shape: Shape, survey: "Survey") -> None:
        """Count one record of a survey."""
        value, faults, spaced = record.value, survey.faults, survey.spaced
        prompt, target = prompt_text(value, shape), learned_text(value, shape)
        self.more_given |= bool(value.get("history") or shape.beside) or not BESIDE.isdisjoint(value)
        if prompt is not None:
            self.prompts = same(self.prompts, prompt)
        empty = [key for key in shape.prompts if value.get(key) == []]
        if (is_blank(prompt) if prompt is not None else empty) and not _lacks_its_prompt(value, shape):
            faults.sight("blank-prompt", self._place(record, next(iter(empty), shape.prompts[0])), "", record.raw)
        if target is not None and not is_blank(target):
            self.targets = same(self.targets, target)
            if target.startswith(" "):
                self.spaced += 1
            elif spaced:
                faults.sight("unspaced", self._place(record, shape.targets[0]), "", record.raw)
        if prompt is not None and not is_blank(prompt):
            self._repeated(record, shape, prompt, faults)
        if shape.counted is not None and shape.counted in value:
            self.label(value[shape.counted], record.line, record.number)
        for _, said in survey.talks if shape.turns else ():
            self._turns(record, said)
            self._answers(record, said, faults)
        if survey.partial:
            self._parts(record, [turn for _, part, _ in survey.partial for turn in part], shape, faults)

    def asks_one_thing(self, shape: Shape) -> bool:
        """Whether every record has the same question, and nothing is given beside it that may differ."""
        asking = shape.turns or shape.name in ASKING
        return bool(asking and isinstance(self.prompts, str) and self.prompts.strip() and not self.more_given)

    def label(self, label: Any, line: int, number: int) -> None:
        """Count one label."""
        if isinstance(label, (dict, list)) or label is None:
            return
        known = self.labels.get(label)
        if known is None:
            if len(self.labels) >= MOST_LABELS:
                self.many_labels = True
                return
            known = self.labels[label] = Label(line, number)
        known.count += 1

    def _repeated(self, record: Record, shape: Shape, prompt: str, faults: "Faults") -> None:
        """Note an answer that is the prompt again."""
        for key in (*shape.targets, *shape.pair[:1]):
            if record.value.get(key) == prompt:
                faults.sight("echo", self._place(record, key), f"{len(prompt)} characters twice", record.raw)

    def _parts(self, record: Record, said: "Sequence[Turn]", shape: Shape, faults: "Faults") -> None:
        """Count the messages of the parts of a conversation."""
        for turn in said:
            self._content(record, turn)
        if shape.targets:
            self._answers(record, said, faults)
        else:
            self._unasked(record, said, faults)

    def _content(self, record: Record, turn: Turn) -> None:
        """Count what kind of content a message has."""
        role = turn.role or ""
        if isinstance(turn.content, str):
            self.strings[role] += 1
        elif isinstance(turn.content, list):
            self.lists[role] += 1
        if isinstance(turn.content, str if self.listed else list):
            self._note(self.contents, role, self._place(record, turn.key), record.raw)

    def _turns(self, record: Record, said: "Sequence[Turn]") -> None:
        """Count the messages of a conversation."""
        for turn in said:
            self.messages += 1
            self._content(record, turn)
            for key in turn.message.keys() - MESSAGE_KEYS:
                if key in self.unknown_keys or len(self.unknown_keys) < MOST_LABELS:
                    self._note(self.unknown_keys, key, self._place(record, turn.key), record.raw)

    def _answers(self, record: Record, said: "Sequence[Turn]", faults: "Faults") -> None:
        """Whether all answers are the same text, and what of a conversation is blank or said again."""
        self.answered = self.answered or any(turn.role in ENDINGS or turn.role is None for turn in said[-1:])
        for turn in said:
            if turn.role in ANSWERS:
                alone = turn.role == "assistant" and SAID_BESIDE.isdisjoint(turn.message)
                text = whole_text(turn.content) if alone else None
                self.targets = False if text is None else same(self.targets, text)
        given = [whole_text(turn.content) for turn in said if turn.role not in ENDINGS]
        self.prompts = False if None in given else same(self.prompts, "\n".join(filter(None, given)))
        self._unasked(record, said, faults)
        if (again := _said_again(said)) is not None:
            faults.sight("echo", self._place(record, said[-1].key), f"{len(again)} characters twice", record.raw)

    def _unasked(self, record: Record, said: "Sequence[Turn]", faults: "Faults") -> None:
        """Note a message in which the user says nothing."""
        blank = next((turn for turn in said if _is_unasked(turn)), None)
        if blank is not None:
            faults.sight("blank-prompt", self._place(record, blank.key), "", record.raw)

    def _note(self, kept: dict[str, Sighting], name: str, place: Location, content: bytes) -> None:
        kept.setdefault(name, Sighting()).places.add(place, content)

    def _place(self, record: Record, key: str) -> Location:
        return Location(self.path, record.line, byte_offset=record.byte_offset, record=record.number, key=key)

    def merge(self, other: "Tally", lines: int, records: int, offset: int) -> None:
        """Append the counts of a later part of the file."""
        self.prompts = _joined(self.prompts, other.prompts)
        self.targets = _joined(self.targets, other.targets)
        self.more_given |= other.more_given
        self.answered |= other.answered
        self.many_labels |= other.many_labels
        self.spaced += other.spaced
        self.messages += other.messages
        self.strings.update(other.strings)
        self.lists.update(other.lists)
        for label, theirs in other.labels.items():
            mine = self.labels.get(label)
            if mine is None and len(self.labels) >= MOST_LABELS:
                self.many_labels = True
                continue
            mine = mine or self.labels.setdefault(label, Label(theirs.line + lines, theirs.number + records))
            mine.count += theirs.count
        for kept, more in ((self.contents, other.contents), (self.unknown_keys, other.unknown_keys)):
            for name, seen in more.items():
                append(kept.setdefault(name, Sighting()).places, seen.places, lines, records, offset)


def _lacks_its_prompt(value: Mapping[str, Any], shape: Shape) -> bool:
    """Whether a prompt is missing or no text where the shape needs it: that is a finding of its own."""
    needed = [key for key in shape.prompts if key in shape.required or key in shape.usual]
    return any(key not in value or not isinstance(value[key], (str, list, type(None))) for key in needed)


def _said_again(said: "Sequence[Turn]") -> str | None:
    """The last answer where it is what was said before it, and no greeting."""
    if len(said) < 2 or said[-1].role != "assistant":
        return None
    text = whole_text(said[-1].content)
    if text is None or len(text) < GREETING or is_blank(text):
        return None
    return text if text == whole_text(said[-2].content) else None


def _is_unasked(turn: Turn) -> bool:
    """Whether the user says nothing, and shows nothing either."""
    return turn.role == "user" and says_nothing(turn.content) and MEDIA.isdisjoint(turn.message)


def same(known: Any, text: str) -> Any:
    """The text that all so far share: `text` at first, False once another comes."""
    if known is None:
        return text
    return known if known == text else False


def _joined(mine: Any, other: Any) -> Any:
    if mine is None or other is None:
        return other if mine is None else mine
    return mine if mine == other else False


def as_class(label: Any) -> Any:
    """A label as the class it names: whole numbers of a table are the number they spell, `1.0` like `1`."""
    if isinstance(label, str) and len(label) <= 9:
        whole, _, rest = label.partition(".")
        if whole.removeprefix("-").isdecimal() and not rest.strip("0") and (rest or whole == label):
            return int(whole)
    return int(label) if isinstance(label, float) and label.is_integer() else label


def classes(labels: Mapping[Any, Label]) -> dict[Any, Label]:
    """The labels as classes."""
    found: dict[Any, Label] = {}
    for label, counted in labels.items():
        known = found.setdefault(as_class(label), Label(counted.line, counted.number))
        known.count += counted.count
    return found
