"""The small members of a torch archive that torch reads before anything else: version, byte order, alignment."""

from typing import TYPE_CHECKING

from trainproof_ci.readers.checkpoint.facts import Broken, Fault
from trainproof_ci.readers.checkpoint.zip_members import Member, content

if TYPE_CHECKING:
    from trainproof_ci.readers.checkpoint.bytes_at import BytesAt
    from trainproof_ci.readers.checkpoint.torch_zip import Archive

OLDEST_VERSION, NEWEST_VERSION = 1, 10
"""The file format versions that torch reads; `torch.save` of today writes 3."""


def no_checkpoint(why: str, measured: str, limit: str, offset: int | None = None) -> Fault:
    """The ZIP is one of something else."""
    return Fault("TP-CKPT-UNREADABLE", f"this ZIP is no torch checkpoint: {why}", measured, limit, offset)


def required(at: "BytesAt", archive: "Archive") -> list[Fault]:
    """What torch reads before it reads anything else: members that it cannot read, a version it does not know."""
    faults = []
    version = archive.get(".data/version") or archive.get("version")
    for name in (".data/serialization_id", "byteorder", ".format_version", ".storage_alignment"):
        member = archive.get(name)
        faults += [member.problem] if member is not None and member.problem is not None else []
    if version is None:
        faults.append(no_checkpoint("it has no version member", "no version", "version in the root folder"))
        return faults
    number = _number(at, version, faults)
    if number is not None and not OLDEST_VERSION <= number <= NEWEST_VERSION:
        faults.append(
            Fault(
                "TP-CKPT-UNREADABLE",
                "torch does not know the version of this archive",
                f"version {number}",
                f"{OLDEST_VERSION} to {NEWEST_VERSION}",
                version.at,
            )
        )
    order = archive.get("byteorder")
    if order is not None and order.problem is None and content(at, order, 64) not in {b"little", b"big"}:
        faults.append(
            Fault(
                "TP-CKPT-UNREADABLE",
                "the byte order of the archive is neither little nor big",
                f"{order.entry.size} bytes",
                "little or big",
                order.at,
            )
        )
    alignment = archive.get(".storage_alignment")
    if alignment is not None and alignment.problem is None:
        _number(at, alignment, faults, whole=True)
    return faults


def _number(at: "BytesAt", member: Member, faults: list[Fault], *, whole: bool = False) -> int | None:
    """The number that a small member holds; what stands in front of and behind the digits as torch takes it."""
    try:
        text = content(at, member, 256).decode("latin-1").strip(" \t\n\r\v\f")
    except Broken as damage:
        faults.append(damage.fault)
        return None
    sign = text[:1] if text[:1] in {"+", "-"} else ""
    digits = text[len(sign) :]
    length = next((index for index, char in enumerate(digits) if not ("0" <= char <= "9")), len(digits))
    if not length or (whole and length < len(digits)):
        faults.append(
            Fault(
                "TP-CKPT-UNREADABLE",
                "a member that holds a number holds none",
                f"{member.entry.size} bytes",
                "a number",
                member.at,
            )
        )
        return None
    return int(sign + digits[:length])


def is_big_endian(at: "BytesAt", archive: "Archive") -> bool:
    """Whether the machine that wrote the archive stored the high byte first."""
    order = archive.get("byteorder")
    return order is not None and order.problem is None and order.entry.size == 3 and at.read(order.at, 3) == b"big"
