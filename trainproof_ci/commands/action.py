"""The Action's own command: everything comes from the environment that `action.yml` sets. No command for people."""

import argparse
import os
from types import SimpleNamespace


def configure(parser: argparse.ArgumentParser) -> None:
    """No arguments."""
    del parser


def run(arguments: SimpleNamespace) -> int:
    """Run the Action's step."""
    del arguments
    from trainproof_ci.adapters.action import run as run_action

    return run_action(os.environ)
