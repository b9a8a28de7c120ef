"""`rules`: the catalogue, a line a rule, or all documentation as Markdown."""

import argparse
import sys
from collections.abc import Iterator
from types import SimpleNamespace

from trainproof_ci.registry import KINDS, RULE_MODULES, SHARED_MODULES, Rule, catalogue, rules_in

TITLES = {"": "Files of any kind", "dataset": "Datasets", "run": "Training runs", "checkpoint": "Checkpoints"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--format", choices=("text", "markdown"), default="text", help="markdown is docs/rules.md")


def run(arguments: SimpleNamespace) -> int:
    """Print id, severity and title of every rule, or everything about each."""
    if arguments.format == "markdown":
        sys.stdout.write(document())
        return 0
    sys.stdout.write(
        "".join(f"{rule.id:28} {rule.severity.value:12} {rule.title}\n" for rule in sorted(catalogue().values()))
    )
    return 0


def document() -> str:
    """All rules by kind of target, as Markdown."""
    head = (
        "# Rules\n\nMade by `trainproof-ci rules --format markdown`; `trainproof-ci explain RULE` prints one of them.\n"
    )
    return head + "".join(_section(kind) for kind in ("", *KINDS))


def _section(kind: str) -> str:
    rules = {rule.id: rule for rule in rules_in(RULE_MODULES[kind] if kind else SHARED_MODULES)}
    if not rules:
        return ""
    title = TITLES.get(kind) or kind.capitalize()
    return f"\n## {title}\n" + "".join(_entry(rules[rule_id]) for rule_id in sorted(rules))


def _entry(rule: Rule) -> str:
    return f"\n### {rule.id}\n\n**{rule.severity.value}.** {rule.documentation}\n" + "".join(_limits(rule))


def _limits(rule: Rule) -> Iterator[str]:
    if rule.limits:
        yield "\nLimits: " + ", ".join(f"`{name}: {value:g}`" for name, value in rule.limits.items()) + "\n"
