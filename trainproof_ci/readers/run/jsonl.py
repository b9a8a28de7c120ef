"""JSON Lines logs: LLaMA-Factory, ms-swift, DETR, detectron2, W&B history and whatever writes a record a line."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.facts import Cut, Damage, Reading
from trainproof_ci.readers.run.lines import CONFLICT_MARKS, head_lines, is_text, lines_of
from trainproof_ci.readers.run.names import named_like_a_log
from trainproof_ci.readers.run.records import Records, number
from trainproof_ci.readers.run.vocabulary import EPOCH_KEYS, STEP_KEYS, is_gradient_norm, is_loss, is_rate

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

SUFFIXES = (".jsonl", ".ndjson", ".json", ".txt", ".log", ".out", "")
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
    return any(_is_training(record, head) for record in map(_object, objects[:20]) if record)


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


def _is_training(record: Mapping[str, Any], head: "Head") -> bool:
    """A loss or a learning rate beside a step, or nothing but numbers beside a step."""
    numbers = {name for name, value in record.items() if value is None or number(value) is not None}
    stepped = any(name in record for name in (*STEP_KEYS, *EPOCH_KEYS))
    spoken = [n for n in numbers if is_loss(n) or is_rate(n) or is_gradient_norm(n)]
    if spoken:
        return stepped or len(numbers) == len(record) or len(spoken) > 1 or named_like_a_log(head)
    nested = [value for value in record.values() if isinstance(value, dict)]
    if stepped and any(is_loss(name) for value in nested for name in value):
        return True
    return stepped and len(numbers) == len(record) > 1


def read(source: "Source", target: "Target") -> Reading:  # noqa: ARG001 - every reader is called alike
    """Read record after record; what is no JSON object is a banner, or a record that is damaged or cut."""
    columns = Columns()
    records = Records(columns)
    broken: list[int] = []
    conflicts: list[int] = []
    others = last = 0
    for line_number, raw in enumerate(lines_of(source), 1):
        line = raw.strip(" \t\r\0")
        if not line:
            continue
        last = line_number
        try:
            record = _load(line)
        except ValueError:
            record = None
            if line.startswith("{"):
                broken.append(line_number)
            elif raw.startswith(CONFLICT_MARKS):
                conflicts.append(line_number)
        except RecursionError:
            record = None
        if isinstance(record, dict):
            records.add(record, line_number)
        else:
            others += 1
    cut = Cut("the last record is cut", broken.pop()) if broken and broken[-1] == last else None
    damage = [Damage("a record is no valid JSON", broken[0], len(broken))] if broken else []
    if conflicts:
        damage.append(Damage("merge conflict markers stand in the log", conflicts[0], len(conflicts)))
    notes = (f"{others} lines are no record",) if others else ()
    return Reading(columns.series(), columns.odd, cut=cut, damage=tuple(damage), notes=notes)
