"""`check`: find and judge everything that is known."""

import argparse
import os
import sys

from trainproof_ci.config import Settings, load_settings
from trainproof_ci.model import Policy, Report
from trainproof_ci.registry import KINDS
from trainproof_ci.reports import FORMATS


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="*", default=["."], metavar="PATH", help="files, folders or patterns (default: .)"
    )
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.add_argument("--kind", choices=KINDS[:5], help="what the named files are, whatever they look like")
    parser.add_argument("--loss-key", metavar="NAME", help="the column or key that holds the training loss")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--deadline", type=float, default=600.0, metavar="SECONDS", help="longest time for one file (default: 600)"
    )
    add_report_arguments(parser)


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that every command with a report shares."""
    parser.add_argument("--format", choices=FORMATS, default="text", help="how to tell it (default: text)")
    parser.add_argument("--output", metavar="FILE", help="write the report there instead of standard output")
    parser.add_argument(
        "--fail-on",
        choices=("fail", "warn", "changed", "never"),
        default="fail",
        help="what makes the exit code 1 (default: fail)",
    )
    parser.add_argument(
        "--not-checked",
        choices=("neutral", "fail", "pass"),
        default="neutral",
        help="exit 2 for what could not be judged, or 0 with `pass` (default: neutral)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Find, judge, tell; the exit code is the report's."""
    from trainproof_ci.discovery import find  # a usage error needs none of it
    from trainproof_ci.engine import check

    settings = settings_from(arguments)
    report = check(find(arguments.paths, settings, arguments.kind), settings)
    return tell(report, arguments)


def settings_from(arguments: argparse.Namespace) -> Settings:
    """The configuration with what the command line says on top."""
    policy = Policy(arguments.fail_on, arguments.not_checked)
    jobs = arguments.jobs if arguments.jobs > 0 else os.cpu_count() or 1
    return load_settings(arguments.config)._replace(
        policy=policy, jobs=jobs, loss_key=arguments.loss_key, deadline=arguments.deadline
    )


def tell(report: Report, arguments: argparse.Namespace) -> int:
    """Write the report where it is wanted and return the exit code."""
    from trainproof_ci.reports import renderer

    if arguments.format == "text" and not arguments.output:
        from trainproof_ci.reports.text import render

        text = render(report, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    else:
        text = renderer(arguments.format)(report)
    if arguments.output:
        from trainproof_ci.adapters.files import write_atomically

        write_atomically(arguments.output, text.encode("utf-8", "replace"))
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()
    return int(report.exit_code)
