"""Whether a manifest is whole and its files are there; each finding stands on the manifest's own line."""

from collections.abc import Iterator

from trainproof_ci.intake.artifact import short
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.manifest import Manifest
from trainproof_ci.readers.manifest.entries import Entry, and_more
from trainproof_ci.registry import Limits, reason, rule

SYNTAX = reason(
    "TP-MANIFEST-SYNTAX",
    Severity.FAIL,
    """The manifest itself cannot be read.

    Why: it was cut, merged with conflict markers or edited into something that is no JSON (or, for a `.dvc` file, no
    YAML with outputs), so nothing that it records holds any longer.
    Fix: restore it from the last commit that had it whole, or write it again with `trainproof-ci manifest write`.
    """,
)


@rule("TP-MANIFEST-ENTRY", Severity.FAIL)
def malformed_entry(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """An entry of the manifest cannot be used.

    Why: a path that leaves the folder, a digest that is not whole, a negative or fractional count or a file listed
    twice verifies nothing; passing over it would read as verified. In a list of another tool it is NOT-CHECKED.
    Fix: correct the entry, or write the manifest again.
    """
    if manifest.malformed:
        first = manifest.malformed[0]
        yield Firing(
            f"an entry cannot be used: {first.problem}{and_more(len(manifest.malformed))}",
            first.found,
            "a whole entry",
            Places(*(manifest.place(each) for each in manifest.malformed)),
            severity=None if manifest.ours else Severity.NOT_CHECKED,
        )


@rule("TP-MANIFEST-MISSING", Severity.FAIL)
def missing_file(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A listed file is not there.

    Why: a run that was queued with this manifest would start with less than was checked, or fail after hours.
    In a list of another tool, which may be about files that were never meant to lie here, it is NOT-CHECKED.
    Fix: restore the file, fetch it (`dvc pull`), or take it out of the manifest.
    """
    gone = [entry for entry, held in manifest.accepted if held.by == "missing"]
    total = sum(1 for _ in manifest.accepted)
    if gone:
        yield Firing(
            f"a listed file is not there{and_more(len(gone))}",
            f"{len(gone)} of {total} files missing",
            "every listed file",
            manifest.places(gone),
            related=manifest.files(gone),
            severity=None if manifest.ours else Severity.NOT_CHECKED,
        )


@rule("TP-MANIFEST-UNVERIFIED", Severity.NOT_CHECKED)
def unverified_file(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A listed file could not be held against its entry.

    Why: it is no regular file inside the working directory, it changed while it was read, only a DVC pointer without
    the recorded kind of digest is here, or the entry records neither a digest nor a size.
    Fix: the message says which; fetch or replace the file, or record its digest.
    """
    reasons: dict[int, str] = {}
    for at, (entry, held) in enumerate(manifest.accepted):
        if held.by == "refused":
            reasons[at] = held.why
        elif entry.algorithm is None and entry.bytes is None:
            reasons[at] = "the entry records neither a digest nor a size"
        elif held.artifact is not None and entry.algorithm is not None and entry.algorithm not in held.artifact.digests:
            reasons[at] = f"{held.why or 'its bytes are not here'}, without a {entry.algorithm} to compare"
    if reasons:
        entries = [entry for at, (entry, _) in enumerate(manifest.accepted) if at in reasons]
        yield Firing(
            f"a file could not be verified: {next(iter(reasons.values()))}{and_more(len(reasons))}",
            f"{len(reasons)} not verified",
            "every entry verified",
            manifest.places(entries),
            related=manifest.files(entries),
        )


@rule("TP-MANIFEST-REJECTED", Severity.FAIL)
def rejected_in_use(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A rejected artifact lies among the files.

    Why: its digest is on the list of what was turned away, so this is the same broken file, perhaps under a new name
    or copied back by a retry. A rejected artifact is never used again.
    Fix: replace it by a repaired one. If the rejection was wrong, take its line out of the manifest by hand.
    """
    rejected = {entry.digest: entry for entry, _ in manifest.held if entry.rejected is not None and entry.digest}
    again: list[tuple[Entry, Entry]] = []
    for entry, held in manifest.held:
        digests = held.artifact.digests.values() if held.artifact is not None else ()
        again += [(entry, rejected[digest]) for digest in digests if digest in rejected][:1]
    if again:
        entries, first = [entry for entry, _ in again], again[0][1]
        yield Firing(
            f"a rejected artifact lies among the files{and_more(len(again))}",
            f"{first.algorithm or 'digest'} {short(first.digest)}, rejected",
            "no rejected artifact",
            manifest.places(entries),
            related=(*manifest.files(entries), manifest.place(first)._replace(note="rejected here")),
        )


@rule("TP-MANIFEST-UNLISTED", Severity.WARN, needs=("ours",))
def unlisted_file(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A dataset lies beside the listed files without being listed.

    Why: a glob that loads the folder would train on a file that nobody checked.
    Fix: write the manifest again, or move the file away.
    Stands down: for lists of other tools, which do not claim to be complete.
    """
    if manifest.unlisted:
        places = (Location(manifest.path, line=1, note="lists the folder"),)
        yield Firing(
            f"a dataset lies beside the listed files and is not listed{and_more(len(manifest.unlisted))}",
            f"{len(manifest.unlisted)} not listed",
            "0 not listed",
            Places(*places),
            related=tuple(Location(path, line=1, note="not listed") for path in manifest.unlisted[:10]),
        )
