"""The rules: how one is declared, and the catalogue of all of them by kind of target.

A rule is a function with a docstring; the decorator turns it into a `Rule`. Rule modules are named here one by one
and imported only when a target of their kind is judged.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType

from trainproof_ci.model import Firing, Severity
from trainproof_ci.typed import Any, NamedTuple

KINDS = ("dataset", "run", "checkpoint", "tokenizer", "manifest", "environment", "comparison")

RULE_MODULES: Mapping[str, tuple[str, ...]] = {
    "dataset": (
        "trainproof_ci.rules.dataset.whole",
        "trainproof_ci.rules.dataset.encoding",
        "trainproof_ci.rules.dataset.lines",
        "trainproof_ci.rules.dataset.json_text",
        "trainproof_ci.rules.dataset.schema",
        "trainproof_ci.rules.dataset.text",
        "trainproof_ci.rules.dataset.columns",
        "trainproof_ci.rules.dataset.conversations",
        "trainproof_ci.rules.dataset.messages",
        "trainproof_ci.rules.dataset.tool_calls",
        "trainproof_ci.rules.dataset.training",
        "trainproof_ci.rules.dataset.tokens",
        "trainproof_ci.rules.dataset.preference",
        "trainproof_ci.rules.dataset.labels",
        "trainproof_ci.rules.dataset.table",
        "trainproof_ci.rules.dataset.labels_of_images",
        "trainproof_ci.rules.dataset.parallel",
        "trainproof_ci.rules.dataset.media",
        "trainproof_ci.rules.dataset.sound",
        "trainproof_ci.rules.dataset.repeats",
        "trainproof_ci.rules.dataset.splits",
    ),
    "run": (
        "trainproof_ci.rules.run.numbers",
        "trainproof_ci.rules.run.zeros",
        "trainproof_ci.rules.run.learning",
        "trainproof_ci.rules.run.standing",
        "trainproof_ci.rules.run.chance",
        "trainproof_ci.rules.run.spikes",
        "trainproof_ci.rules.run.generalisation",
        "trainproof_ci.rules.run.pace",
        "trainproof_ci.rules.run.stopped",
        "trainproof_ci.rules.run.records",
        "trainproof_ci.rules.run.reasons",
    ),
    "checkpoint": (
        "trainproof_ci.rules.checkpoint.archive",
        "trainproof_ci.rules.checkpoint.layout",
        "trainproof_ci.rules.checkpoint.weights",
        "trainproof_ci.rules.checkpoint.imports",
        "trainproof_ci.rules.checkpoint.unjudged",
    ),
    "tokenizer": ("trainproof_ci.rules.tokenizer.files", "trainproof_ci.rules.tokenizer.special"),
    "manifest": ("trainproof_ci.rules.manifest.entries", "trainproof_ci.rules.manifest.content"),
    "environment": ("trainproof_ci.rules.environment.imports", "trainproof_ci.rules.environment.machine"),
    "comparison": (
        "trainproof_ci.rules.compare.loss",
        "trainproof_ci.rules.compare.trust",
        "trainproof_ci.rules.compare.reasons",
    ),
}
"""The modules of each kind, in the order their rules run. A new module is one more line here."""

SHARED_MODULES = (
    "trainproof_ci.rules.file",
    "trainproof_ci.rules.manifest.resume",
    "trainproof_ci.rules.manifest.promote",
    "trainproof_ci.rules.guardian.stall",
    "trainproof_ci.rules.preflight.crossed",
)
"""Rules about the file itself, for every kind of target, and those that a command of their own asks for."""

Limits = Mapping[str, float]
Judge = Callable[..., Iterable[Firing]]
Weigh = Callable[[Any, Limits, "list[Firing]"], Iterable[Firing]]
"""Looks at what a record rule found once the whole target is known: facts, limits, firings."""


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
    each: Callable[..., Iterable[Any]] | None = None
    """What the dataset reader asks about every record; `judge` then tells the engine what came of it."""

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
    weighed: Weigh | None = None,
) -> Callable[[Callable[..., Iterable[Any]]], Rule]:
    """Declare the decorated function to be the rule `rule_id`, firing at `severity` unless a firing says otherwise.

    With `per="record"` the function is asked about every record and yields `readers.dataset.record.Fault`; `weighed` has
    the last word on what came of it, where only the whole target shows whether it is a fault.
    """

    def declare(judge: Callable[..., Iterable[Any]]) -> Rule:
        doc = judge.__doc__ or ""
        if per == "record":
            return Rule(rule_id, severity, doc, _collected(rule_id, weighed), needs, limits or {}, per, judge)
        return Rule(rule_id, severity, doc, judge, needs, limits or {}, per)

    return declare


def _collected(rule_id: str, weighed: Weigh | None) -> Judge:
    """The judge of a record rule: the reader has asked it already, and the facts know what it found."""

    def judge(facts: Any, limits: Limits) -> Iterable[Firing]:
        found: list[Firing] = facts.firings(rule_id)
        return found if weighed is None else weighed(facts, limits, found)

    return judge


def reason(rule_id: str, severity: Severity, doc: str) -> Rule:
    """Declare a rule that readers raise (`Unreadable(rule=rule_id)`) rather than one that judges facts."""
    return Rule(rule_id, severity, doc)


def rules_in(modules: Iterable[str | ModuleType]) -> tuple[Rule, ...]:
    """The rules declared in `modules`, in order of declaration."""
    loaded = (import_module(m) if isinstance(m, str) else m for m in modules)
    return tuple(value for module in loaded for value in vars(module).values() if isinstance(value, Rule))


@cache
def rules_for(kind: str) -> tuple[Rule, ...]:
    """The rules that judge a target of `kind`."""
    return tuple(r for r in rules_in(RULE_MODULES[kind]) if r.judge is not None)


@cache
def catalogue() -> dict[str, Rule]:
    """Every rule by id; two rules of one id are a programming error."""
    found: dict[str, Rule] = {}
    for declared in rules_in((*SHARED_MODULES, *(m for kind in KINDS for m in RULE_MODULES[kind]))):
        if found.setdefault(declared.id, declared) is not declared:
            raise AssertionError(f"{declared.id} is declared twice")
    return found


@cache
def facts_module(kind: str) -> Any:
    """The reader package of `kind`; it offers `recognise(head)` and `read(target, settings, rules)`."""
    return import_module(f"trainproof_ci.readers.{kind}")
