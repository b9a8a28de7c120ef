"""The lines of a log as text with their numbers: split on LF alone, decoded in blocks, bounded in length."""

import codecs
from collections.abc import Iterator

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.run.encodings import encoding_of
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.source import Head, Source

BLOCK = 1 << 18
LONGEST_LINE = 64 << 20
"""Characters of one line that are held in memory."""
CONFLICT_MARKS = ("<<<<<<< ", ">>>>>>> ")


def lines_of(source: "Source") -> Iterator[str]:
    """Every line of the file without its LF; the last one may be empty. Raises `Unreadable` for an endless line."""
    for text in blocks_of(source):
        yield from text.split("\n")


def blocks_of(source: "Source") -> Iterator[str]:
    """The text of the file in blocks of whole lines, without the LF that ends a block."""
    block = source.file.read(BLOCK)
    decoder = codecs.getincrementaldecoder(encoding_of(block))("replace")
    text = decoder.decode(block, final=not block).removeprefix("\ufeff")
    while block:
        whole, lf, rest = text.rpartition("\n")
        if lf:
            yield whole
            text = rest
        more: list[str] = []
        size = len(text)
        while block and "\n" not in (more[-1] if more else ""):
            block = source.file.read(BLOCK)
            more.append(decoder.decode(block, final=not block))
            size += len(more[-1])
            if size > LONGEST_LINE:
                raise _endless(source.path)
        text += "".join(more)
    yield text


def redraws_of(source: "Source") -> Iterator[str]:
    """The text of the file in blocks of whole lines with their ends, or, where a line is redrawn without end, of redraws.

    A progress bar of a whole training is one line of many MB, separated by CR. The last block always ends in LF.
    """
    block = source.file.read(BLOCK)
    decoder = codecs.getincrementaldecoder(encoding_of(block))("replace")
    parts, size = [decoder.decode(block, final=not block).removeprefix("\ufeff")], 0
    while block:
        if "\n" in parts[-1] or "\r" in parts[-1]:
            text = "".join(parts)
            end = text.rfind("\n") + 1 or text.rfind("\r") + 1
            yield text[:end]
            parts, size = [text[end:]], len(text) - end
        block = source.file.read(BLOCK)
        parts.append(decoder.decode(block, final=not block))
        size += len(parts[-1])
        if size > LONGEST_LINE:
            raise _endless(source.path)
    yield "".join(parts) + "\n"


def _endless(path: str) -> Unreadable:
    return Unreadable(
        "a line of this log is too long to be held in memory",
        measured=f"more than {LONGEST_LINE} characters", limit=f"at most {LONGEST_LINE}", location=Location(path, line=1),
    )  # fmt: skip


def head_lines(head: "Head", most: int = 400) -> list[str]:
    """The first non-blank lines of the file, the last one dropped when it may be cut."""
    text = head.start.decode(encoding_of(head.start[:4096]), "replace").removeprefix("\ufeff")
    found = text.split("\n")
    if not head.whole and len(found) > 1:
        found.pop()
    return [line.rstrip("\r") for line in found if line.strip()][:most]


def is_text(head: "Head") -> bool:
    """Whether the file may be text: no NUL bytes but those of UTF-16."""
    start = head.start[:4096]
    return b"\0" not in start[:1024] or encoding_of(start) != "utf-8"
