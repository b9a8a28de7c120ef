"""A checkpoint that is not what was saved: cut short, altered, incomplete, or none at all."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.checkpoint.facts import Checkpoint, Fault
from trainproof_ci.registry import Limits, rule


def fired(checkpoint: Checkpoint, rule_id: str) -> Iterator[Firing]:
    """A firing for each message among the faults of `rule_id`, with every place it was found at."""
    by_message: dict[tuple[str, Severity | None], list[Fault]] = {}
    for fault in checkpoint.all_faults():
        if fault.rule == rule_id:
            by_message.setdefault((fault.message, fault.severity), []).append(fault)
    for (message, severity), faults in by_message.items():
        places = Places()
        for fault in faults:
            line = 1 if fault.offset is None else None
            places.add(Location(fault.path or checkpoint.path, line, byte_offset=fault.offset))
        yield Firing(message, faults[0].measured, faults[0].limit, places, severity=severity)


@rule("TP-CKPT-EMPTY", Severity.FAIL)
def empty_file(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The checkpoint has no bytes.

    Why: it was created and never written, or a disk was full; `torch.load` raises EOFError.
    Fix: resume from the previous checkpoint; look at the disk and at what killed the save.
    Stands down: never.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-EMPTY")


@rule("TP-CKPT-TRUNCATED", Severity.FAIL)
def cut_short(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The checkpoint breaks off: the save was killed midway, or a copy was.

    Why: an archive has its directory at its end, so a save that was killed leaves local headers and no directory;
    the weights that are there belong to no whole state.
    Fix: resume from the previous checkpoint. Save to a temporary name and rename, so that a kill leaves the old one.
    Stands down: never.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-TRUNCATED")


@rule("TP-CKPT-CORRUPT", Severity.FAIL)
def altered(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """The bytes of the checkpoint are not those that were saved, or readers can disagree on them.

    Why: torch compares no checksums, so a flipped bit in a weight loads without a word. Members that overlap or share
    a name, or leave their folder, let two tools see two different checkpoints.
    Fix: take another copy, or the previous checkpoint; compare its SHA-256 where it came from.
    Stands down: never. It only warns of what no reader of checkpoints looks at, such as a local header that
    disagrees with the central one, unless the pickle also imports what it should not.
    """
    del limits
    crafted = any(file.imports for file in checkpoint.files)
    for firing in fired(checkpoint, "TP-CKPT-CORRUPT"):
        yield firing._replace(severity=Severity.FAIL) if crafted else firing


@rule("TP-CKPT-INCOMPLETE", Severity.FAIL)
def incomplete(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A storage that the checkpoint names is missing, or is shorter than its tensors.

    Why: `data.pkl` names every storage with its type and size; the archive can be a valid ZIP and still lack one.
    Fix: save again, or resume from the previous checkpoint.
    Stands down: never.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-INCOMPLETE")


@rule("TP-CKPT-UNREADABLE", Severity.FAIL)
def unreadable(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """No checkpoint that torch or safetensors could load.

    Why: an error page saved under its name, a ZIP of something else, a pickle that is none, an encrypted member.
    Fix: the message says what it is; fetch or save the checkpoint again.
    Stands down: never.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-UNREADABLE")


@rule("TP-CKPT-TRAILING", Severity.WARN)
def trailing(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """Something follows the end of the archive, or its end records disagree.

    Why: torch loads it, and other readers may find another end; a copy that appended is the usual cause.
    Fix: save or copy it again.
    Stands down: never.
    """
    del limits
    yield from fired(checkpoint, "TP-CKPT-TRAILING")
