"""Which records stand in the file twice: 64-bit hashes first, then proof by reading again.

The hash is Python's own, keyed anew in each process, so it is never shown and never decides: every candidate is
read a second time and compared as a whole canonical record.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from json import JSONEncoder

from trainproof_ci.readers.dataset.forms import ESCAPED_QUOTE, QUOTED, spelled
from trainproof_ci.readers.dataset.hashes import repeated_in
from trainproof_ci.readers.dataset.lines import LONG
from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.shapes import Shape
from trainproof_ci.readers.dataset.turns import CONTENT_KEYS, content_of, is_answer
from trainproof_ci.readers.dataset.vocabulary import CONTEXT, IDENTITY
from trainproof_ci.typed import Any, NamedTuple

RAW_WHOLE = 4096
"""Bytes; shorter raw records are whole, so that equal bytes are equal records."""


class Repeat(NamedTuple):
    """A record and an earlier one that it repeats or contradicts."""

    line: int
    number: int
    byte_offset: int
    content: bytes
    first_line: int
    first_number: int


_CANONICAL = JSONEncoder(sort_keys=True, separators=(",", ":"), default=str)


def key_of(value: Any) -> int:
    """The hash of a record or of a question: of its texts as the fast way spells them, of a nested one by one C call."""
    parts = [value[key] for key in sorted(value)] if isinstance(value, dict) else value
    if isinstance(value, tuple) and _is_talk(value):
        messages = value[:-2]
        return hash((frame_of(messages), *[_spoken(message[_said(message)]) for message in messages]))
    if any(isinstance(part, (dict, list)) for part in parts):
        return hash(_CANONICAL.encode(value))
    return flat_key(parts)


def frame_of(messages: Iterable[Mapping[str, Any]]) -> int:
    """The hash of what messages are beside what they say."""
    return hash(
        tuple([(_said(m), *sorted((key, text) for key, text in m.items() if key != _said(m))) for m in messages])
    )


def _said(message: Mapping[str, Any]) -> str:
    return next(key for key in CONTENT_KEYS if key in message)


def _is_talk(question: tuple[Any, ...]) -> bool:
    """Whether a question is messages of texts only, with neither system text nor tools beside them."""
    *messages, system, tools = question if len(question) > 2 else (None, None, None)
    return (
        system is None
        and tools is None
        and all(
            isinstance(message, dict)
            and not message.keys().isdisjoint(CONTENT_KEYS)
            and all(isinstance(text, str) for text in message.values())
            for message in messages
        )
    )


def flat_key(parts: Iterable[Any]) -> int:
    """The hash of the values of a flat record, in the order of their keys; of a single one its own.

    NaN is no number that equals itself, and every one of them has a hash of its own; here one is as good as another.
    """
    every = [_spelled(part) if isinstance(part, str) else part if part == part else None for part in parts]  # noqa: PLR0124 - only NaN differs
    return hash(every[0]) if len(every) == 1 else hash(tuple(every))


def _spelled(text: str) -> bytes | str:
    """A text in one spelling; one so long that no fast way takes it is not copied."""
    return spelled(text) if len(text) <= LONG else text


def _spoken(text: str) -> bytes | str:
    """A text in the spelling of conversations, which are split at quotes."""
    return spelled(text).replace(ESCAPED_QUOTE, QUOTED) if len(text) <= LONG else text


def digest(value: Any) -> bytes:
    """128 bits of the canonical form of a record."""
    from hashlib import blake2b  # only candidates need it

    return blake2b(_CANONICAL.encode(value).encode("ascii"), digest_size=16).digest()


def asked(value: Mapping[str, Any], shape: Shape | None) -> Any:
    """What is asked in a record, or None where there is nothing or nothing is learned from it."""
    if shape is None:
        return None
    if shape.turns:
        if shape.thumb:
            return None
        messages = value.get(shape.turns[0])
        if not isinstance(messages, list) or len(messages) < 2 or not is_answer(shape, messages[-1]):
            return None
        more = [value[key] for key in sorted(CONTEXT.difference(("system", "tools")).intersection(value))]
        return (*messages[:-1], *more, value.get("system"), value.get("tools"))
    if not asks(shape):
        return None
    question = [value.get(key) for key in asking(shape)]
    ranked = unordered(*[value.get(key) for key in shape.pair]) if shape.pair else ()
    return (*question, *[value[key] for key in beside(value, shape)], *ranked) if any((*question, *ranked)) else None


def asks(shape: Shape) -> bool:
    """Whether flat records of the shape can contradict each other."""
    return bool(shape.prompts and (shape.pair or shape.answers)) and shape.name not in NO_CONFLICT


def asking(shape: Shape) -> tuple[str, ...]:
    """The keys of what is asked: the prompts, and the answer where a truth value says whether it is wanted."""
    return (*shape.prompts, *shape.targets) if shape.thumb else shape.prompts


def beside(keys: Iterable[str], shape: Shape) -> list[str]:
    """The keys among those of a record, in their order, under which something is given beside its prompt.

    Where nobody knows what the other keys mean, and where answers are ranked, by whatever measure, that is all of them.
    """
    given = (CONTEXT.union(shape.beside) if shape.beside else CONTEXT).intersection(keys)
    if shape.usual or shape.pair or shape.thumb:
        known = shape.vocabulary
        given = given.union(key for key in keys if key not in known and key not in IDENTITY)
    return sorted(given)


def unordered(one: Any, other: Any) -> tuple[Any, Any]:
    """Two answers in an order that does not tell which is the better one."""
    return (one, other) if _rank(one) <= _rank(other) else (other, one)


def _rank(answer: Any) -> bytes:
    short = isinstance(answer, str) and len(answer) <= LONG
    return spelled(answer) if short else _CANONICAL.encode(answer).encode()


NO_CONFLICT = frozenset({"stepwise", "input-output", "source-target", "query-pos"})
"""Shapes in which one input has several outputs by design."""


SHORTEST_SPOKEN = 16
"""Characters; shorter texts ("Yes.") are read out again and again."""
SPOKEN_ONCE = frozenset({"ljspeech-2col", "ljspeech-3col", "piper-multispeaker", "coqui"})
"""Shapes in which a text of some length is read out once: two clips with it are a repeat, whatever their names."""


def compared(value: Mapping[str, Any], shape: Shape | None) -> Mapping[str, Any]:
    """What of a record must not repeat: all of it, or a text of some length beside the name of the clip."""
    if shape is None or shape.name not in SPOKEN_ONCE:
        return value
    said = value.get(shape.targets[0])
    if not isinstance(said, str) or len(said) < SHORTEST_SPOKEN:
        return value
    return {key: child for key, child in value.items() if key not in shape.media}


class Duplicates:
    """One hash of each record of a file, in file order: of what it asks, or of the whole where it asks nothing.

    Equal records ask the same, so those with the same question are all that must be compared. `parts` are those of
    later parts of the file; merging copies nothing.
    """

    def __init__(self) -> None:
        self.keys: array[int] = array("q")
        self.parts: list[Duplicates] = []

    def add(self, record: Record, shape: Shape | None) -> None:
        """Note the next record."""
        question = asked(record.value, shape)
        self.keys.append(key_of(compared(record.value, shape) if question is None else question))

    def candidates(self) -> frozenset[int]:
        """The numbers of the records that may be equal or share a question."""
        every = [self, *self.parts]
        repeated = repeated_in([part.keys for part in every])
        if not repeated:
            return frozenset()
        keys = (key for part in every for key in part.keys)
        return frozenset(number for number, key in enumerate(keys, 1) if key in repeated)


Reread = Callable[[frozenset[int]], Iterator[Record]]


def prove(found: Duplicates, reread: Reread, shape: Shape | None) -> tuple[list[Repeat], list[Repeat]]:
    """The records that repeat an earlier one, and those that answer its question differently, after a second look."""
    wanted = found.candidates()
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
    keys = shape.pair or ((shape.thumb,) if shape.thumb else shape.answers)
    answer = tuple(value.get(key) for key in keys)
    return None if all(part is None or part == "" for part in answer) else answer


def _repeat(record: Record, first: tuple[int, int]) -> Repeat:
    return Repeat(record.line, record.number, record.byte_offset, record.raw, *first)
