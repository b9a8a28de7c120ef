"""`preflight`: before a GPU-second is spent, one verdict over everything that a run is about to use."""

import argparse

from trainproof_ci.commands.check import add_report_arguments, settings_from, tell


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="what the run will use (default: .)")
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    add_report_arguments(parser)
    parser.set_defaults(jobs=1, loss_key=None, deadline=600.0)


def run(arguments: argparse.Namespace) -> int:
    """Find, judge, tell."""
    from trainproof_ci.discovery import find
    from trainproof_ci.engine import check

    settings = settings_from(arguments)
    return tell(check(find(arguments.paths, settings), settings), arguments)
