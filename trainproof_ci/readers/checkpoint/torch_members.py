"""The small members of a torch archive that torch reads before anything else: version, byte order, alignment."""

from typing import TYPE_CHECKING

from trainproof_ci.model import Severity
from trainproof_ci.readers.checkpoint.facts import Broken, Fault
from trainproof_ci.readers.checkpoint.zip_members import Member, content

if TYPE_CHECKING:
    from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
    from trainproof_ci.readers.checkpoint.torch_zip import Archive

LONGEST = 256
OLDEST_VERSION, NEWEST_VERSION = 1, 10
"""The file format versions that torch reads; `torch.save` of today writes 3."""


def no_checkpoint(why: str, measured: str, limit: str, offset: int | None = None) -> Fault:
    """The ZIP is one of something else."""
    return Fault("TP-CKPT-UNREADABLE", f"this ZIP is no torch checkpoint: {why}", measured, limit, offset)


def required(at: "BytesAt", archive: "Archive") -> list[Fault]:
    """What torch reads before it reads anything else: members that it cannot read, a version it does not know."""
    faults: list[Fault] = []
    for name in (".data/serialization_id", ".format_version"):  # read, and of no consequence
        member = archive.get(name)
        if member is not None and member.problem is not None:
            harmless = Severity.WARN if member.entry.folder else None
            faults.append(member.problem._replace(severity=harmless))
    version = archive.get(".data/version") or archive.get("version")
    if version is None:
        return [*faults, no_checkpoint("it has no version member", "no version", "version in the root folder")]
    number = _number(at, version, faults)
    if number is not None and not OLDEST_VERSION <= number <= NEWEST_VERSION:
        known = f"{OLDEST_VERSION} to {NEWEST_VERSION}"
        faults.append(_unknown("torch does not know the version of this archive", f"version {number}", known, version))
    order = archive.get("byteorder")
    text = _content(at, order, faults) if order is not None else None
    if order is not None and text is not None and text not in {b"little", b"big"}:
        what = "the byte order of the archive is neither little nor big"
        faults.append(_unknown(what, f"{order.entry.size} bytes", "little or big", order))
    alignment = archive.get(".storage_alignment")
    if alignment is not None:
        _number(at, alignment, faults, whole=True)
    return faults


def _unknown(message: str, measured: str, limit: str, member: Member) -> Fault:
    return Fault("TP-CKPT-UNREADABLE", message, measured, limit, member.at)


def _content(at: "BytesAt", member: Member, faults: list[Fault]) -> bytes | None:
    try:
        return content(at, member, LONGEST)
    except Broken as damage:
        faults.append(damage.fault)
        return None


def _number(at: "BytesAt", member: Member, faults: list[Fault], *, whole: bool = False) -> int | None:
    """The number that a small member holds; what stands in front of and behind the digits as torch takes it."""
    held = _content(at, member, faults)
    if held is None:
        return None
    text = held.decode("latin-1").strip(" \t\n\r\v\f")
    sign = text[:1] if text[:1] in {"+", "-"} else ""
    digits = text[len(sign) :]
    length = next((index for index, char in enumerate(digits) if not ("0" <= char <= "9")), len(digits))
    if not length or (whole and length < len(digits)):
        what = "a member that holds a number holds none"
        faults.append(_unknown(what, f"{member.entry.size} bytes", "a number", member))
        return None
    return int(sign + digits[:length])


def is_big_endian(at: "BytesAt", archive: "Archive") -> bool:
    """Whether the machine that wrote the archive stored the high byte first."""
    order = archive.get("byteorder")
    return order is not None and order.problem is None and order.entry.size == 3 and at.read(order.at, 3) == b"big"
