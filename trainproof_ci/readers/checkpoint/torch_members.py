"""The small members of a torch archive that torch reads before anything else: version, byte order, alignment."""

from trainproof_ci.readers.checkpoint.sightings import Broken, Seen, Sighting
from trainproof_ci.readers.checkpoint.zip_members import Member, content
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
    from trainproof_ci.readers.checkpoint.torch_zip import Archive

LONGEST = 256
OLDEST_VERSION, NEWEST_VERSION = 1, 10
"""The file format versions that torch reads; `torch.save` of today writes 3."""


def required(at: "BytesAt", archive: "Archive") -> list[Sighting]:
    """What torch reads before it reads anything else: members that it cannot read, a version it does not know."""
    sightings: list[Sighting] = []
    for name in (".data/serialization_id", ".format_version"):  # read, and of no consequence
        member = archive.get(name)
        if member is not None and member.problem is not None:
            sightings.append(member.problem._replace(unread=member.entry.folder))
    version = archive.get(".data/version") or archive.get("version")
    if version is None:
        return [*sightings, Sighting(Seen.NO_VERSION, "no version", "version in the root folder")]
    number = _number(at, version, sightings)
    if number is not None and not OLDEST_VERSION <= number <= NEWEST_VERSION:
        known = f"{OLDEST_VERSION} to {NEWEST_VERSION}"
        sightings.append(Sighting(Seen.UNKNOWN_VERSION, f"version {number}", known, version.at))
    order = archive.get("byteorder")
    text = _content(at, order, sightings) if order is not None else None
    if order is not None and text is not None and text not in {b"little", b"big"}:
        sightings.append(Sighting(Seen.UNKNOWN_ORDER, f"{order.entry.size} bytes", "little or big", order.at))
    alignment = archive.get(".storage_alignment")
    if alignment is not None:
        _number(at, alignment, sightings, whole=True)
    return sightings


def _content(at: "BytesAt", member: Member, sightings: list[Sighting]) -> bytes | None:
    try:
        return content(at, member, LONGEST)
    except Broken as damage:
        sightings.append(damage.sighting)
        return None


def _number(at: "BytesAt", member: Member, sightings: list[Sighting], *, whole: bool = False) -> int | None:
    """The number that a small member holds; what stands in front of and behind the digits as torch takes it."""
    held = _content(at, member, sightings)
    if held is None:
        return None
    text = held.decode("latin-1").strip(" \t\n\r\v\f")
    sign = text[:1] if text[:1] in {"+", "-"} else ""
    digits = text[len(sign) :]
    length = next((index for index, char in enumerate(digits) if not ("0" <= char <= "9")), len(digits))
    if not length or (whole and length < len(digits)):
        sightings.append(Sighting(Seen.NO_NUMBER, f"{member.entry.size} bytes", "a number", member.at))
        return None
    return int(sign + digits[:length])


def is_big_endian(at: "BytesAt", archive: "Archive") -> bool:
    """Whether the machine that wrote the archive stored the high byte first."""
    order = archive.get("byteorder")
    return order is not None and order.problem is None and order.entry.size == 3 and at.read(order.at, 3) == b"big"
