"""Checksums of all members of an archive: the CRC of zlib, in threads, with constant memory.

Each thread takes the next member, or part of a long one, and reads it with positioned reads; both the read and the
checksum let other threads run. The longest go first, so that no thread is left with one alone at the end.
"""

import os
import time
import zlib
from collections.abc import Iterable, Sequence
from threading import Thread

from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.crc_parts import joined
from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.readers.checkpoint.zip_members import DEFLATED, MOST_INFLATED, Member, inflated, too_large
from trainproof_ci.typed import NamedTuple

BLOCK = 1 << 20
PART = 32 << 20
"""A longer member is read in parts of this size, whose checksums are joined."""
THREADS = 4
ALONE_BELOW = 8 << 20
"""Fewer bytes than this are checked faster than threads start."""


class Checked(NamedTuple):
    """What the checksums said: a word for the report, and the members whose bytes are others."""

    said: str
    sightings: tuple[Sighting, ...]


def check_all(at: BytesAt, members: Sequence[Member], deadline: float) -> Checked:
    """Compare the checksum of every member that can be read with the one of the central directory.

    `deadline` is a `time.monotonic()` beyond which `Unreadable` is raised.
    """
    readable = [member for member in members if member.problem is None and member.entry.size]
    if readable and not any(member.entry.crc for member in readable):
        where = readable[0].entry.central_at
        return Checked(
            "written without",
            (Sighting(Seen.NO_CHECKSUMS, f"0 of {len(readable)} checksums", "one a member", where),),
        )
    stored = [member for member in readable if member.entry.method != DEFLATED]
    deflated = [member for member in readable if member.entry.method == DEFLATED]
    sightings = _in_threads(at, stored, deadline)
    room, skipped = MOST_INFLATED, 0
    for member in deflated:
        room -= member.entry.size
        if room < 0:
            skipped += 1
            continue
        sightings += _deflated(at, member, deadline)
    if skipped:
        sightings.append(too_large(sum(member.entry.size for member in deflated), MOST_INFLATED, deflated[0].at))
    return Checked(f"{len(readable) - skipped} of {len(readable)} members verified", tuple(sightings))


def _deflated(at: BytesAt, member: Member, deadline: float) -> list[Sighting]:
    try:
        return _compare(member, _of_blocks(inflated(at, member), deadline))
    except Broken as damage:
        return [damage.sighting]


class _Part(NamedTuple):
    """A run of bytes of one member that one thread reads: the number of the member, offset in it, size."""

    member: int
    start: int
    size: int


def _in_threads(at: BytesAt, members: list[Member], deadline: float) -> list[Sighting]:
    parts = [
        _Part(number, start, min(PART, member.entry.size - start))
        for number, member in enumerate(members)
        for start in range(0, member.entry.size, PART)
    ]
    waiting = sorted(parts, key=lambda part: part.size)
    found: dict[_Part, int] = {}
    errors: list[BaseException] = []

    def work() -> None:
        block = memoryview(bytearray(BLOCK))
        while waiting and not errors:
            try:
                part = waiting.pop()
                found[part] = _of_range(at, members[part.member].at + part.start, part.size, block, deadline)
            except IndexError:  # another thread took the last one
                return
            except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that waits
                errors.append(error)

    small = sum(part.size for part in parts) < ALONE_BELOW
    threads = [Thread(target=work, daemon=True) for _ in range(0 if small else min(THREADS, os.cpu_count() or 1) - 1)]
    for thread in threads:
        thread.start()
    try:
        work()
        for thread in threads:
            thread.join()
    finally:  # an interrupt or the deadline of the whole must not leave threads reading on
        waiting.clear()
    if errors:
        raise errors[0]
    checksums: dict[int, int] = {}
    for part in parts:  # in order, as the bytes stand in the member
        before = checksums.get(part.member)
        checksums[part.member] = found[part] if before is None else joined(before, found[part], part.size)
    different = [seen for number, member in enumerate(members) for seen in _compare(member, checksums[number])]
    return sorted(different, key=lambda seen: seen.offset or 0)


def _compare(member: Member, found: int) -> list[Sighting]:
    if found == member.entry.crc:
        return []
    both = f"{found:08x}", f"{member.entry.crc:08x}"
    return [Sighting(Seen.CHECKSUM_DIFFERS, *both, member.at, told={"size": member.entry.size})]


def _of_range(at: BytesAt, place: int, left: int, block: memoryview, deadline: float) -> int:
    crc = 0
    while left:
        view = block if left >= BLOCK else block[:left]
        got = at.read_into(view, place)
        if got < len(view):
            raise Unreadable(
                "the file became shorter while it was read",
                rule="TP-FILE-CHANGED-WHILE-READ",
                measured=f"{place + got} bytes",
            )
        crc = zlib.crc32(view, crc)
        place, left = place + got, left - got
        past(deadline)
    return crc


def _of_blocks(blocks: Iterable[bytes], deadline: float) -> int:
    crc = 0
    for block in blocks:
        crc = zlib.crc32(block, crc)
        past(deadline)
    return crc


def past(deadline: float) -> None:
    """Raise `Unreadable` when `time.monotonic()` is past `deadline`."""
    if time.monotonic() > deadline:
        raise Unreadable(
            "the checkpoint takes longer to read than the deadline allows",
            rule="TP-FILE-DEADLINE",
            measured="past the deadline",
            limit="the deadline",
        )
