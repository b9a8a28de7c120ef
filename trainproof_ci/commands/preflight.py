"""`preflight`: before a GPU-second is spent, one verdict over everything that a run is about to use."""

import argparse
from types import SimpleNamespace

from trainproof_ci.commands.check import add_report_arguments, settings_from, tell
from trainproof_ci.commands.env import amount
from trainproof_ci.commands.manifest import NAME
from trainproof_ci.errors import UsageError
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="*", metavar="CONFIG | PATH",
        help="a configuration (.yml), and what the run will use (default: what the configuration names, else .)",
    )  # fmt: skip
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.add_argument(
        "--resume", metavar="CHECKPOINT",
        help="the run will resume from here: the checkpoint must be whole and the data what the manifest recorded",
    )  # fmt: skip
    parser.add_argument(
        "--run-config", metavar="FILE", help="with --resume: the run's configuration, compared with the recorded one"
    )
    parser.add_argument(
        "--import", dest="imports", action="append", default=[], metavar="TARGET", help="what must import"
    )
    parser.add_argument(
        "--memory", type=amount, metavar="SIZE", help="memory that must be available, for example 16GiB"
    )
    parser.add_argument("--disk", type=amount, metavar="SIZE", help="room that the disk must have, for example 50GiB")
    add_report_arguments(parser)
    parser.set_defaults(jobs=0, loss_key=None, deadline=600.0)


def run(arguments: SimpleNamespace) -> int:
    """Find, judge, cross-check, tell; 0 means that nothing speaks against starting."""
    from trainproof_ci.config import EnvironmentOptions  # a usage error needs none of it
    from trainproof_ci.discovery import Target, find
    from trainproof_ci.preflight import Resuming, preflight
    from trainproof_ci.resuming import checkpoints_at

    configurations = [path for path in arguments.paths if path.endswith((".yml", ".yaml"))]
    if len(configurations) + bool(arguments.config) > 1:
        raise UsageError("one configuration at a time")
    arguments.config = arguments.config or next(iter(configurations), None)
    declared = EnvironmentOptions(tuple(arguments.imports), arguments.memory, arguments.disk)
    settings = settings_from(arguments)._replace(environment=declared)
    paths = [path for path in arguments.paths if path not in configurations] or ["."]
    found = [target for target in find(paths, settings) if target.kind != "run"]
    if declared != EnvironmentOptions():
        found.append(Target("environment", "environment", "machine", is_file=False))
    resuming = None
    if arguments.resume is not None:
        begun = checkpoints_at([arguments.resume], settings)
        found = _with_those_of_a_resume(found, begun, settings)
        resuming = Resuming(frozenset(target.path for target in begun), arguments.run_config)
    elif arguments.run_config is not None:
        raise UsageError("--run-config is compared before a resume; name the checkpoint with --resume")
    return tell(preflight(found, settings, resuming), arguments)


def _with_those_of_a_resume(found: "list[Target]", checkpoints: "list[Target]", settings: "Settings") -> "list[Target]":
    """What was found, the checkpoints to resume from, and a manifest: the one that is expected here if none was named."""
    from trainproof_ci.discovery import find

    named = {(target.path, target.kind) for target in found}
    more = [target for target in checkpoints if (target.path, target.kind) not in named]
    if not any(target.kind == "manifest" for target in found):
        more += find([NAME], settings, "manifest")
    return [*found, *more]
