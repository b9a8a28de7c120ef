"""A JSON array of records in a `.json` file, read in pieces: the file is never whole in memory."""

from collections.abc import Iterator

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.detection import SAMPLED, detect
from trainproof_ci.readers.dataset.elements import LONGEST, Decoded, Element, Elements, Text
from trainproof_ci.readers.dataset.record import DEEPEST, Record, too_deep
from trainproof_ci.readers.dataset.screens import is_plain
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.readers.suffixes import named_like_data
from trainproof_ci.typed import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from trainproof_ci.readers.dataset.survey import Survey


def recognise(head: Head) -> str | None:
    """An array whose first elements are records of a known shape, or that is named as one that is trained on."""
    if head.suffix != ".json" or head.start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"[":
        return None
    samples = sample(head)
    if len(samples) > 1 and named_like_data(head.name):
        return "json"
    shape = detect(samples)
    if shape is None or shape.closed:
        return None
    alike = all(value.keys() == shape.required.keys() for value in samples)
    return "json" if shape.strong or alike else None


def sample(head: Head) -> list[dict[str, Any]]:
    """The first records, as far as the head of the file holds them."""
    found: list[dict[str, Any]] = []
    text = head.start.decode("utf-8", "ignore")
    for element in Elements(Text(text)):
        if element.flaws or len(found) >= SAMPLED:
            break
        if isinstance(element.value, dict):
            found.append(element.value)
    return found


def scan(source: Source, survey: "Survey") -> None:
    """Measure a whole array."""
    survey_array(Head.of(source.path), source.file, survey)


def survey_array(head: Head, stream: BinaryIO, survey: "Survey") -> None:
    """Measure the array that `stream` holds from its first byte on; `head` is its beginning."""
    if head.start.startswith(b"\xef\xbb\xbf"):
        survey.sight("bom", 1, byte_offset=0, measured="EF BB BF", content=head.start[:3])
    survey.settle(sample(head))
    try:
        for element in Elements(Decoded(stream)):
            _take(element, survey)
    except UnicodeDecodeError:
        raise _not_utf8(head.path, stream) from None


def _not_utf8(path: str, stream: BinaryIO) -> Unreadable:
    """Where the first byte that is not UTF-8 stands; found line by line, which an array has too."""
    stream.seek(0)
    offset = number = 0
    while line := stream.readline(LONGEST):
        number += 1
        try:
            line.decode()
        except UnicodeDecodeError as error:
            at, column = offset + error.start, len(line[: error.start].decode("utf-8", "replace")) + 1
            place = Location(path, number, column, at)
            return Unreadable(
                "bytes that are not valid UTF-8",
                rule="TP-ENC-UTF8",
                measured=f"byte 0x{line[error.start]:02X} at {at}",
                limit="UTF-8 throughout",
                location=place,
            )
        offset += len(line)
    return Unreadable(
        "bytes that are not valid UTF-8",
        rule="TP-ENC-UTF8",
        measured="the last character is cut",
        limit="UTF-8 throughout",
        location=Location(path, number, byte_offset=offset),
    )


def _take(element: Element, survey: "Survey") -> None:
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
        survey.take(element.value, raw, line=element.line, byte_offset=element.byte_offset, plain=is_plain(raw))
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
    """The records of the array that a stream holds."""
    number = 0
    for element in Elements(Decoded(stream)):
        raw = element.text.encode("utf-8", "surrogatepass")
        if isinstance(element.value, dict) and not too_deep(element.value, raw):
            number += 1
            yield Record(number, element.line, element.byte_offset, element.value, raw)
