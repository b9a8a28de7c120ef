"""The members of a ZIP: their local headers, that none overlaps another, and their bytes within bounds."""

import zlib
from collections.abc import Iterable, Iterator

from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.readers.checkpoint.zip_directory import ABSENT, LOCAL, LOCAL_MAGIC, End, Entry
from trainproof_ci.typed import NamedTuple

STORED, DEFLATED = 0, 8
BLOCK = 1 << 20
MOST_INFLATED = 256 << 20
"""Bytes that are inflated of one archive before it is left alone: a ZIP of kilobytes can hold terabytes."""


class Member(NamedTuple):
    """An entry with the place of its bytes; `problem` is why torch could not read them, None if it could."""

    entry: Entry
    at: int
    problem: Sighting | None = None

    @property
    def end(self) -> int:
        """One past the last byte."""
        return self.at + self.entry.compressed


def members_of(at: BytesAt, entries: list[Entry], end: End) -> tuple[list[Member], list[Sighting]]:
    """Every member with its local header read, and what all headers and overlapping members show."""
    found: list[Member] = []
    sightings: list[Sighting] = []
    for entry in entries:
        member, odd = _member(at, entry)
        found.append(member)
        sightings += odd
    sightings += _overlaps(found, end)
    return found, sightings


def _member(at: BytesAt, entry: Entry) -> tuple[Member, list[Sighting]]:
    if entry.offset + LOCAL.size > at.size:
        return Member(entry, entry.offset, _damaged(entry, Seen.HEADER_BEYOND, "beyond")), []
    header = at.read(entry.offset, LOCAL.size)
    magic, _, flags, method, _, _, crc, compressed, size, name_length, extra_length = LOCAL.unpack(header)
    data = entry.offset + LOCAL.size + name_length + extra_length
    if magic != LOCAL_MAGIC:
        return Member(entry, data, _damaged(entry, Seen.HEADER_DAMAGED, magic.hex())), []
    if data + entry.compressed > at.size:
        return Member(entry, data, _damaged(entry, Seen.BYTES_BEYOND, f"{data + entry.compressed}")), []
    odd = []
    name = at.read(entry.offset + LOCAL.size, name_length).split(b"\0", 1)[0].decode("utf-8", "replace")
    if name != entry.name:
        both = f"{len(name)} characters", f"the {len(entry.name)} of the central directory"
        odd.append(_disagree(entry, "name", *both))
    plain = not (flags | entry.flags) & 8 and ABSENT not in {compressed, size}
    if plain and (crc, compressed, size, method) != (entry.crc, entry.compressed, entry.size, entry.method):
        both = f"{compressed}, {crc:08x}", f"{entry.compressed}, {entry.crc:08x}"
        odd.append(_disagree(entry, "size, checksum or method", *both))
    return Member(entry, data, _unsupported(entry)), odd


def _damaged(entry: Entry, what: Seen, measured: str) -> Sighting:
    return Sighting(what, measured, "PK\\3\\4", entry.offset, told={"size": entry.size})


def _disagree(entry: Entry, field: str, measured: str, wanted: str) -> Sighting:
    return Sighting(Seen.HEADERS_DIFFER, measured, wanted, entry.offset, told={"field": field}, unread=True)


def _unsupported(entry: Entry) -> Sighting | None:
    if entry.flags & 0x41:
        return Sighting(Seen.ENCRYPTED, f"flags {entry.flags:#x}", "no encryption", entry.central_at)
    if entry.flags & 0x20 or entry.method not in {STORED, DEFLATED}:
        known = "0 (stored) or 8 (deflated)"
        told = {"method": entry.method}
        return Sighting(Seen.UNKNOWN_METHOD, f"method {entry.method}", known, entry.central_at, told=told)
    if entry.folder and entry.size:
        return Sighting(Seen.FOLDER_WITH_BYTES, f"{entry.size} bytes", "0 bytes in a folder", entry.central_at)
    return None


def _overlaps(members: Iterable[Member], end: End) -> Iterator[Sighting]:
    """At most one: the first member that shares bytes with the one before it or with the central directory."""
    ordered = sorted(members, key=lambda member: (member.entry.offset, member.end))
    reached = 0
    for member in ordered:
        if member.entry.offset < reached:
            shared = reached - member.entry.offset
            yield Sighting(Seen.MEMBERS_OVERLAP, f"{shared} shared bytes", "0", member.entry.offset)
            return
        reached = max(reached, member.end)
    if reached > end.offset and ordered and end.offset + end.size > ordered[0].entry.offset:
        shared = reached - end.offset
        yield Sighting(Seen.DIRECTORY_OVERLAPPED, f"{shared} shared bytes", "0", ordered[-1].entry.offset)


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
            raise _bad_stream(member, Seen.STREAM_DAMAGED, "a decoding error") from None
        pending = machine.unconsumed_tail
        left -= len(block)
        if left < 0:
            raise _bad_stream(member, Seen.STREAM_LONGER, f"more than {member.entry.size}")
        if not block and not pending and place >= member.end and not machine.eof:
            raise _bad_stream(member, Seen.STREAM_CUT, f"{member.entry.size - left} bytes")
        if block:
            yield block
    if left:
        raise _bad_stream(member, Seen.STREAM_SHORTER, f"{member.entry.size - left} bytes")


def _bad_stream(member: Member, what: Seen, measured: str) -> Broken:
    return Broken(Sighting(what, measured, f"{member.entry.size} bytes", member.at))


def content(at: BytesAt, member: Member, most: int) -> bytes:
    """The whole content of a member of at most `most` bytes. Raises `Broken`."""
    if member.problem is not None:
        raise Broken(member.problem)
    if member.entry.size > most:
        raise Broken(too_large(member.entry.size, most, member.at))
    if member.entry.method == DEFLATED and member.entry.compressed:
        return b"".join(inflated(at, member))
    return at.read(member.at, member.entry.size)


def too_large(size: int, most: int, offset: int) -> Sighting:
    """The archive would take more than the bounds to read."""
    return Sighting(Seen.TOO_LARGE, f"{size} bytes", f"{most} bytes", offset)
