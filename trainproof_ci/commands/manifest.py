"""`manifest write|verify`: record what goes into a run, and hold the files against the record."""

import argparse
import os
from collections.abc import Sequence
from types import SimpleNamespace

from trainproof_ci.commands.check import add_report_arguments, settings_from, tell
from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.model import Report

NAME = "manifest.json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="write|verify")
    write = actions.add_parser("write", help="judge the files and record them", description=_write.__doc__)
    write.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files or folders (default: .)")
    write.add_argument("--manifest", metavar="FILE", help=f"where to write it (default: {NAME} beside the data)")
    write.add_argument("--run", metavar="ID", dest="run_id", help="the identifier of the run that it is for")
    write.add_argument("--run-config", metavar="FILE", help="the run's own configuration; its digest is recorded")
    write.add_argument(
        "--command",
        nargs=argparse.REMAINDER,
        dest="queued",
        metavar="...",
        help="the exact command that queues the run; takes the rest of the line",
    )
    verify = actions.add_parser("verify", help="hold the files against the record", description=_verify.__doc__)
    verify.add_argument(
        "paths", nargs="*", default=["."], metavar="MANIFEST", help=f"manifests, or folders with a {NAME}"
    )
    for each in (write, verify):
        add_judging_arguments(each)


def add_judging_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of every command that judges files on the way."""
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
    parser.set_defaults(loss_key=None, deadline=600.0)
    add_report_arguments(parser)


def run(arguments: SimpleNamespace) -> int:
    """Write or verify; the exit code is the report's."""
    settings = settings_from(arguments)
    report = _write(arguments, settings) if arguments.action == "write" else _verify(arguments.paths, settings)
    return tell(report, arguments)


def _verify(paths: Sequence[str], settings: "Settings") -> "Report":
    """Hold every listed file against its entry: size, digest, records and encoding."""
    from trainproof_ci.discovery import find
    from trainproof_ci.engine import check

    named = [os.path.join(path, NAME) if os.path.isdir(path) else path for path in paths]
    return check(find(named, settings, "manifest"), settings)


def _write(arguments: SimpleNamespace, settings: "Settings") -> "Report":
    """Judge the files and record each: bytes, sha256, records, encoding and shape; what fails is listed as rejected."""
    from trainproof_ci.adapters.files import write_atomically
    from trainproof_ci.discovery import find
    from trainproof_ci.engine import check, judge
    from trainproof_ci.intake.manifest_file import rejected_in, render, sorted_out

    output = os.path.normpath(arguments.manifest or os.path.join(_beside(arguments.paths), NAME))
    targets = [target for target in find(arguments.paths, settings) if target.kind != "manifest"]
    report = check(targets, settings)
    try:
        files, rejected = sorted_out(targets, report.targets, os.path.dirname(output), rejected_in(output), settings)
        about = _about(arguments)
    except Unreadable as why:
        raise UsageError(f"nothing was written: {why.reason}") from None
    write_atomically(output, render(about, files, rejected))
    written = find([output], settings, "manifest")
    return report._replace(targets=(*report.targets, *(judge(target, settings) for target in written)))


def _beside(paths: Sequence[str]) -> str:
    """The folder that holds all of the paths."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) or "." for path in paths]
    return os.path.relpath(os.path.commonpath([os.path.abspath(folder) for folder in folders]))


def _about(arguments: SimpleNamespace) -> dict[str, Any]:
    """What the manifest says of the run."""
    from trainproof_ci.intake.configuration import recorded

    about: dict[str, Any] = {}
    if arguments.run_id:
        about["run"] = arguments.run_id
    if arguments.run_config:
        about["configuration"] = recorded(arguments.run_config)
    if arguments.queued:
        about["command"] = arguments.queued
    return about
