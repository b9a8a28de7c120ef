"""The members of a ZIP: their local headers, that none overlaps another, and their bytes within bounds."""

import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from trainproof_ci.model import Severity
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.facts import Broken, Fault
from trainproof_ci.readers.checkpoint.zip_directory import ABSENT, LOCAL, LOCAL_MAGIC, End, Entry

STORED, DEFLATED = 0, 8
BLOCK = 1 << 20
MOST_INFLATED = 256 << 20
"""Bytes that are inflated of one archive before it is left alone: a ZIP of kilobytes can hold terabytes."""


class Member(NamedTuple):
    """An entry with the place of its bytes; `problem` is why torch could not read them, None if it could."""

    entry: Entry
    at: int
    problem: Fault | None = None

    @property
    def end(self) -> int:
        """One past the last byte."""
        return self.at + self.entry.compressed


def members_of(at: BytesAt, entries: list[Entry], end: End) -> tuple[list[Member], list[Fault]]:
    """Every member with its local header read, and the faults of all headers and of overlapping members."""
    found: list[Member] = []
    faults: list[Fault] = []
    for entry in entries:
        member, odd = _member(at, entry)
        found.append(member)
        faults += odd
    faults += _overlaps(found, end)
    return found, faults


def _member(at: BytesAt, entry: Entry) -> tuple[Member, list[Fault]]:
    if entry.offset + LOCAL.size > at.size:
        return Member(
            entry, entry.offset, _damaged(entry, "its local header lies beyond the end of the file", "beyond")
        ), []
    header = at.read(entry.offset, LOCAL.size)
    magic, _, flags, method, _, _, crc, compressed, size, name_length, extra_length = LOCAL.unpack(header)
    data = entry.offset + LOCAL.size + name_length + extra_length
    if magic != LOCAL_MAGIC:
        return Member(entry, data, _damaged(entry, "its local header is damaged", magic.hex())), []
    if data + entry.compressed > at.size:
        return Member(
            entry, data, _damaged(entry, "its bytes reach beyond the end of the file", f"{data + entry.compressed}")
        ), []
    odd = []
    name = at.read(entry.offset + LOCAL.size, name_length).split(b"\0", 1)[0].decode("utf-8", "replace")
    if name != entry.name:
        odd.append(
            _disagree(entry, "name", f"{len(name)} characters", f"the {len(entry.name)} of the central directory")
        )
    plain = not (flags | entry.flags) & 8 and ABSENT not in {compressed, size}
    if plain and (crc, compressed, size, method) != (entry.crc, entry.compressed, entry.size, entry.method):
        odd.append(
            _disagree(
                entry, "size, checksum or method", f"{compressed}, {crc:08x}", f"{entry.compressed}, {entry.crc:08x}"
            )
        )
    return Member(entry, data, _unsupported(entry)), odd


def _damaged(entry: Entry, what: str, measured: str) -> Fault:
    return Fault(
        "TP-CKPT-CORRUPT", f"a member of {entry.size} bytes cannot be read: {what}", measured, "PK\\3\\4", entry.offset
    )


def _disagree(entry: Entry, what: str, measured: str, limit: str) -> Fault:
    return Fault(
        "TP-CKPT-CORRUPT", f"the local and the central header of a member disagree on its {what}; torch reads the central one",
        measured, limit, entry.offset, Severity.WARN,
    )  # fmt: skip


def _unsupported(entry: Entry) -> Fault | None:
    if entry.flags & 0x41:
        return Fault(
            "TP-CKPT-UNREADABLE", "a member is marked as encrypted; torch reads no encrypted archive",
            f"flags {entry.flags:#x}", "no encryption", entry.central_at,
        )  # fmt: skip
    if entry.flags & 0x20 or entry.method not in {STORED, DEFLATED}:
        return Fault(
            "TP-CKPT-FORMAT", f"a member is compressed with method {entry.method}, which neither torch nor this check reads",
            f"method {entry.method}", "0 (stored) or 8 (deflated)", entry.central_at,
        )  # fmt: skip
    if entry.folder and entry.size:
        return Fault(
            "TP-CKPT-CORRUPT", "a member with bytes is marked as a folder, so that torch would load uninitialised memory",
            f"{entry.size} bytes", "0 bytes in a folder", entry.central_at,
        )  # fmt: skip
    return None


def _overlaps(members: Iterable[Member], end: End) -> Iterator[Fault]:
    """At most one fault: the first member that shares bytes with the one before it or with the central directory."""
    ordered = sorted(members, key=lambda member: (member.entry.offset, member.end))
    reached = 0
    for member in ordered:
        if member.entry.offset < reached:
            yield _overlap(member, "another member", reached - member.entry.offset)
            return
        reached = max(reached, member.end)
    if reached > end.offset and ordered and end.offset + end.size > ordered[0].entry.offset:
        yield _overlap(ordered[-1], "the central directory", reached - end.offset)


def _overlap(member: Member, what: str, shared: int) -> Fault:
    return Fault(
        "TP-CKPT-CORRUPT", f"a member overlaps {what}: one of the two is not what was written",
        f"{shared} shared bytes", "0", member.entry.offset, Severity.FAIL,
    )  # fmt: skip


def inflated(at: BytesAt, member: Member) -> Iterator[bytes]:
    """The bytes of a deflated member in blocks; never more than its entry promises. Raises `Broken`."""
    machine = zlib.decompressobj(-15)
    left, place = member.entry.size, member.at
    pending = b""
    while not machine.eof:
        if not pending:
            pending = at.read(place, min(BLOCK, member.end - place))
            place += len(pending)
        try:
            block = machine.decompress(pending, min(BLOCK, left + 1))
        except zlib.error:
            raise Broken(_bad_stream(member, "its stream is damaged", "a decoding error")) from None
        pending = machine.unconsumed_tail
        left -= len(block)
        if left < 0:
            raise Broken(
                _bad_stream(member, "it holds more bytes than its header says", f"more than {member.entry.size}")
            )
        if not block and not pending and place >= member.end and not machine.eof:
            raise Broken(_bad_stream(member, "its stream breaks off", f"{member.entry.size - left} bytes"))
        if block:
            yield block
    if left:
        raise Broken(
            _bad_stream(member, "it holds fewer bytes than its header says", f"{member.entry.size - left} bytes")
        )


def _bad_stream(member: Member, what: str, measured: str) -> Fault:
    return Fault(
        "TP-CKPT-CORRUPT",
        f"a deflated member does not match its checksum: {what}",
        measured,
        f"{member.entry.size} bytes",
        member.at,
    )


def content(at: BytesAt, member: Member, most: int) -> bytes:
    """The whole content of a member of at most `most` bytes. Raises `Broken`."""
    if member.problem is not None:
        raise Broken(member.problem)
    if member.entry.size > most:
        raise Broken(too_large(member.entry.size, most, member.at))
    if member.entry.method == DEFLATED and member.entry.compressed:
        return b"".join(inflated(at, member))
    return at.read(member.at, member.entry.size)


def too_large(size: int, most: int, offset: int) -> Fault:
    """The archive would take more than the bounds to read."""
    return Fault(
        "TP-CKPT-DEFLATED",
        "a member is too large to be read within the bounds",
        f"{size} bytes",
        f"{most} bytes",
        offset,
    )
