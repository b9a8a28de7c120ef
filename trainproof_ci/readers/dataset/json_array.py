"""A JSON array of records in a `.json` file, read in pieces: the file is never whole in memory."""

from collections.abc import Iterator
from itertools import islice

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.detection import SAMPLED, detect
from trainproof_ci.readers.dataset.elements import Decoded, Element, Elements, Text
from trainproof_ci.readers.dataset.examiner import BOM, MARKERS, screen_for
from trainproof_ci.readers.dataset.record import DEEPEST, Record, too_deep
from trainproof_ci.readers.dataset.splits import said
from trainproof_ci.readers.dataset.whole import is_refused
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import named_for_training, named_like_data
from trainproof_ci.typed import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainproof_ci.readers.dataset.survey import Survey


def recognise(head: Head) -> str | None:
    """An array whose first elements are records of a known shape, or that is named as one that is trained on, or as the
    evaluation split of one.

    Such a name is enough for what should be an array of records and is broken, or holds nothing that can be read.
    """
    if head.suffix != ".json":
        return None
    if named_like_data(head.name) and _has_objects(head, fewest=2):
        return "json"
    if named_for_training(head.name) and _is_hollow(head):
        return "json"
    if _is_of_a_shape(head):
        return "json"
    return "json" if said(head.name) == "eval" and _is_split(head) else None


def _is_of_a_shape(head: Head) -> bool:
    if not _start(head).startswith(b"["):
        return False
    samples = sample(head)
    shape = detect(samples)
    if shape is None or shape.closed:
        return False
    return shape.strong or all(value.keys() == shape.required.keys() for value in samples)


def _is_split(head: Head) -> bool:
    """Whether the file is an array of records like those of the training file that goes with it, or holds nothing."""
    from trainproof_ci.readers.dataset.partners import held_out  # few files of JSON are named like a split

    return (_has_objects(head, fewest=1) or _is_hollow(head)) and held_out(head, sample(head))


def admit(head: Head) -> str | None:
    """An array of objects of whatever shape, whole or broken, and what holds nothing that can be read."""
    return "json" if head.suffix == ".json" and (_has_objects(head, fewest=1) or _is_hollow(head)) else None


def _has_objects(head: Head, fewest: int) -> bool:
    """Whether the head shows an array of at least so many objects, or one that breaks off before it shows them."""
    start = _start(head)
    if not start.startswith(b"["):
        return start.startswith(MARKERS)
    objects = others = 0
    for element in islice(_elements(head), SAMPLED):
        is_object = element.text.startswith("{")
        objects += is_object
        if objects >= fewest:
            return True
        if any(flaw.fatal for flaw in element.flaws):
            return not others and _may_hold_objects(element.text)
        others += not is_object
    return False


def _may_hold_objects(broken: str) -> bool:
    """Whether objects may follow where an array breaks off: at a comma or marker, or at what is no text and no list."""
    return not broken or ("{" in broken and not broken.startswith(('"', "[")))


def _is_hollow(head: Head) -> bool:
    """Whether the file is an empty array or as a whole no text of records: empty, a page, UTF-16."""
    empty = _start(head).startswith(b"[") and next(_elements(head), None) is None
    return empty or is_refused(head)


def _start(head: Head) -> bytes:
    return head.start.removeprefix(BOM).lstrip()


def _elements(head: Head) -> Iterator[Element]:
    return iter(Elements(Text(head.start.decode("utf-8", "ignore"))))


def sample(head: Head) -> list[dict[str, Any]]:
    """The first records, as far as the head of the file holds them; those that can be read in spite of a flaw, too."""
    found: list[dict[str, Any]] = []
    for element in _elements(head):
        if isinstance(element.value, dict):
            found.append(element.value)
        if len(found) >= SAMPLED:
            break
    return found


def scan(source: Source, survey: "Survey") -> None:
    """Measure a whole array."""
    survey_array(Head.of(source.path), source.file, survey)


def survey_array(head: Head, stream: BinaryIO, survey: "Survey") -> None:
    """Measure the array that `stream` holds from its first byte on; `head` is its beginning."""
    if head.start.startswith(BOM):
        survey.sight("bom", 1, byte_offset=0, measured="EF BB BF", content=head.start[:3])
    survey.settle(sample(head))
    screen = screen_for(survey.shape)
    decoded = Decoded(stream)
    try:
        for element in Elements(decoded):
            _take(element, survey, screen)
    except UnicodeDecodeError as error:
        raise Unreadable(
            "bytes that are not valid UTF-8",
            rule="TP-ENC-UTF8",
            measured=f"byte 0x{error.object[error.start]:02X} at {decoded.offset}",
            limit="UTF-8 throughout",
            location=Location(head.path, decoded.line, decoded.column, decoded.offset),
        ) from None


def _take(element: Element, survey: "Survey", screen: "Callable[[bytes], bool]") -> None:
    raw = element.text.encode("utf-8", "surrogatepass")
    for flaw in element.flaws:
        before = element.text[: flaw.position]
        breaks = before.count("\n")
        column = len(before) - before.rfind("\n") if breaks else element.column + len(before)
        survey.sight(
            flaw.name, element.line + breaks, column=column, byte_offset=element.byte_offset + len(before.encode("utf-8", "surrogatepass")),
            measured=flaw.measured, content=raw,
        )  # fmt: skip
    if any(flaw.fatal for flaw in element.flaws):
        return
    if too_deep(element.value, raw):
        survey.sight(
            "depth", element.line, byte_offset=element.byte_offset, measured=f"more than {DEEPEST} levels", content=raw
        )
    elif isinstance(element.value, dict):
        survey.take(element.value, raw, line=element.line, byte_offset=element.byte_offset, plain=screen(raw))
    else:
        survey.sight(
            "not-object",
            element.line,
            column=element.column,
            byte_offset=element.byte_offset,
            measured="another value",
            content=raw,
        )


def records(path: str) -> Iterator[Record]:
    """The records again."""
    with Source(path) as source:
        yield from records_of(source.file)


def records_of(stream: BinaryIO) -> Iterator[Record]:
    """The records of the array that a stream holds, as far as it is UTF-8: the survey of the file tells where it is not."""
    number = 0
    elements = iter(Elements(Decoded(stream)))
    while True:
        try:
            element = next(elements)
        except (StopIteration, UnicodeDecodeError):
            return
        raw = element.text.encode("utf-8", "surrogatepass")
        if isinstance(element.value, dict) and not too_deep(element.value, raw):
            number += 1
            yield Record(number, element.line, element.byte_offset, element.value, raw)
