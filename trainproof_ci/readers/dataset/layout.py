"""JSON that was laid out for people in a file of JSON Lines: an array, or records over several lines."""

import json

from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.dataset.whole import refused
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import BinaryIO


def refuse_layout(head: Head, stream: BinaryIO) -> None:
    """Raise `Unreadable` for an array or a pretty-printed record at the beginning of a file of JSON Lines.

    `stream` is the file before its first byte; it is read only to count the elements of an array.
    """
    if head.start.startswith(b"{") and _is_value(head.start.partition(b"\n")[0]):
        return  # as nearly every file begins
    text = head.start.decode("utf-8", "replace").removeprefix("\ufeff").lstrip(" \t\r\n")
    line = len(head.start.decode("utf-8", "replace").removeprefix("\ufeff")) - len(text)
    first = text.split("\n", 1)[0].rstrip()
    at = head.start[:line].count(b"\n") + 1
    if text[:1] == "[" and _is_array(text, first, whole=head.whole):
        why = "the file is one JSON array, not JSON Lines"
        raise refused(head, "TP-JSON-ARRAY", why, _counted(stream), "one record a line", at)
    if text[:1] == "{" and _is_pretty(text, first):
        raise refused(
            head,
            "TP-JSON-PRETTY",
            "records are spread over several lines",
            "a record over several lines",
            "one record a line",
            at,
        )


def _is_value(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _counted(stream: BinaryIO) -> str:
    """The array in words, with its number of records where it can be read to its end."""
    from trainproof_ci.readers.dataset.elements import Decoded, Elements  # few files of lines are an array

    number = 0
    try:
        for element in Elements(Decoded(stream)):
            if any(flaw.fatal for flaw in element.flaws):
                return "an array"
            number += 1
    except (UnicodeDecodeError, Unreadable):
        return "an array"
    return f"an array of {number} record{'' if number == 1 else 's'}"


def _is_array(text: str, first: str, *, whole: bool) -> bool:
    """Whether the text is one array of objects; lines that are arrays each are another fault."""
    if text[1:].lstrip(" \t\r\n")[:1] not in {"{", ""}:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return not whole or text.rstrip().endswith("]") or first in {"[", "[{"}
    return "\n" not in text.strip()


def _is_pretty(text: str, first: str) -> bool:
    try:
        json.loads(first)
    except RecursionError:
        return False
    except ValueError as error:
        if first != "{" and getattr(error, "pos", 0) < len(first):
            return False
    else:
        return False
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except RecursionError:
        return False
    except ValueError:
        return first == "{"
    return "\n" in text[:end]
