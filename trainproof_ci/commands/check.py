"""`check`: find and judge everything that is known."""

import os
import sys
from collections.abc import Iterable
from types import SimpleNamespace

from trainproof_ci.config import Settings, load_settings, with_known_findings
from trainproof_ci.errors import UsageError
from trainproof_ci.model import ExitCode, Policy, Report
from trainproof_ci.registry import KINDS
from trainproof_ci.reports import FORMATS
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from trainproof_ci.changes import Changes
    from trainproof_ci.plain import Plain

NOT_CHECKED_HINT = """\
NOT-CHECKED blocks the commit: it may hide anything. To let it pass, add to the hook in .pre-commit-config.yaml:
    args: [--not-checked, pass]
"""


def configure(parser: "ArgumentParser | Plain") -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths", nargs="*", default=["."], metavar="PATH", help="files, folders or patterns (default: .)"
    )
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.add_argument("--kind", choices=KINDS[:5], help="what the named files are, whatever they look like")
    parser.add_argument("--loss-key", metavar="NAME", help="the column or key that holds the training loss")
    parser.add_argument("--deep", action="store_true", help="look at all weights of a checkpoint, however large")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="processes (default: one a core)")
    parser.add_argument(
        "--deadline", type=float, default=600.0, metavar="SECONDS", help="longest time for one file (default: 600)"
    )
    parser.add_argument(
        "--changed", nargs="?", const="", metavar="REF",
        help="only what changed since the work tree left REF (default: the remote's main branch, else HEAD); after `--changed` alone write `--` before a PATH",
    )  # fmt: skip
    parser.add_argument(
        "--candidates",
        action="store_true",
        help="the PATHs are files that a hook hands over; pass over what is not recognised",
    )
    parser.add_argument(
        "--shard", metavar="I/N", help="judge share I of N, the same division on every machine; then `merge`"
    )
    parser.add_argument(
        "--write-known", metavar="FILE", help="write today's findings as the baseline of known findings; exit 0"
    )
    add_report_arguments(parser)


def add_report_arguments(parser: "ArgumentParser | Plain") -> None:
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


def run(arguments: SimpleNamespace) -> int:
    """Find, judge, tell; the exit code is the report's."""
    from trainproof_ci.session import Request, judged  # a usage error needs none of it

    settings = settings_from(arguments)
    if arguments.write_known:
        settings = settings._replace(known={})
    shard = None
    if arguments.shard:
        from trainproof_ci.shards import parse

        shard = parse(arguments.shard)
    request = Request(
        arguments.paths,
        arguments.kind,
        candidates=arguments.candidates,
        changes=_changes(arguments.changed),
        shard=shard,
    )
    session = judged(request, settings)
    if arguments.write_known:
        return _write_known(session.report, arguments.write_known)
    if shard is not None and arguments.format == "json":
        put(session.shard_report(shard), arguments.output)
        return int(session.report.exit_code)
    return tell(session.report, arguments)


def _changes(reference: str | None) -> "Changes | str | None":
    if reference is None:
        return None
    from trainproof_ci import git
    from trainproof_ci.changes import against

    if not git.in_work_tree():
        raise UsageError("--changed needs a git repository")
    changes = against(reference or None, git.repository_prefix())
    if isinstance(changes, str) and reference:
        hint = f"; for a path write: --changed -- {reference}" if os.path.lexists(reference) else ""
        raise UsageError(f"--changed: {changes}{hint}")
    return changes


def _write_known(report: Report, path: str) -> int:
    from trainproof_ci import known
    from trainproof_ci.adapters.files import write_atomically

    write_atomically(path, known.written(report))
    from trainproof_ci.reports.escape import terminal

    sys.stdout.write(terminal(f"{path} written; name it in .trainproof.yml: `known-findings: {path}`") + "\n")
    return 0


def settings_from(arguments: SimpleNamespace) -> Settings:
    """The configuration with what the command line says on top."""
    policy = Policy(arguments.fail_on, arguments.not_checked)
    jobs = arguments.jobs if arguments.jobs > 0 else os.cpu_count() or 1
    return with_known_findings(load_settings(arguments.config))._replace(
        policy=policy,
        jobs=jobs,
        loss_key=arguments.loss_key,
        deadline=arguments.deadline,
        deep=getattr(arguments, "deep", False),
    )


def tell(report: Report, arguments: SimpleNamespace) -> int:
    """Write the report where it is wanted and return the exit code."""
    from trainproof_ci.reports import pieces

    told: str | Iterable[str]
    if arguments.format == "text" and not arguments.output:
        from trainproof_ci.reports.text import render

        told = render(report, colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    else:
        told = pieces(arguments.format, _placed(report) if arguments.format in {"sarif", "github"} else report)
    try:
        put(told, arguments.output)
    except UsageError as error:
        from trainproof_ci.reports.wording import totals

        sys.stderr.write(f"trainproof-ci: {error}; the verdict is {totals(report)}\n")
        return int(ExitCode.FAIL if report.exit_code is ExitCode.FAIL else ExitCode.USAGE)
    if report.exit_code is ExitCode.NOT_CHECKED and "PRE_COMMIT" in os.environ:
        sys.stdout.write(NOT_CHECKED_HINT)
    return int(report.exit_code)


def _placed(report: Report) -> Report:
    from trainproof_ci.adapters.placement import on_github
    from trainproof_ci.git import repository_prefix

    return on_github(report, repository_prefix())


def put(text: str | Iterable[str], output: str | None) -> None:
    """Write a report to the file `output`, or to standard output. Raises `UsageError` where that is not possible."""
    data = (piece.encode("utf-8", "replace") for piece in ((text,) if isinstance(text, str) else text))
    if output:
        from trainproof_ci.adapters.files import write_atomically

        write_atomically(output, data)
        return
    try:
        sys.stdout.flush()
        sys.stdout.buffer.writelines(data)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left in the buffer must not fail again
        raise UsageError(f"cannot write the output: {error.strerror}") from None
