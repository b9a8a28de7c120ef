"""Whether a copy may take its place: judged on the bytes that arrived, before anything is renamed."""

from collections.abc import Iterator, Mapping

from trainproof_ci.intake.artifact import Artifact, difference, short
from trainproof_ci.model import Chart, Firing, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.manifest.entries import Entry
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import NamedTuple


class Copy(NamedTuple):
    """A file and its copy in the temporary place. `recorded` is the file's manifest entry, `verdict` that of the copy."""

    source: str
    sent: Artifact
    arrived: Artifact
    recorded: Entry | None
    verdict: TargetReport | None

    def lacks(self, need: str) -> str | None:
        """Why a rule cannot run."""
        rejected = self.recorded is not None and self.recorded.rejected is not None
        if need == "verdict" and self.verdict is None and not rejected:
            return "not recognised as anything that can be judged: only its size and digest were verified"
        return None

    def summary(self) -> Mapping[str, object]:
        """What arrived."""
        return {"bytes": self.arrived.bytes, "sha256": self.arrived.sha256}

    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()

    @property
    def places(self) -> Places:
        """The file as a whole."""
        return Places(Location(self.source, line=1))


@rule("TP-PROMOTE-SIZE", Severity.FAIL)
def size_differs(copy: Copy, limits: Limits) -> Iterator[Firing]:
    """The file, or what arrived of it, has another size than it must have.

    Why: a cut upload looks like a file to everything that opens it. The message tells a copy that begins like the
    file from another content. The temporary copy is removed and the destination untouched.
    Fix: promote again; a retry begins anew and never appends. If the file itself differs from its manifest entry,
    restore it first.
    """
    recorded = copy.recorded.bytes if copy.recorded is not None else None
    if copy.recorded is not None and recorded is not None and recorded != copy.sent.bytes:
        yield Firing(
            f"the file is not the one recorded: {difference(recorded, copy.recorded.blocks, copy.sent)}",
            f"{copy.sent.bytes} bytes",
            f"{recorded} bytes",
            copy.places,
        )
    elif copy.arrived.bytes != copy.sent.bytes:
        yield Firing(
            f"the copy is not the file: {difference(copy.sent.bytes, copy.sent.blocks, copy.arrived)}",
            f"{copy.arrived.bytes} bytes arrived",
            f"{copy.sent.bytes} bytes sent",
            copy.places,
        )


@rule("TP-PROMOTE-DIGEST", Severity.FAIL)
def digest_differs(copy: Copy, limits: Limits) -> Iterator[Firing]:
    """The file, or what arrived of it, has the right size and other content.

    Why: damage on the way, a disk that lies, or an edit after the manifest was written. The temporary copy is removed
    and the destination untouched.
    Fix: promote again; if the file itself differs from its manifest entry, restore it or record it anew.
    """
    entry = copy.recorded
    changed = entry is not None and entry.algorithm == "sha256" and entry.digest != copy.sent.sha256
    if entry is not None and changed and entry.bytes in {None, copy.sent.bytes}:
        yield Firing(
            f"the file is not the one recorded: {difference(entry.bytes, entry.blocks, copy.sent)}",
            f"sha256 {short(copy.sent.sha256)}",
            f"sha256 {short(entry.digest)}",
            copy.places,
        )
    elif copy.arrived.bytes == copy.sent.bytes and copy.arrived.sha256 != copy.sent.sha256:
        yield Firing(
            f"the copy is not the file: {difference(copy.sent.bytes, copy.sent.blocks, copy.arrived)}",
            f"sha256 {short(copy.arrived.sha256)} arrived",
            f"sha256 {short(copy.sent.sha256)} sent",
            copy.places,
        )


@rule("TP-PROMOTE-INVALID", Severity.FAIL, needs=("verdict",))
def not_valid(copy: Copy, limits: Limits) -> Iterator[Firing]:
    """What arrived is broken as a dataset, a log or a checkpoint, or is on the manifest's list of rejected artifacts.

    Why: a file in the promoted place is one that runs are started on. The temporary copy is removed and the
    destination untouched. A copy that could not be judged is not promoted either, and NOT-CHECKED.
    Fix: the copy's own findings say what is broken.
    Stands down: for files that are none of the kinds that can be judged.
    """
    if copy.recorded is not None and copy.recorded.rejected is not None:
        yield Firing(
            "the file is listed as rejected", f"rejected, sha256 {short(copy.sent.sha256)}", "accepted", copy.places
        )
        return
    assert copy.verdict is not None
    for severity in (Severity.FAIL, Severity.NOT_CHECKED):
        broken = [finding for finding in copy.verdict.findings if finding.severity is severity]
        if broken:
            word = "not valid" if severity is Severity.FAIL else "not judged"
            yield Firing(
                f"the copy is {word} where it arrived: {broken[0].message}",
                f"{broken[0].rule}, {broken[0].measured}",
                broken[0].limit,
                copy.places,
                severity=severity,
            )
            return
