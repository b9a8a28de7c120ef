"""`explain RULE`: the documentation of one rule."""

import argparse
import sys
from types import SimpleNamespace

from trainproof_ci.errors import UsageError
from trainproof_ci.places import safe_key
from trainproof_ci.registry import catalogue


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("rule", metavar="RULE", help="a rule id, for example TP-NAN")


def run(arguments: SimpleNamespace) -> int:
    """Print the rule's documentation and its limits."""
    rules = catalogue()
    rule = rules.get(arguments.rule.upper())
    if rule is None:
        from difflib import get_close_matches  # only a mistake needs it

        near = get_close_matches(arguments.rule.upper(), rules, 1, 0.4)
        raise UsageError(f"unknown rule {safe_key(arguments.rule)}" + (f"; did you mean {near[0]}?" if near else ""))
    limits = "".join(f"\n{name} = {value:g}" for name, value in rule.limits.items())
    sys.stdout.write(
        f"{rule.id} ({rule.severity.value})\n\n{rule.documentation}\n"
        + (f"\nLimits, set under `rules:`:{limits}\n" if limits else "")
    )
    return 0
