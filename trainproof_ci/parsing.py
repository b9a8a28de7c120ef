"""The command line as argparse reads it: every form of an option, the help, and what is wrong in one."""

import argparse
import os
from importlib import import_module

from trainproof_ci import __version__
from trainproof_ci.cli import COMMANDS
from trainproof_ci.errors import UsageError
from trainproof_ci.typed import NoReturn


class _Parser(argparse.ArgumentParser):
    """argparse exits 2 on a usage error, which here would read as NOT-CHECKED."""

    def _get_formatter(self) -> argparse.HelpFormatter:
        """As wide as the terminal; argparse asks for one with every argument, and asking `shutil` is slow."""
        try:
            width = os.get_terminal_size().columns
        except (OSError, ValueError):
            width = 80
        return argparse.HelpFormatter(self.prog, width=width - 2)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().strip()}")


def parser(command: str) -> argparse.ArgumentParser:
    """The parser of what stands behind one command."""
    summary = COMMANDS.get(command, "what action.yml runs; no command for people")
    alone = _Parser(prog=f"trainproof-ci {command}", description=summary)
    _configure(alone, command)
    return alone


def parser_of_all() -> argparse.ArgumentParser:
    """The parser of a whole command line, which loads every command."""
    top = _Parser(
        prog="trainproof-ci", description="A deterministic linter for what goes into and comes out of a training run."
    )
    top.add_argument("--version", action="version", version=f"trainproof-ci {__version__}")
    below = top.add_subparsers(
        prog="trainproof-ci", dest="command", required=True, metavar="COMMAND", parser_class=_Parser
    )
    for name, summary in COMMANDS.items():
        _configure(below.add_parser(name, help=summary, description=summary), name)
    return top


def _configure(parser: argparse.ArgumentParser, command: str) -> None:
    parser.set_defaults(command=command)
    import_module(f"trainproof_ci.commands.{command}").configure(parser)
