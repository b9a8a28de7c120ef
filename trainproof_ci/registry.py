"""The rules: how one is declared, and the catalogue of all of them by kind of target.

A rule is a function with a docstring; the decorator turns it into a `Rule`. Rule modules are named here one by one
and imported only when a target of their kind is judged.
"""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, NamedTuple

from trainproof_ci.model import Firing, Severity

KINDS = ("dataset", "run", "checkpoint", "tokenizer", "manifest", "environment", "comparison")

RULE_MODULES: Mapping[str, tuple[str, ...]] = {
    "dataset": (),
    "run": ("trainproof_ci.rules.run.numbers", "trainproof_ci.rules.run.reasons"),
    "checkpoint": (),
    "tokenizer": (),
    "manifest": ("trainproof_ci.rules.manifest.entries", "trainproof_ci.rules.manifest.content"),
    "environment": (),
    "comparison": (),
}
"""The modules of each kind, in the order their rules run. A new module is one more line here."""

SHARED_MODULES = ("trainproof_ci.rules.file",)
"""Rules about the file itself, for every kind of target."""

Limits = Mapping[str, float]
Judge = Callable[..., Iterable[Firing]]


class Rule(NamedTuple):
    """One entry of the catalogue.

    `needs` names what of the facts must be present (`Facts.lacks` says why it is not); `limits` are the numbers the
    rule fires on, each of which the configuration may set; `doc` is the documentation; `per` is "target" for a
    rule over the facts of a whole target, "record" for one that a dataset reader hands record after record.
    A rule without a judge documents a reason that readers raise as `Unreadable`.
    """

    id: str
    severity: Severity
    doc: str
    judge: Judge | None = None
    needs: tuple[str, ...] = ()
    limits: Limits = MappingProxyType({})
    per: str = "target"

    @property
    def documentation(self) -> str:
        """The docstring without its indentation: Markdown, the first line a title of its own."""
        from inspect import cleandoc  # costs more to import than a small file to judge

        return cleandoc(self.doc)

    @property
    def title(self) -> str:
        """The first sentence of the documentation."""
        return self.doc.strip().split("\n", 1)[0]


def rule(
    rule_id: str,
    severity: Severity,
    *,
    needs: tuple[str, ...] = (),
    limits: Limits | None = None,
    per: str = "target",
) -> Callable[[Judge], Rule]:
    """Declare the decorated function to be the rule `rule_id`, firing at `severity` unless a firing says otherwise."""

    def declare(judge: Judge) -> Rule:
        return Rule(rule_id, severity, judge.__doc__ or "", judge, needs, limits or {}, per)

    return declare


def reason(rule_id: str, severity: Severity, doc: str) -> Rule:
    """Declare a rule that readers raise (`Unreadable(rule=rule_id)`) rather than one that judges facts."""
    return Rule(rule_id, severity, doc)


def rules_in(modules: Iterable[str | ModuleType]) -> tuple[Rule, ...]:
    """The rules declared in `modules`, in order of declaration."""
    loaded = (import_module(m) if isinstance(m, str) else m for m in modules)
    return tuple(value for module in loaded for value in vars(module).values() if isinstance(value, Rule))


def rules_for(kind: str) -> tuple[Rule, ...]:
    """The rules that judge a target of `kind`."""
    return tuple(r for r in rules_in(RULE_MODULES[kind]) if r.judge is not None)


def catalogue() -> dict[str, Rule]:
    """Every rule by id; two rules of one id are a programming error."""
    found: dict[str, Rule] = {}
    for declared in rules_in((*SHARED_MODULES, *(m for kind in KINDS for m in RULE_MODULES[kind]))):
        if found.setdefault(declared.id, declared) is not declared:
            raise AssertionError(f"{declared.id} is declared twice")
    return found


def facts_module(kind: str) -> Any:
    """The reader package of `kind`; it offers `recognise(head)` and `read(target, settings, rules)`."""
    return import_module(f"trainproof_ci.readers.{kind}")
