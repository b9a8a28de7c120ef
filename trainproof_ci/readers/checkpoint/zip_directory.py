"""The end records and the central directory of a ZIP, read as strictly as the reader inside torch reads them.

What that reader refuses is `Broken` here. What it overlooks but a careful writer would not have written is kept
beside what was read.
"""

from struct import Struct

from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.typed import NamedTuple

LOCAL_MAGIC = b"PK\x03\x04"
CENTRAL_MAGIC = b"PK\x01\x02"
END_MAGIC = b"PK\x05\x06"
END = Struct("<4s4H2LH")
LOCATOR = Struct("<4sLQL")
END64 = Struct("<4sQ2H2L4Q")
CENTRAL = Struct("<4s6H3L5H2L")
LOCAL = Struct("<4s5H3L2H")
ABSENT = 0xFFFFFFFF
"""A 32-bit field of this value is written in the ZIP64 extra field instead."""
MOST_ENTRIES = 2_000_000
LARGEST_DIRECTORY = 256 << 20
SEARCHED = 0xFFFF + 22
WINDOW, STEP = 4096, 4093


class End(NamedTuple):
    """What the end records say: entries, size and offset of the central directory, and where the file should end."""

    entries: int
    size: int
    offset: int
    at: int
    disk: int
    sightings: tuple[Sighting, ...]


class Entry(NamedTuple):
    """One entry of the central directory. `central_at` is the offset of its record, `offset` of its local header."""

    name: str
    flags: int
    method: int
    crc: int
    compressed: int
    size: int
    offset: int
    folder: bool
    central_at: int


def broken(what: Seen, measured: str, wanted: str, offset: int | None = None) -> Broken:
    """Something beyond which nothing of the archive can be trusted."""
    return Broken(Sighting(what, measured, wanted, offset))


def read_end(at: BytesAt) -> End:
    """Find and read the end record and, where there is one, the ZIP64 end record."""
    span = WINDOW
    while span < min(at.size, SEARCHED):
        span += STEP
    span = min(span, at.size)
    tail = at.read(at.size - span, span)
    found = tail.rfind(END_MAGIC, 0, max(0, len(tail) - END.size + len(END_MAGIC)))
    if found < 0:
        raise broken(Seen.NO_END, f"{at.size} bytes and no end record", "an end record", at.size)
    place = at.size - span + found
    _, disk, directory_disk, here, total, size, offset, comment = END.unpack(tail[found : found + END.size])
    end = End(total, size, offset, place, disk, _trailing(at.size, place, comment))
    record, begins = _zip64(at, place), place
    if record is not None:
        begins = place - LOCATOR.size - 12 - record[1]
        end, here, directory_disk = _from_zip64(record, end)
    if end.entries != here:
        raise broken(Seen.SEVERAL_DISKS, f"{here} of {end.entries} entries", "all of them", place)
    if (end.disk or directory_disk) and (end.disk, directory_disk) != (1, 1):
        raise broken(Seen.SEVERAL_DISKS, f"disk {end.disk}", "disk 0", place)
    return end._replace(sightings=(*end.sightings, *_between(end, begins)))


def _between(end: End, begins: int) -> tuple[Sighting, ...]:
    """At most one: bytes between the central directory and the end records, where a second save would lie."""
    over = begins - end.offset - end.size
    if over <= 0:
        return ()
    return (Sighting(Seen.BYTES_BETWEEN, f"{over} bytes", "0 bytes", end.offset + end.size, told={"over": over}),)


def _trailing(size: int, place: int, comment: int) -> tuple[Sighting, ...]:
    over = size - place - END.size - comment
    if not over:
        return ()
    what = Seen.TRAILING_BYTES if over > 0 else Seen.CUT_COMMENT
    return (Sighting(what, f"{over} bytes", "0 bytes", place + END.size, told={"over": over}),)


def _zip64(at: BytesAt, place: int) -> tuple[int, ...] | None:
    """The fields of the ZIP64 end record (without magic), with the number of disks in front; None without one."""
    if place < LOCATOR.size + END64.size:
        return None
    magic, _, offset, disks = LOCATOR.unpack(at.read(place - LOCATOR.size, LOCATOR.size))
    if magic != b"PK\x06\x07":
        return None
    if offset > at.size - END64.size:
        raise broken(Seen.END64_BEYOND, f"offset {offset}", f"at most {at.size}", place)
    record = END64.unpack(at.read(offset, END64.size))
    if record[0] != b"PK\x06\x06":
        return None
    return (disks, *record[1:])


def _from_zip64(record: tuple[int, ...], end: End) -> tuple[End, int, int]:
    disks, length, _, _, disk, directory_disk, here, entries, size, offset = record
    if length < END64.size - 12:
        raise broken(Seen.END64_SHORT, f"{length} bytes", f"{END64.size - 12} bytes", end.at)
    if disks != 1:
        raise broken(Seen.SEVERAL_DISKS, f"{disks} disks", "1 disk", end.at)
    if max(here, entries, size) > ABSENT:
        raise broken(Seen.END64_RANGE, f"{max(here, entries, size)}", f"at most {ABSENT}", end.at)
    pairs = ((end.entries, entries, 0xFFFF), (end.size, size, ABSENT), (end.offset, offset, ABSENT))
    sightings = list(end.sightings)
    if any(short not in {long, absent} for short, long, absent in pairs):
        both = f"directory at {end.offset}", f"directory at {offset}"
        sightings.append(Sighting(Seen.ENDS_DIFFER, *both, end.at))
    return End(entries, size, offset, end.at, disk, tuple(sightings)), here, directory_disk


