"""`compare BASELINE RUN…`: hold runs against a known-good one, at equal steps."""

import argparse
from types import SimpleNamespace

from trainproof_ci.commands.check import add_report_arguments, settings_from, tell


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("baseline", metavar="BASELINE", help="the log of a known-good run, or the folder of one")
    parser.add_argument("runs", nargs="+", metavar="RUN", help="the logs, or folders of logs, to hold against it")
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.add_argument("--loss-key", metavar="NAME", help="the column or key that holds the training loss")
    parser.add_argument("--deadline", type=float, default=600.0, metavar="SECONDS", help="for each run (default: 600)")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
    add_report_arguments(parser)


def run(arguments: SimpleNamespace) -> int:
    """Judge, compare, rank, tell; the exit code counts the findings of the runs and of the comparisons."""
    from trainproof_ci.comparison import compare  # a usage error needs none of it

    return tell(compare(arguments.baseline, arguments.runs, settings_from(arguments)), arguments)
