"""`watch`: the guardian outside the process, around a command or beside a log that something else writes."""

import argparse
import os
import sys
import tempfile
from types import SimpleNamespace

from trainproof_ci.commands.check import add_report_arguments, settings_from
from trainproof_ci.errors import UsageError
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.guardian.sessions import Outcome
    from trainproof_ci.model import Report

MOST_SECONDS = 1e9


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.usage = "%(prog)s [options] -- COMMAND...\n       %(prog)s [options] LOG"
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND | LOG", help="what to watch")
    parser.add_argument("--stop-on-fail", action="store_true", help="end the command when a FAIL holds (default: warn)")
    parser.add_argument(
        "--log", action="append", default=[], metavar="PATH",
        help="a log that the command writes, or a folder to search for logs (default: search here); may be repeated",
    )  # fmt: skip
    parser.add_argument("--stall", type=_seconds, metavar="SECONDS", help="silence that is a stall (default: 1800)")
    parser.add_argument(
        "--grace", type=_seconds, nargs=2, default=(30.0, 10.0), metavar=("SECONDS", "SECONDS"),
        help="from SIGINT to SIGTERM and from SIGTERM to SIGKILL (default: 30 10)",
    )  # fmt: skip
    parser.add_argument("--config", metavar="FILE", help="configuration (default: .trainproof.yml if there is one)")
    parser.add_argument("--loss-key", metavar="NAME", help="the column or key that holds the training loss")
    add_report_arguments(parser)
    parser.set_defaults(jobs=1, deadline=60.0, options=parser)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")
    return value


def run(arguments: SimpleNamespace) -> int:
    """Watch, then tell: the report of a command goes to standard error, which leaves its output alone."""
    words = arguments.words
    if words[:1] != ["--"] and len(words) > 1:
        arguments = arguments.options.parse_args(words[1:], arguments)
        if arguments.words:
            raise UsageError("write -- before the command, or name one LOG")
    if not words or words == ["--"]:
        raise UsageError("name a COMMAND after --, or one LOG")
    settings = _settings(arguments)
    if words[0] != "--":
        return _follow(words[0], arguments, settings)
    return _command(words[1:], arguments, settings)


def _settings(arguments: SimpleNamespace) -> "Settings":
    from trainproof_ci.config import RuleOptions  # a usage error needs none of it

    settings = settings_from(arguments)
    if arguments.stall is None:
        return settings
    before = settings.rules.get("TP-STALL", RuleOptions())
    timed = before._replace(limits={**before.limits, "seconds": arguments.stall})
    return settings._replace(rules={**settings.rules, "TP-STALL": timed})


def _follow(log: str, arguments: SimpleNamespace, settings: "Settings") -> int:
    from trainproof_ci.guardian.sessions import follow_log
    from trainproof_ci.guardian.watching import Watch

    if os.path.isdir(log):
        raise UsageError("LOG is a folder; name the log in it, or give the folder to a watched command with --log")
    outcome = follow_log(Watch([_relative(log)], settings), _say, stop_on_fail=arguments.stop_on_fail)
    return _told(outcome, arguments, sys.stdout.fileno())


def _command(words: list[str], arguments: SimpleNamespace, settings: "Settings") -> int:
    from trainproof_ci.guardian.searching import Search
    from trainproof_ci.guardian.sessions import watch_command
    from trainproof_ci.guardian.watching import Watch

    folders = tuple(path for path in arguments.log if os.path.isdir(path))
    named = [_relative(path) for path in arguments.log if not os.path.isdir(path)]
    search = Search(folders if arguments.log else (".",))
    with tempfile.TemporaryDirectory(prefix="trainproof-") as scratch:
        watch = Watch(named, settings, console=os.path.join(scratch, "console.log"), search=search)
        grace = (arguments.grace[0], arguments.grace[1])
        outcome = watch_command(words, watch, _say, stop_on_fail=arguments.stop_on_fail, grace=grace)
    return _told(outcome, arguments, sys.stderr.fileno())


def _relative(path: str) -> str:
    """The path as findings show it: relative where it lies in the working directory."""
    relative = os.path.relpath(path).replace(os.sep, "/")
    return os.path.abspath(path) if relative.startswith("../") else relative


def _say(sentence: str) -> None:
    from trainproof_ci.reports.escape import terminal

    os.write(2, f"trainproof-ci: {terminal(sentence)}\n".encode("utf-8", "replace"))


def _told(outcome: "Outcome", arguments: SimpleNamespace, stream: int) -> int:
    """Write the report to its file or the stream and, in a GitHub job, to the summary and the annotations."""
    from trainproof_ci.guardian.telling import tell_job
    from trainproof_ci.reports import renderer

    text = renderer(arguments.format)(outcome.report).encode("utf-8", "replace")
    if arguments.output:
        from trainproof_ci.adapters.files import write_atomically

        write_atomically(arguments.output, text)
    else:
        _write(stream, text)
    annotations = tell_job(outcome.report, os.environ)
    _write(stream, annotations.encode("utf-8", "replace"))
    if outcome.exit_code != int(outcome.report.exit_code):
        _say(f"exit {outcome.exit_code}: {_why(outcome.report)}")
    return outcome.exit_code


def _why(report: "Report") -> str:
    return next((note for note in report.notes if "command" in note or "interrupted" in note), "the command's own code")


def _write(stream: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(stream, view) :]
