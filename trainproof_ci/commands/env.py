"""`env`: does the entry point import, is the checkpoint whole, are memory and disk as large as declared."""

import argparse
import re
from types import SimpleNamespace

from trainproof_ci.commands.check import add_report_arguments, settings_from, tell
from trainproof_ci.errors import UsageError
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target

FACTORS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 1 << 10,
    "mi": 1 << 20,
    "gi": 1 << 30,
    "pi": 1 << 50,
    "p": 10**15,
    "ti": 1 << 40,
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="TARGET",
        help="a file (train.py) or a module that must import; it is run, in a process of its own",
    )
    parser.add_argument(
        "--checkpoint",
        action="append",
        default=[],
        metavar="PATH",
        help="a checkpoint, file or folder, that must be whole",
    )
    parser.add_argument(
        "--into",
        metavar="PATH",
        help="a checkpoint of the model that --checkpoint is to be loaded into: names and shapes must fit",
    )
    parser.add_argument(
        "--memory", type=amount, metavar="SIZE", help="memory that must be available, for example 16GiB"
    )
    parser.add_argument("--disk", type=amount, metavar="SIZE", help="room that the disk must have, for example 50GiB")
    parser.add_argument("--disk-at", default=".", metavar="FOLDER", help="the folder that is written to (default: .)")
    parser.add_argument(
        "--python", metavar="PROGRAM", help="the interpreter of the training (default: python3 of the PATH)"
    )
    parser.add_argument(
        "--seconds", type=float, default=120.0, metavar="N", help="longest time for one import (default: 120)"
    )
    parser.add_argument("--deep", action="store_true", help="look at all weights of the checkpoint")
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.set_defaults(loss_key=None, deadline=600.0, jobs=1)
    add_report_arguments(parser)


def amount(text: str) -> int:
    """Bytes of a size such as 16GiB, 500MB or 1024. Raises `argparse.ArgumentTypeError`."""
    found = re.fullmatch(r"(\d{1,15}(?:\.\d{1,6})?) ?([kmgtp]?i?)b?", text.strip().lower())
    if found is None or found[2] not in FACTORS:
        raise argparse.ArgumentTypeError(f"{text[:24]!r} is no size; write for example 16GiB")
    return int(float(found[1]) * FACTORS[found[2]])


def run(arguments: SimpleNamespace) -> int:
    """Measure, judge, tell; the exit code is the report's."""
    from trainproof_ci.config import EnvironmentOptions
    from trainproof_ci.engine import check

    wanted = (arguments.imports, arguments.checkpoint, arguments.memory is not None, arguments.disk is not None)
    if not any(wanted):
        raise UsageError("declare what the run needs: --import, --checkpoint, --memory, --disk")
    if arguments.into and len(arguments.checkpoint) != 1:
        raise UsageError("--into needs one --checkpoint")
    into = (arguments.checkpoint[0], arguments.into) if arguments.into else None
    declared = EnvironmentOptions(
        tuple(arguments.imports),
        arguments.memory,
        arguments.disk,
        arguments.disk_at,
        arguments.seconds,
        arguments.python,
        into,
    )
    settings = settings_from(arguments)._replace(environment=declared)
    targets = _checkpoints(arguments.checkpoint, settings)
    if any((declared.imports, declared.memory is not None, declared.disk is not None, into)):
        targets.append(_machine())
    return tell(check(targets, settings), arguments)


def _machine() -> "Target":
    from trainproof_ci.discovery import Target

    return Target("environment", "environment", "machine", is_file=False)


def _checkpoints(paths: "list[str]", settings: "Settings") -> "list[Target]":
    """The targets of `--checkpoint`; what is named and not there is a checkpoint that is missing."""
    import os

    from trainproof_ci.discovery import Target, find
    from trainproof_ci.errors import Unreadable

    gone = [path for path in paths if not os.path.lexists(path)]
    there = [path for path in paths if path not in gone]
    missing = Unreadable(
        "the checkpoint is not there", rule="TP-CKPT-MISSING", measured="no file", limit="a checkpoint"
    )
    targets = [Target(path, "checkpoint", "missing", is_file=False, refusal=missing) for path in gone]
    found = find(there, settings) if there else []
    return [
        *targets,
        *(each._replace(kind="checkpoint") for each in found if each.kind == "checkpoint" or each.path in there),
    ]
