"""The console script: parse, call one command, exit."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace

from trainproof_ci.errors import UsageError
from trainproof_ci.model import ExitCode

COMMANDS = {
    "check": "find and judge datasets, training logs, checkpoints, tokenizer files and manifests",
    "compare": "hold runs against a known-good one, at equal steps",
    "merge": "join the reports of all shards into one verdict",
    "init": "a starter configuration that names what is found here, and a workflow",
    "explain": "the documentation of a rule",
    "manifest": "record what goes into a run, and hold the files against the record",
    "resume": "may a run resume: its data unchanged and its checkpoint whole",
    "promote": "put a file in its place: copied aside, verified there, then renamed",
    "watch": "judge a run while it goes on: around a command, or beside a growing log",
    "preflight": "check everything that a run is about to use",
    "env": "does the entry point import, is the checkpoint whole, are memory and disk as declared",
    "rules": "the catalogue of rules",
}
"""Every command with its line of help; the module of the same name in `commands` holds it."""
INTERNAL = ("action",)
"""Commands for `action.yml`, not for people."""
INTERRUPTED = 130


def _parsed(given: Sequence[str]) -> SimpleNamespace:
    """The values of all arguments by name. Raises `UsageError`, and `SystemExit` after the help."""
    if given[:1] == ["check"]:
        from trainproof_ci.commands import check
        from trainproof_ci.plain import Plain

        known = Plain()
        check.configure(known)
        found = known.read(given[1:])
        if found is not None:
            found.command = "check"
            return found
    from trainproof_ci.parsing import parser, parser_of_all

    if given and given[0] in {*COMMANDS, *INTERNAL}:
        return parser(given[0]).parse_args(given[1:], SimpleNamespace())
    return parser_of_all().parse_args(given, SimpleNamespace())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code and never raises but SystemExit from --help and --version."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _refuse_named_like_options(given)
        chosen = _parsed(given)
        code: int = import_module(f"trainproof_ci.commands.{chosen.command}").run(chosen)
    except UsageError as error:
        return _complain(str(error), ExitCode.USAGE)
    except KeyboardInterrupt:
        return _complain("interrupted; nothing was reported", INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.CRASH)
    except Exception as error:  # noqa: BLE001 - a crash must look neither like a FAIL nor like NOT-CHECKED
        return _complain(f"internal error: {type(error).__name__}; please report it", ExitCode.CRASH)
    return code


def _refuse_named_like_options(given: Sequence[str]) -> None:
    """Raise `UsageError` where a hook may have handed over a file that reads as an option: `--write-known=a.jsonl`."""
    if given[:1] != ["check"] or "--candidates" not in given:
        return
    before = given[: given.index("--")] if "--" in given else given
    for word in before:
        if word.startswith("-") and os.path.lexists(word):
            raise UsageError(
                f"a file of this folder is named like an option and is not obeyed as one; rename it: {word}"
            )


def _complain(sentence: str, code: int) -> int:
    from trainproof_ci.reports.escape import terminal  # only a complaint needs it

    first, *usage = sentence.split("\n")
    lines = [
        terminal(first),
        *(" " * (len(line) - len(bare)) + terminal(bare) for line in usage for bare in [line.lstrip(" ")]),
    ]
    print("trainproof-ci:", "\n".join(lines), file=sys.stderr)  # noqa: T201 - the one place that speaks to a person
    return int(code)
