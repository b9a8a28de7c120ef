"""`rules`: the catalogue, a line a rule."""

import argparse
import sys

from trainproof_ci.registry import catalogue


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """Print id, severity and title of every rule."""
    del arguments
    sys.stdout.write(
        "".join(f"{rule.id:28} {rule.severity.value:12} {rule.title}\n" for rule in sorted(catalogue().values()))
    )
    return 0
