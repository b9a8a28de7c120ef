"""Files that are as a whole not what they should be: one cause, told before a thousand lines echo it."""

import re

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.places import Location
from trainproof_ci.readers.source import Head

BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
MAGIC = (
    (b"\x1f\x8b", "gzip data", (".gz", ".gzip", ".tgz")),
    (b"\x28\xb5\x2f\xfd", "zstd data", (".zst", ".zstd")),
    (b"PK\x03\x04", "a ZIP archive", (".zip",)),
    (b"PAR1", "a Parquet file", (".parquet", ".pq")),
    (b"BZh", "bzip2 data", (".bz2",)),
    (b"\xfd7zXZ\x00", "xz data", (".xz",)),
    (b"ARROW1", "an Arrow file", (".arrow", ".feather")),
    (b"\x89HDF", "an HDF5 file", (".h5", ".hdf5")),
    (b"SQLite format 3", "an SQLite database", (".db", ".sqlite")),
)
LONGEST_REPLY = 2048
"""Bytes; the body of an error is shorter."""
REPLIED = (b'"error', b'"message"', b'"msg"', b'"detail"', b'"title"')
"""Keys of which the body of an error has one."""
_PAGE = later(rb"\A(?:\xef\xbb\xbf)?\s*(?:<!doctype\s+html|<html[\s>]|<\?xml\s)", re.IGNORECASE)


def refuse_whole(head: Head) -> None:
    """Raise `Unreadable` for an empty file, a page, an error or an archive in place of data, and UTF-16 or UTF-32 text."""
    if not head.start.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n") and head.whole:
        raise refused(
            head, "TP-FILE-EMPTY", "the file holds no record", f"{head.size} bytes, 0 records", "at least 1 record"
        )
    refuse_no_text(head)
    if (what := _reply(head)) is not None:
        why = "what a server said was saved in place of the data"
        raise refused(head, "TP-FILE-NOT-DATA", why, what, "records")


def _reply(head: Head) -> str | None:
    """What a server said in place of the data, in words; None for data."""
    if head.size > LONGEST_REPLY or not head.whole or not _may_be_a_reply(head.start.strip()):
        return None
    from trainproof_ci.readers.dataset.replies import answered  # few files are so small and look like one

    return answered(head)


def _may_be_a_reply(text: bytes) -> bool:
    """Whether a small file may be the body of an error: one object with a key of those, or one line that is no object."""
    if text.startswith(b"{"):
        return text == b"{}" or any(key in text for key in REPLIED)
    return b"\n" not in text and text[:1].isalnum()


def refuse_no_text(head: Head) -> None:
    """Raise `Unreadable` for a page or an archive in place of data, and UTF-16 or UTF-32 text."""
    start = head.start
    if (name := _packed(head)) is not None:
        raise refused(
            head,
            "TP-FILE-NOT-DATA",
            f"the file is {name} under another name",
            name,
            f"text, as {head.suffix or 'its name'} says",
        )
    if _is_page(start):
        raise refused(head, "TP-FILE-NOT-DATA", "a web page was saved in place of the data", "an HTML page", "records")
    if (encoding := wide_encoding(start)) is not None:
        raise refused(head, "TP-ENC-UTF16", f"the file is {encoding}, not UTF-8", encoding, "UTF-8")


def _packed(head: Head) -> str | None:
    """What a file is that its name does not say: an archive, compressed data or a binary table; None for anything else."""
    begun = (known for known in MAGIC if head.start.startswith(known[0]) and head.suffix not in known[2])
    return next((name for _, name, _ in begun), None)


def _is_page(start: bytes) -> bool:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<" and _PAGE.match(start) is not None


def is_refused(head: Head) -> bool:
    """Whether `refuse_whole` refuses the file."""
    try:
        refuse_whole(head)
    except Unreadable:
        return True
    return False


def is_hollow(head: Head) -> bool:
    """Whether a file holds no data at all: nothing but blanks, a web page, an error, or an archive."""
    return is_blank_or_page(head) or _packed(head) is not None or _reply(head) is not None


def is_blank_or_page(head: Head) -> bool:
    """Whether a file of any kind holds nothing but blanks, or a web page."""
    blank = not head.start.removeprefix(b"\xef\xbb\xbf").strip()
    return (blank and head.whole) or _is_page(head.start)


def legible(head: Head) -> Head:
    """The head as it were in UTF-8, without NUL and with line feeds: what breaks a file must not hide what it is."""
    start = head.start
    first, feed, _ = start.partition(b"\n")
    returns = b"\r" in first.rstrip(b"\r")
    if b"\0" not in start and feed and not returns:
        return head
    if (encoding := wide_encoding(start)) is not None:
        ends = "BE" if start.startswith((b"\xfe\xff", b"\0")) else "LE"
        start = start.decode(f"{encoding}-{ends}", "replace").lstrip("\ufeff").encode("utf-8", "replace")
    start = start.replace(b"\0", b"")
    if returns or b"\n" not in start:
        start = start.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return Head(head.path, start, len(start) if head.whole else max(head.size, len(start) + 1))


def wide_encoding(start: bytes) -> str | None:
    """UTF-16 or UTF-32, by a byte-order mark or by every second byte being NUL; None for anything else."""
    for mark, name in BOMS:
        if start.startswith(mark):
            return name
    if start[:1] in {b"P", b"\x1f"} or b"\0" not in start[:4]:
        return None
    first = start[:4096]
    wide = first.count(b"\0")
    if wide > len(first) * 0.7 and wide < len(first) * 0.76:
        return "UTF-32"
    odd, even = first[1::2].count(b"\0"), first[::2].count(b"\0")
    return "UTF-16" if max(odd, even) > len(first) * 0.4 and min(odd, even) < len(first) * 0.05 else None


def refused(head: Head, rule: str, why: str, measured: str, limit: str, line: int = 1) -> Unreadable:
    """The one finding that stands for the whole file."""
    return Unreadable(
        why, rule=rule, measured=measured, limit=limit, location=Location(head.path, line=line, byte_offset=0)
    )
