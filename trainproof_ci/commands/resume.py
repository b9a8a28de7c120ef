"""`resume MANIFEST CHECKPOINT`: may this run resume; any doubt rejects, and says which."""

import argparse
import os
from collections.abc import Sequence
from types import SimpleNamespace

from trainproof_ci.commands.check import settings_from, tell
from trainproof_ci.commands.manifest import NAME, add_judging_arguments
from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.model import Report, TargetReport


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help=f"the manifest (default: {NAME}) and the checkpoint to resume from"
    )
    parser.add_argument("--run-config", metavar="FILE", help="the run's configuration, compared with the recorded one")
    add_judging_arguments(parser)


def run(arguments: SimpleNamespace) -> int:
    """Judge manifest and checkpoint; exit 0 means that the run may resume."""
    return tell(_resume(arguments.paths, arguments.run_config, settings_from(arguments)), arguments)


def _resume(paths: Sequence[str], configuration: str | None, settings: "Settings") -> "Report":
    from trainproof_ci.discovery import find
    from trainproof_ci.engine import check
    from trainproof_ci.model import Report
    from trainproof_ci.resuming import checkpoints_at

    manifests = [path for path in paths if _is_manifest(path)] or [NAME]
    rest = [path for path in paths if path not in manifests]
    if len(manifests) != 1:
        raise UsageError("one manifest at a time")
    if not rest:
        raise UsageError("name the checkpoint to resume from")
    checkpoints = check(checkpoints_at(rest, settings), settings).targets
    manifest = find(manifests, settings, "manifest")[0]
    return Report((_judged(manifest, checkpoints, configuration, settings), *checkpoints), settings.policy)


def _is_manifest(path: str) -> bool:
    from trainproof_ci.discovery import classify

    if not os.path.isfile(path):
        return False
    target = classify(os.path.relpath(path).replace(os.sep, "/"), os.path.realpath("."))
    return target is not None and target.kind == "manifest"


def _judged(
    manifest: "Target", checkpoints: "Sequence[TargetReport]", configuration: str | None, settings: "Settings"
) -> "TargetReport":
    """The manifest's own faults and the rules of a resume, in one report."""
    from trainproof_ci.engine import judge_facts, not_judged
    from trainproof_ci.model import Coverage
    from trainproof_ci.readers.manifest import read
    from trainproof_ci.resuming import resumed
    from trainproof_ci.rules.manifest import entries

    try:
        if manifest.refusal is not None:
            raise manifest.refusal
        facts = read(manifest, settings, ())
        judged = resumed(manifest, facts, checkpoints, configuration, settings)
    except Unreadable as why:
        return not_judged(manifest, why, settings)
    own = judge_facts(
        manifest, facts, (entries.malformed_entry, entries.unverified_file, entries.rejected_in_use), settings
    )
    checks = Coverage((*own.checks.ran, *judged.checks.ran), {**own.checks.skipped, **judged.checks.skipped})
    return judged._replace(
        format="resume",
        findings=(*own.findings, *judged.findings),
        ignored=(*own.ignored, *judged.ignored),
        checks=checks,
    )
