import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from trainproof_ci import registry
from trainproof_ci.config import Ignore, RuleOptions, Settings
from trainproof_ci.discovery import Target
from trainproof_ci.engine import check, judge
from trainproof_ci.errors import StandDown, Unreadable
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.registry import Limits, Rule, rule


class Facts:
    """Facts of a kind made up for these tests."""

    def __init__(self, path: str) -> None:
        self.path = path

    def lacks(self, need: str) -> str | None:
        return None if need == "loss" else f"no {need} here"

    def summary(self) -> Mapping[str, object]:
        return {"points": 3}

    def charts(self) -> tuple[()]:
        return ()


@rule("TP-HIGH", Severity.WARN, needs=("loss",), limits={"most": 2.0})
def high(facts: Facts, limits: Limits) -> Iterator[Firing]:
    """The value is high."""
    if limits["most"] < 3:
        yield Firing("it is high", "3", f"{limits['most']:g}", Places(Location(facts.path, line=7)))


@rule("TP-GRADIENT", Severity.FAIL, needs=("gradient",))
def gradient(facts: Facts, limits: Limits) -> Iterator[Firing]:
    """The gradient is wrong."""
    raise AssertionError("never asked without a gradient")


@rule("TP-SHY", Severity.FAIL)
def shy(facts: Facts, limits: Limits) -> Iterator[Firing]:
    """Declines."""
    raise StandDown("3 points, 10 are needed")


@rule("TP-BROKEN", Severity.FAIL)
def broken(facts: Facts, limits: Limits) -> Iterator[Firing]:
    """Has a defect."""
    raise ZeroDivisionError("secret content")


@rule("TP-SLOW", Severity.FAIL)
def slow(facts: Facts, limits: Limits) -> Iterator[Firing]:
    """Takes its time."""
    time.sleep(5)
    return iter(())


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch, work: Path) -> Any:
    """Make rules and a reader those of datasets."""
    state = SimpleNamespace(rules=(high, gradient, shy), read=lambda target, settings, rules: Facts(target.path))
    monkeypatch.setattr(registry, "rules_for", lambda name: state.rules)
    monkeypatch.setattr(registry, "facts_module", lambda name: state)
    return state


def target(path: str = "a") -> Target:
    return Target(path, "dataset", "jsonl", is_file=False)


def test_what_ran_and_what_was_skipped_is_kept_by_the_engine(kind: Any) -> None:
    report = judge(target(), Settings())
    assert report.checks.ran == ("TP-HIGH",)
    assert report.checks.skipped == {"TP-GRADIENT": "no gradient here", "TP-SHY": "3 points, 10 are needed"}
    assert [(f.rule, f.severity, f.measured, f.limit, f.location.line) for f in report.findings] == [
        ("TP-HIGH", Severity.WARN, "3", "2", 7)
    ]
    assert report.facts == {"points": 3}


@pytest.mark.parametrize(
    ("options", "verdict", "skipped"),
    [
        (RuleOptions(off=True), Severity.PASS, "switched off in the configuration"),
        (RuleOptions(severity=Severity.FAIL), Severity.FAIL, None),
        (RuleOptions(limits={"most": 5.0}), Severity.PASS, None),
    ],
)
def test_the_configuration_sets_severity_and_limits(
    kind: Any, options: RuleOptions, verdict: Severity, skipped: str | None
) -> None:
    report = judge(target(), Settings(rules={"TP-HIGH": options}))
    assert report.verdict is verdict
    assert report.checks.skipped.get("TP-HIGH") == skipped


def test_a_defect_of_ours_makes_one_target_not_checked_and_spares_the_others(kind: Any) -> None:
    kind.rules = (high, broken)
    reports = [judge(target("a"), Settings())]
    kind.rules = (high,)
    reports.append(judge(target("b"), Settings()))
    assert [report.verdict for report in reports] == [Severity.NOT_CHECKED, Severity.WARN]
    (finding,) = reports[0].findings
    assert finding.rule == "TP-FILE-CRASHED"
    assert "ZeroDivisionError at test_engine.py" in finding.message
    assert "secret" not in finding.message


def test_a_reader_that_gives_up_names_its_reason_for_every_rule(kind: Any) -> None:
    def read(target: Target, settings: Settings, rules: tuple[Rule, ...]) -> Facts:
        raise Unreadable("cut off", rule="TP-FILE-UNREADABLE", location=Location(target.path, line=4))

    kind.read = read
    report = judge(target(), Settings())
    assert (report.verdict, report.judged, report.findings[0].location.line) == (Severity.NOT_CHECKED, False, 4)
    assert set(report.checks.skipped.values()) == {"cut off"}
    assert report.checks.ran == ()


def test_a_file_that_takes_too_long_is_not_checked(kind: Any) -> None:
    kind.rules = (slow,)
    assert judge(target(), Settings(deadline=0.05)).findings[0].rule == "TP-FILE-DEADLINE"


def test_changed_lines_mark_findings(kind: Any) -> None:
    touched = judge(target(), Settings(changed_lines={"a": ((5, 9),)}))
    untouched = judge(target(), Settings(changed_lines={"a": ((1, 2),)}))
    assert [report.findings[0].on_changed_lines for report in (touched, untouched, judge(target(), Settings()))] == [
        True,
        False,
        None,
    ]


def test_an_ignored_finding_keeps_its_reason_and_a_stale_entry_is_said(kind: Any) -> None:
    settings = Settings(
        ignore=(Ignore("TP-HIGH", "a", "known"), Ignore("TP-SHY", "b", "old"), Ignore("TP-SHY", "elsewhere", "x"))
    )
    report = check([target("b"), target("a")], settings)
    assert [(t.path, t.verdict) for t in report.targets] == [("a", Severity.PASS), ("b", Severity.WARN)]
    assert report.targets[0].ignored[0].reason == "known"
    assert report.notes == ("stale ignore: TP-SHY for b set nothing aside; remove the entry",)


def test_a_file_that_changes_while_it_is_read_is_not_checked(kind: Any, work: Path) -> None:
    from trainproof_ci.readers.source import Source

    def read(target: Target, settings: Settings, rules: tuple[Rule, ...]) -> Facts:
        with Source(target.path) as source:
            source.file.read(3)
            (work / "a").write_bytes(b"something else altogether")
        return Facts(target.path)

    (work / "a").write_bytes(b"something")
    kind.read = read
    assert judge(target(), Settings()).findings[0].rule == "TP-FILE-CHANGED-WHILE-READ"


def test_no_rule_of_two_modules_shares_an_id() -> None:
    assert registry.catalogue()
