"""`merge REPORT…`: join the reports of all shards into the one that a single machine would have made."""

import argparse
import json
import os
from types import SimpleNamespace

from trainproof_ci.commands.check import add_report_arguments, tell
from trainproof_ci.errors import UsageError
from trainproof_ci.model import Policy, Report

LARGEST = 512 << 20


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "reports", nargs="+", metavar="REPORT", help="the JSON reports of all shards, or folders of them"
    )
    add_report_arguments(parser)


def run(arguments: SimpleNamespace) -> int:
    """Join, tell; the exit code is the joined report's."""
    policy = Policy(arguments.fail_on, arguments.not_checked)
    return tell(merged(arguments.reports, policy), arguments)


def merged(paths: list[str], policy: Policy) -> Report:
    """The report of all shards under one policy. Raises `UsageError` where a shard is missing or no shard's report."""
    from trainproof_ci.shards import joined

    names = [name for path in paths for name in _reports(path)]
    return joined([_read(name) for name in names])._replace(policy=policy)


def _reports(path: str) -> list[str]:
    """The file at `path`, or every `.json` below a folder, as `actions/download-artifact` lays them out."""
    if not os.path.isdir(path):
        return [path]
    found = [os.path.join(top, name) for top, _, names in os.walk(path) for name in names if name.endswith(".json")]
    if not found:
        raise UsageError("a folder without a JSON report")
    return sorted(found)


def _read(name: str) -> dict[str, object]:
    try:
        with open(name, "rb") as file:
            document = json.loads(file.read(LARGEST))
    except OSError as error:
        raise UsageError(f"a report cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise UsageError("a report is not JSON") from None
    if not isinstance(document, dict):
        raise UsageError("a report is not a JSON object")
    return document
