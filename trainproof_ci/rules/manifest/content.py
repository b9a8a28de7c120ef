"""Whether a file is, byte for byte, the one that its manifest entry records."""

from collections.abc import Iterable, Iterator

from trainproof_ci.intake.artifact import short
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.manifest import Manifest
from trainproof_ci.readers.manifest.entries import Entry
from trainproof_ci.readers.manifest.held import Held
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.manifest.differing import fired


@rule("TP-MANIFEST-BYTES", Severity.FAIL, needs=("bytes",))
def size_differs(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A file has another size than recorded.

    Why: it is not the file that was checked. The message tells a cut file (the beginning is as recorded), one that
    something was appended to (a retry that appended) and another content apart, as far as the entry allows.
    Fix: copy the file again, or write the manifest again if the change was meant.
    """
    wrong = [(entry, held) for entry, held in manifest.accepted if held.other_size(entry)]
    if wrong:
        entry, held = wrong[0]
        assert held.artifact is not None
        yield fired(
            manifest,
            wrong,
            f"a file is not the one recorded: {held.difference(entry)}",
            f"{held.artifact.bytes} bytes",
            f"{entry.bytes} bytes",
        )


@rule("TP-MANIFEST-DIGEST", Severity.FAIL, needs=("digest",))
def digest_differs(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A file has another digest than recorded.

    Why: the bytes are not those that were checked, whatever their number. A file whose size differs too is reported
    as TP-MANIFEST-BYTES alone. A Git LFS pointer carries the digest and is verified without the bytes.
    Fix: copy the file again, or write the manifest again if the change was meant.
    """
    wrong = [(entry, held) for entry, held in manifest.accepted if held.other_digest(entry)]
    if wrong:
        entry, held = wrong[0]
        assert held.artifact is not None
        assert entry.algorithm is not None
        yield fired(
            manifest,
            wrong,
            f"a file is not the one recorded: {held.difference(entry)}",
            f"{entry.algorithm} {short(held.artifact.digests[entry.algorithm])}",
            f"{entry.algorithm} {short(entry.digest)}",
        )


@rule("TP-MANIFEST-RECORDS", Severity.FAIL, needs=("records",))
def records_differ(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A file holds another number of records than recorded.

    Why: its bytes are as recorded, so the count in the manifest was written for another file or edited by hand; a
    run that trusts it plans its steps and its epochs wrongly. Files whose bytes differ have been reported for that.
    Fix: write the manifest again.
    """
    wrong = [
        (entry, held)
        for entry, held in _intact(manifest)
        if held.records is not None and entry.records is not None and held.records != entry.records
    ]
    if wrong:
        entry, held = wrong[0]
        yield fired(
            manifest,
            wrong,
            "a file holds another number of records than its entry says",
            f"{held.records} records",
            f"{entry.records} records",
        )


@rule("TP-MANIFEST-ENCODING", Severity.FAIL, needs=("encoding",))
def encoding_differs(manifest: Manifest, limits: Limits) -> Iterator[Firing]:
    """A file has another encoding than recorded.

    Why: a reader that believes the manifest raises on the first character, or trains on mojibake.
    Fix: write the manifest again.
    """
    wrong = [
        (entry, held)
        for entry, held in _intact(manifest)
        if held.encoding is not None
        and entry.encoding is not None
        and _folded(held.encoding) != _folded(entry.encoding)
    ]
    if wrong:
        entry, held = wrong[0]
        known = _folded(entry.encoding or "") in {"utf8", "utf8sig", "ascii", "utf16", "utf16le", "utf16be", "latin1"}
        yield fired(
            manifest,
            wrong,
            "a file has another encoding than its entry says",
            str(held.encoding),
            str(entry.encoding) if known else "an encoding of another name",
        )


def _intact(manifest: Manifest) -> Iterable[tuple[Entry, Held]]:
    """The files whose bytes are not already known to be others."""
    for entry, held in manifest.accepted:
        if held.by == "file" and not held.other_size(entry) and not held.other_digest(entry):
            yield entry, held


def _folded(encoding: str) -> str:
    return encoding.lower().replace("-", "").replace("_", "")