def read_entries(at: BytesAt, end: End) -> list[Entry]:
    """Every entry of the central directory, in its order."""
    if end.size < end.entries * CENTRAL.size or end.offset + end.size > at.size:
        held = f"{end.entries} entries, {end.size} bytes from {end.offset}"
        raise broken(Seen.DIRECTORY_OUTSIDE, held, f"inside {at.size} bytes", end.at)
    if end.entries > MOST_ENTRIES or end.size > LARGEST_DIRECTORY:
        held, bounds = f"{end.entries} entries, {end.size} bytes", f"{MOST_ENTRIES} entries, {LARGEST_DIRECTORY} bytes"
        raise broken(Seen.DIRECTORY_LARGE, held, bounds, end.at)
    if not end.entries:
        raise broken(Seen.NO_ENTRIES, "0 entries", "at least 1", end.at)
    directory = at.read(end.offset, end.size)
    entries, place = [], 0
    for _ in range(end.entries):
        entry, place = _entry(directory, place, end, at.size)
        entries.append(entry)
    return entries


def _entry(directory: bytes, place: int, end: End, archive: int) -> tuple[Entry, int]:
    where = end.offset + place
    if directory[place : place + 4] != CENTRAL_MAGIC or len(directory) - place < CENTRAL.size:
        raise broken(Seen.RECORD_DAMAGED, "no record", "a record", where)
    record = CENTRAL.unpack_from(directory, place)
    flags, method, crc, compressed, size = record[3], record[4], record[7], record[8], record[9]
    name_length, extra_length, comment_length, disk, attributes, offset = (*record[10:14], record[15], record[16])
    names = place + CENTRAL.size
    following = names + name_length + extra_length + comment_length
    extra = directory[names + name_length : names + name_length + extra_length]
    if extra and max(compressed, size, offset) == ABSENT:
        size, compressed, offset = _extended(extra, size, compressed, offset, where)
    sized = ABSENT not in {compressed, size}
    if sized and ((not method and not record[5] and size != compressed) or (size and not compressed)):
        raise broken(Seen.MEMBER_SIZES, f"{size} and {compressed}", "equal", where)
    if disk == 0xFFFF or disk not in {end.disk, 1}:
        raise broken(Seen.MEMBER_DISK, f"disk {disk}", f"disk {end.disk}", where)
    if compressed != ABSENT and offset + LOCAL.size + compressed > archive:
        raise broken(Seen.MEMBER_OUTSIDE, f"{offset + compressed}", f"at most {archive}", where)
    if flags & 0x2000:
        raise broken(Seen.DIRECTORY_ENCRYPTED, f"flags {flags:#x}", "no encryption", where)
    if following > len(directory):
        raise broken(Seen.RECORD_CUT, f"{following} bytes", f"{len(directory)}", where)
    raw = directory[names : names + name_length].split(b"\0", 1)[0]
    folder = directory[names : names + name_length].endswith(b"/") or bool(attributes & 0x10)
    return Entry(raw.decode("utf-8", "replace"), flags, method, crc, compressed, size, offset, folder, where), following


def _extended(extra: bytes, size: int, compressed: int, offset: int, where: int) -> tuple[int, int, int]:
    """The three fields with those replaced that the ZIP64 extra field holds."""
    place = 0
    while place < len(extra):
        field, length = (
            int.from_bytes(extra[place : place + 2], "little"),
            int.from_bytes(extra[place + 2 : place + 4], "little"),
        )
        if place + 4 + length > len(extra):
            raise broken(Seen.EXTRA_FIELD, f"{length} bytes", f"{len(extra) - place}", where)
        if field == 1:
            values = extra[place + 4 : place + 4 + length]
            fields = [size, compressed, offset]
            for index, value in enumerate(fields):
                if value == ABSENT:
                    if len(values) < 8:
                        raise broken(Seen.EXTRA_SHORT, f"{length} bytes", "8 a value", where)
                    fields[index], values = int.from_bytes(values[:8], "little"), values[8:]
            return fields[0], fields[1], fields[2]
        place += 4 + length
    return size, compressed, offset


def doubled_names(entries: list[Entry]) -> list[Sighting]:
    """At most one sighting: entries that share a name; torch looks names up without regard to case."""
    seen: set[str] = set()
    doubled = [entry for entry in entries if entry.name.lower() in seen or seen.add(entry.name.lower())]  # type: ignore[func-returns-value]
    if not doubled:
        return []
    return [Sighting(Seen.DOUBLED_NAMES, f"{len(doubled)} doubled names", "0", doubled[0].central_at)]
