"""Which records stand in the file twice: 64-bit hashes in partitions first, then proof by reading again.

The hash is Python's own, keyed anew in each process, so it is never shown and never decides: every candidate is
read a second time and compared as a whole canonical record.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from json import JSONEncoder
from typing import Any, NamedTuple

from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.shapes import MEDIA, Shape, content_of

PARTITIONS = 64
"""So few that their ends stay in the processor's cache, so many that the values of one are a small set."""
RAW_WHOLE = 4096
"""Bytes; shorter raw records are whole, so that equal bytes are equal records."""
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


_CANONICAL = JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


def key_of(value: Any) -> int:
    """The hash of a record or of a question: of a flat one as the fast way computes it, of a nested one by one C call."""
    parts = value.values() if isinstance(value, dict) else value
    if any(isinstance(part, (dict, list)) for part in parts):
        return hash(_CANONICAL.encode(value))
    return hash(frozen(value))


def digest(value: Any) -> bytes:
    """128 bits of the canonical form of a record."""
    from hashlib import blake2b  # only candidates need it

    return blake2b(_CANONICAL.encode(value).encode("ascii"), digest_size=16).digest()


def asked(value: Mapping[str, Any], shape: Shape | None) -> Any:
    """What is asked in a record, or None where there is nothing or nothing is learned from it."""
    if shape is None or shape.pair or shape.name in NO_CONFLICT:
        return None
    if shape.turns:
        messages = value.get(shape.turns[0])
        if not isinstance(messages, list) or len(messages) < 2:
            return None
        return (*messages[:-1], value.get("system"), value.get("tools"), *_shown(value))
    if not shape.prompts or not (shape.targets or shape.label):
        return None
    question = tuple(value.get(key) for key in shape.prompts)
    return (*question, *_shown(value)) if any(question) else None


def _shown(value: Mapping[str, Any]) -> list[Any]:
    """The pictures and sounds that are asked about: with another one it is another question."""
    return [value[key] for key in sorted(MEDIA & value.keys())]


NO_CONFLICT = frozenset({"kto", "stepwise", "openai-evals", "prompt-only", "text", "pretokenized", "nemo-manifest"})
"""Shapes in which one input has several outputs by design, or none."""


SPOKEN_ONCE = frozenset({"ljspeech-2col", "ljspeech-3col", "piper-multispeaker", "coqui"})
"""Shapes in which a text is read out once: two clips with one text are a repeat, whatever their names."""


def compared(value: Mapping[str, Any], shape: Shape | None) -> Mapping[str, Any]:
    """What of a record must not repeat: all of it, or what is said beside the name of the clip."""
    if shape is None or shape.name not in SPOKEN_ONCE:
        return value
    return {key: child for key, child in value.items() if key not in shape.media}


class Duplicates:
    """The hashes of all records of a file, in partitions by input so that repeats meet in the same one.

    `parts` are those of later parts of the file, each with the number of records before it; merging copies nothing.
    """

    def __init__(self) -> None:
        self.records: list[array[int]] = [array("q") for _ in range(PARTITIONS)]
        self.inputs: list[array[int]] = [array("I") for _ in range(PARTITIONS)]
        self.numbers: list[array[int]] = [array("I") for _ in range(PARTITIONS)]
        self.parts: list[tuple[int, Duplicates]] = []

    def add(self, record: Record, shape: Shape | None) -> None:
        """Note one record."""
        question = asked(record.value, shape)
        whole = key_of(compared(record.value, shape))
        self.note(whole, whole if question is None else key_of(question), record.number, question is not None)

    def note(self, whole: int, question: int, number: int, asks: bool) -> None:
        """Note the hashes of one record; `asks` is False where it has no input to contradict."""
        at = question & (PARTITIONS - 1)
        self.records[at].append(whole)
        self.inputs[at].append(((question >> 8) & MASK32) | 1 if asks else 0)
        self.numbers[at].append(number)

    def candidates(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        """Groups of record numbers that may be equal, and groups that may share an input but differ otherwise."""
        equal: dict[int, list[int]] = {}
        sharing: dict[int, list[int]] = {}
        parts = [(0, self), *self.parts]
        for at in range(PARTITIONS):
            whole = [(before, part.records[at], part.numbers[at]) for before, part in parts]
            inputs = [(before, part.inputs[at], part.numbers[at]) for before, part in parts]
            if _repeats([keys for _, keys, _ in whole]):
                _group(equal, _keyed(whole))
            if _repeats([keys for _, keys, _ in inputs]):
                _group(sharing, (pair for pair in _keyed(inputs) if pair[0]))
        return equal, sharing


Keys = tuple[int, "array[int]", "array[int]"]


def _repeats(arrays: "list[array[int]]") -> bool:
    """Whether any value stands in the arrays twice."""
    values: set[int] = set()
    for keys in arrays:
        values.update(keys)
    return len(values) < sum(map(len, arrays))


def _keyed(parts: Iterable[Keys]) -> Iterator[tuple[int, int]]:
    for before, keys, numbers in parts:
        for key, number in zip(keys, numbers, strict=True):
            yield key, number + before


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
    last, key = b"", b""
    for record in reread(wanted):
        here = (record.line, record.number)
        if not record.raw or record.raw != last or len(record.raw) >= RAW_WHOLE:  # a run of copies is hashed once
            last, key = record.raw, digest(compared(record.value, shape))
        first = leaders.setdefault(key, here)
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
        messages = value.get(shape.turns[0])
        last = messages[-1] if isinstance(messages, list) and messages else None
        return content_of(last) or None if isinstance(last, dict) else None
    answer = tuple(value.get(key) for key in (*shape.targets, *([shape.label] if shape.label else [])))
    return None if all(part is None or part == "" for part in answer) else answer


def _repeat(record: Record, first: tuple[int, int]) -> Repeat:
    return Repeat(record.line, record.number, record.byte_offset, record.raw, *first)
