"""Which records stand in the file twice: 64-bit hashes in partitions first, then proof by reading again.

The hash is Python's own, keyed anew in each process, so it is never shown and never decides: every candidate is
read a second time and compared as a whole canonical record.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.shapes import Shape, content_of

PARTITIONS = 256
MASK32 = 0xFFFFFFFF


class Repeat(NamedTuple):
    """A record and an earlier one that it repeats or contradicts."""

    line: int
    number: int
    byte_offset: int
    content: bytes
    first_line: int
    first_number: int


def frozen(value: Any) -> Any:
    """A value as something hashable in which the order of keys does not matter."""
    if isinstance(value, dict):
        return tuple(sorted((key, frozen(child)) for key, child in value.items()))
    if isinstance(value, (list, tuple)):
        return tuple(frozen(child) for child in value)
    return value


def digest(value: Any) -> bytes:
    """128 bits of the canonical form of a record."""
    from hashlib import blake2b  # only candidates need it
    from json import dumps

    canonical = dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=str)
    return blake2b(canonical.encode("ascii"), digest_size=16).digest()


def asked(value: Mapping[str, Any], shape: Shape | None) -> Any:
    """What is asked in a record, or None where there is nothing or nothing is learned from it."""
    if shape is None or shape.pair or shape.name in NO_CONFLICT:
        return None
    if shape.turns:
        messages = value.get(shape.turns[0])
        if not isinstance(messages, list) or len(messages) < 2:
            return None
        return (*messages[:-1], value.get("system"), value.get("tools"))
    if not shape.prompts or not (shape.targets or shape.label):
        return None
    question = tuple(value.get(key) for key in shape.prompts)
    return question if any(question) else None


NO_CONFLICT = frozenset({"kto", "stepwise", "openai-evals", "prompt-only", "text", "pretokenized", "nemo-manifest"})
"""Shapes in which one input has several outputs by design, or none."""


class Duplicates:
    """The hashes of all records of a file, in partitions by input so that repeats meet in the same one."""

    def __init__(self) -> None:
        self.records: list[array[int]] = [array("q") for _ in range(PARTITIONS)]
        self.inputs: list[array[int]] = [array("I") for _ in range(PARTITIONS)]
        self.numbers: list[array[int]] = [array("I") for _ in range(PARTITIONS)]

    def add(self, record: Record, shape: Shape | None) -> None:
        """Note one record."""
        question = asked(record.value, shape)
        whole = hash(frozen(record.value))
        self.note(whole, whole if question is None else hash(frozen(question)), record.number, question is not None)

    def note(self, whole: int, question: int, number: int, asks: bool) -> None:
        """Note the hashes of one record; `asks` is False where it has no input to contradict."""
        at = question & (PARTITIONS - 1)
        self.records[at].append(whole)
        self.inputs[at].append(((question >> 8) & MASK32) | 1 if asks else 0)
        self.numbers[at].append(number)

    def merge(self, other: "Duplicates", records: int) -> None:
        """Append the records of a later part of the file."""
        for at in range(PARTITIONS):
            self.records[at].extend(other.records[at])
            self.inputs[at].extend(other.inputs[at])
            self.numbers[at].extend(number + records for number in other.numbers[at])

    def candidates(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Groups of record numbers that may be equal, and groups that may share an input but differ otherwise."""
        equal: dict[int, list[int]] = {}
        sharing: dict[int, list[int]] = {}
        for whole, inputs, numbers in zip(self.records, self.inputs, self.numbers, strict=True):
            if len(set(whole)) < len(whole):
                _group(equal, zip(whole, numbers, strict=True))
            if len(set(inputs)) < len(inputs):
                _group(sharing, ((key, number) for key, number in zip(inputs, numbers, strict=True) if key))
        return equal, sharing


def _group(groups: dict[int, list[int]], keyed: Iterable[tuple[int, int]]) -> None:
    """Add the groups of two and more numbers with the same key, under their first number."""
    first: dict[int, int] = {}
    for key, number in keyed:
        leader = first.setdefault(key, number)
        if leader != number:
            groups.setdefault(leader, [leader]).append(number)


Reread = Callable[[frozenset[int]], Iterator[Record]]


def prove(found: Duplicates, reread: Reread, shape: Shape | None) -> tuple[list[Repeat], list[Repeat]]:
    """The records that repeat an earlier one, and those that answer its question differently, after a second look."""
    equal, sharing = found.candidates()
    wanted = frozenset(number for groups in (equal, sharing) for group in groups.values() for number in group)
    repeats: list[Repeat] = []
    conflicts: list[Repeat] = []
    if not wanted:
        return repeats, conflicts
    leaders: dict[bytes, tuple[int, int]] = {}
    answers: dict[bytes, tuple[int, int, bytes]] = {}
    for record in reread(wanted):
        here = (record.line, record.number)
        first = leaders.setdefault(digest(record.value), here)
        if first != here:
            repeats.append(_repeat(record, first))
            continue
        question, answer = asked(record.value, shape), learned(record.value, shape)
        if question is None or answer is None:
            continue
        earlier = answers.setdefault(digest(question), (*here, digest(answer)))
        if earlier[2] != digest(answer):
            conflicts.append(_repeat(record, earlier[:2]))
    return repeats, conflicts


def learned(value: Mapping[str, Any], shape: Shape | None) -> Any:
    """What the record teaches for its question, or None where it teaches nothing: that is another rule's finding."""
    if shape is None:
        return None
    if shape.turns:
        return content_of(value[shape.turns[0]][-1]) or None
    answer = tuple(value.get(key) for key in (*shape.targets, *([shape.label] if shape.label else [])))
    return None if all(part is None or part == "" for part in answer) else answer


def _repeat(record: Record, first: tuple[int, int]) -> Repeat:
    return Repeat(record.line, record.number, record.byte_offset, record.raw, *first)
