"""May a run resume: the rules of a resume, held against a manifest, the verdicts of checkpoints, and a configuration."""

from collections.abc import Sequence

from trainproof_ci.engine import judge_facts
from trainproof_ci.model import TargetReport
from trainproof_ci.registry import rules_in
from trainproof_ci.rules.manifest import resume
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.manifest import Manifest


def checkpoints_at(paths: Sequence[str], settings: "Settings") -> "list[Target]":
    """The checkpoints that are there; none where nothing is, which is a finding of its own."""
    from trainproof_ci.discovery import find

    found = [target for target in find(paths, settings) if target.is_file or target.members or target.size]
    return [target for target in found if target.kind == "checkpoint"]


def resumed(
    manifest: "Target",
    facts: "Manifest",
    checkpoints: Sequence[TargetReport],
    configuration: str | None,
    settings: "Settings",
) -> TargetReport:
    """The report of a resume, at the manifest. Raises `Unreadable` where the configuration cannot be read."""
    from trainproof_ci.intake.configuration import recorded, recorded_digest

    then = recorded_digest(facts.about)
    digests = (then, recorded(configuration)["sha256"]) if then and configuration else None
    return judge_facts(manifest, resume.Resume(facts, checkpoints, digests), rules_in((resume,)), settings)
