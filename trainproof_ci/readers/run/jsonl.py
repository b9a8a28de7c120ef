"""JSON Lines logs: LLaMA-Factory, ms-swift, DETR, detectron2, W&B history and whatever writes a record a line."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache

from trainproof_ci.readers.run.alike import Alike
from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, blocks_of, head_lines, is_text
from trainproof_ci.readers.run.names import compares_runs, named_like_a_log
from trainproof_ci.readers.run.records import Records, number
from trainproof_ci.readers.run.stops import StopFinder
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS, is_gradient_norm, is_loss, is_rate
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

SUFFIXES = (".jsonl", ".ndjson", ".json", ".txt", ".log", ".out", "")
STEPPED = frozenset((*STEP_KEYS, *EPOCH_KEYS))
MOST_NAMES = 256
"""Names of a record whose meaning is remembered."""
LONGEST_RECORD = 1 << 20
"""Characters; no logged record is longer, and a longer one in the head is not worth parsing to recognise the file."""
_scan = json.scanner.make_scanner(json.JSONDecoder(parse_int=float))  # type: ignore[attr-defined]


def recognise(head: "Head") -> bool:
    """Most lines are JSON objects, and one of the first of them is a record of a training."""
    if head.suffix not in SUFFIXES or not is_text(head):
        return False
    rows = [line.strip() for line in head_lines(head, 60)]
    objects = [row for row in rows if row.startswith("{") and row.endswith("}") and len(row) < LONGEST_RECORD]
    if not objects or len(objects) * 2 < len(rows):
        return False
    records = [record for record in map(_object, objects[:20]) if record]
    if head.suffix == ".json" and len(rows) == 1 and not named_like_a_log(head) and not any(map(_has_loss, records)):
        return False  # one object on one line, as a configuration is written: {"lr": 0.001, "epochs": 3}
    return any(_is_training(record, head) for record in records)


def _load(line: str) -> object:
    """The value that the whole line is. Raises ValueError."""
    try:
        value, end = _scan(line, 0)
    except StopIteration:
        raise ValueError from None
    if end != len(line):
        raise ValueError
    return value


def _object(line: str) -> Mapping[str, Any] | None:
    try:
        value = _load(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _has_loss(record: Mapping[str, Any]) -> bool:
    """Whether a loss stands there as a number; in a configuration it is a word."""
    groups = [record, *(value for value in record.values() if isinstance(value, dict))]
    return any(is_loss(name) and number(value) is not None for group in groups for name, value in group.items())


def _is_training(record: Mapping[str, Any], head: "Head") -> bool:
    """A loss or a learning rate beside a step, or nothing but numbers beside a step."""
    stepped, speaks = _speaks(tuple(record)) if len(record) < MOST_NAMES else _said_by(record)
    if not stepped and (not speaks or compares_runs(record, head)):
        return False
    numbers = {name for name, value in record.items() if value is None or number(value) is not None}
    spoken = [n for n in numbers if is_loss(n) or is_rate(n) or is_gradient_norm(n)]
    if spoken:
        return stepped or len(numbers) == len(record) or len(spoken) > 1 or named_like_a_log(head)
    nested = [value for value in record.values() if isinstance(value, dict)]
    if stepped and any(is_loss(name) for value in nested for name in value):
        return True
    return stepped and len(numbers) == len(record) > 1


def _said_by(names: Iterable[str]) -> tuple[bool, bool]:
    """Whether names are those of a step or an epoch, and whether any is that of a loss, a rate or a gradient."""
    stepped = any(name in STEPPED for name in names)
    return stepped, any(is_loss(name) or is_rate(name) or is_gradient_norm(name) for name in names)


_speaks = lru_cache(maxsize=64)(_said_by)  # the records of a file, and of many files, have the same names


def read(source: "Source", target: "Target") -> Reading:  # noqa: ARG001 - every reader is called alike
    """Read record after record; what is no JSON object is a banner, or a record that is damaged or cut."""
    lines = _Lines()
    for block in blocks_of(source):
        lines.read(block)
    broken, conflicts = lines.broken, lines.conflicts
    cut = Cut("the last record is cut", broken.pop()) if broken and broken[-1] == lines.last else None
    damage = [Damage("a record is no valid JSON", broken[0], len(broken))] if broken else []
    if conflicts:
        damage.append(Damage("merge conflict markers stand in the log", conflicts[0], len(conflicts)))
    notes = (f"{lines.others} lines are no record",) if lines.others else ()
    stop = lines.stops.at_end(lines.last)
    return Reading(lines.columns.series(), lines.columns.odd, stop=stop, cut=cut, damage=tuple(damage), notes=notes)


class _Lines:
    """Adds records line by line; `last` is the last line that is not empty, `others` counts those that are no record."""

    def __init__(self) -> None:
        self.columns = Columns()
        self.records = Records(self.columns)
        self.broken: list[int] = []
        self.conflicts: list[int] = []
        self.others = self.last = 0
        self.stops = StopFinder()
        self._number = 1
        self._alike = Alike(self.records)

    def read(self, block: str) -> None:
        """Whole lines; those that are written like the one before are taken at once."""
        at = 0
        while at <= len(block):
            end = block.find("\n", at)
            end = len(block) if end < 0 else end
            is_record = self._line(block[at:end])
            self._number += 1
            if is_record:
                begun = self._number
                at, self._number = self._alike.take(block, at, end + 1, begun)
                self.stops.progress(times=1 + self._number - begun)
            else:
                at = end + 1
            self.last = self._number - 1 if is_record else self.last

    def _line(self, raw: str) -> bool:
        """Whether the line is a record, which is added."""
        line = raw.strip(" \t\r\0")
        if not line:
            return False
        self.last = self._number
        try:
            record = _load(line)
        except ValueError:
            record = None
            if line.startswith("{"):
                self.broken.append(self._number)
            elif raw.startswith(CONFLICT_MARKS):
                self.conflicts.append(self._number)
        except RecursionError:
            record = None
        if isinstance(record, dict):
            self.records.add(record, self._number)
            return True
        self.others += 1
        self.stops.see(raw, self._number, trained=self.last > self.others)
        return False
