"""Whether a run may resume: the data as it was, and a checkpoint that is whole. Any doubt rejects, and says which."""

from collections.abc import Iterator, Mapping, Sequence

from trainproof_ci.intake.artifact import short
from trainproof_ci.model import Chart, Firing, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.manifest import Manifest
from trainproof_ci.readers.manifest.entries import Entry
from trainproof_ci.readers.manifest.held import Held
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.manifest.differing import fired
from trainproof_ci.typed import NamedTuple

TRAINED_ON = frozenset({None, "train"})


class Resume(NamedTuple):
    """What a resume rests on. `configuration` is the recorded and the present digest of the run's configuration."""

    manifest: Manifest
    checkpoints: Sequence[TargetReport]
    configuration: tuple[str, str] | None

    def lacks(self, need: str) -> str | None:
        """Why a rule cannot run."""
        if need == "split" and all(entry.split in TRAINED_ON for entry, _ in self.manifest.accepted):
            return "the manifest names no evaluation split"
        if need == "configuration" and self.configuration is None:
            return "no configuration recorded, or none named with --run-config"
        return None

    def summary(self) -> Mapping[str, object]:
        """Counts."""
        return {**self.manifest.summary(), "checkpoints": len(self.checkpoints)}

    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()


@rule("TP-RESUME-DIGEST", Severity.FAIL)
def data_changed(resume: Resume, limits: Limits) -> Iterator[Firing]:
    """The data is not what the run began with.

    Why: a resumed run would continue on other records in another order; its loss curve, its epoch and its sampler
    state belong to the old ones. The message says whether the file is gone, cut, damaged or another.
    Fix: restore the recorded file (or resume from a checkpoint of the new data's run), or begin a new run.
    """
    wrong = _differing(resume.manifest, trained_on=True)
    if wrong:
        entry, held = wrong[0]
        yield fired(
            resume.manifest, wrong, f"the data differs: {_how(entry, held)}", _measured(entry, held), _recorded(entry)
        )


@rule("TP-RESUME-SPLIT", Severity.FAIL, needs=("split",))
def split_changed(resume: Resume, limits: Limits) -> Iterator[Firing]:
    """The evaluation split is not the one that the run began with.

    Why: evaluations before and after the resume measure different things, and the best checkpoint is chosen among
    numbers that cannot be compared; where files were swapped, the run trains on its own evaluation.
    Fix: restore the recorded split.
    Stands down: when the manifest names no evaluation split.
    """
    wrong = _differing(resume.manifest, trained_on=False)
    if wrong:
        entry, held = wrong[0]
        yield fired(
            resume.manifest,
            wrong,
            f"the evaluation split differs: {_how(entry, held)}",
            _measured(entry, held),
            _recorded(entry),
        )


@rule("TP-RESUME-CONFIG", Severity.FAIL, needs=("configuration",))
def configuration_changed(resume: Resume, limits: Limits) -> Iterator[Firing]:
    """The run's configuration is not the one that was recorded.

    Why: another batch size, seed or schedule makes the optimiser state and the position in the data meaningless.
    Fix: resume with the recorded configuration, or begin a new run.
    Stands down: when the manifest records no configuration, or none is named.
    """
    assert resume.configuration is not None
    then, now = resume.configuration
    if then != now:
        yield Firing(
            "the run's configuration differs from the recorded one",
            f"sha256 {short(now)}",
            f"sha256 {short(then)}",
            Places(Location(resume.manifest.path, line=1)),
        )


@rule("TP-RESUME-CHECKPOINT", Severity.FAIL)
def checkpoint_not_whole(resume: Resume, limits: Limits) -> Iterator[Firing]:
    """The checkpoint is not whole.

    Why: a save that was killed loads partly or not at all, and a resume would begin from garbage or from step 0. A
    checkpoint that could not be judged is NOT-CHECKED here: it does not allow a resume either.
    Fix: resume from the previous checkpoint; the checkpoint's own finding says what is wrong with this one.
    """
    if not resume.checkpoints:
        yield Firing(
            "no checkpoint is there", "0 checkpoints", "at least 1", Places(Location(resume.manifest.path, line=1))
        )
    for severity in (Severity.FAIL, Severity.NOT_CHECKED):
        broken = [each for each in resume.checkpoints if each.verdict is severity]
        if broken:
            worst = next(finding for finding in broken[0].findings if finding.severity is severity)
            yield Firing(
                f"the checkpoint is {'not whole' if severity is Severity.FAIL else 'not judged'}: {worst.message}",
                f"{worst.rule}, {worst.measured}",
                worst.limit,
                Places(*(each.findings[0].location for each in broken)),
                severity=severity,
            )


def _differing(manifest: Manifest, *, trained_on: bool) -> list[tuple[Entry, Held]]:
    return [
        (entry, held)
        for entry, held in manifest.accepted
        if (entry.split in TRAINED_ON) is trained_on
        and (held.by == "missing" or held.other_size(entry) or held.other_digest(entry))
    ]


def _how(entry: Entry, held: Held) -> str:
    return "a file is gone" if held.by == "missing" else held.difference(entry)


def _measured(entry: Entry, held: Held) -> str:
    if held.artifact is None:
        return "no file"
    digest = held.artifact.digests.get(entry.algorithm or "")
    return f"{held.artifact.bytes} bytes" + (f", {entry.algorithm} {short(digest)}" if digest else "")


def _recorded(entry: Entry) -> str:
    size = f"{entry.bytes} bytes" if entry.bytes is not None else ""
    return ", ".join(
        part for part in (size, f"{entry.algorithm} {short(entry.digest)}" if entry.digest else "") if part
    )
