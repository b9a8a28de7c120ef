"""One run, logged in several formats by the frameworks themselves: the same verdict and the same rules in each."""

from pathlib import Path

import pytest
from conftest import ROOT

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report

RUNS = ROOT / "evidence" / "frameworks" / "runs"
BESIDE = {"verdict.json", "run.json", "console.txt"}
"""The lock, where the run came from, and the console, which logs less than the files do."""
EXPECTED = {
    "healthy": set(),
    "no-rate": {"TP-ZERO-LR"},
    "nan": {"TP-NAN"},
    "diverges": {"TP-DIVERGE"},
    "zero": {"TP-ZERO-LOSS-ONSET"},
}


def judged(folder: str, monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(RUNS / folder)
    logs = sorted(path.name for path in Path().iterdir() if path.name not in BESIDE)
    return check(find(logs, Settings()), Settings())


@pytest.mark.parametrize("fault", EXPECTED)
@pytest.mark.parametrize(("framework", "formats"), [("huggingface", 3), ("lightning", 2)])
def test_every_format_says_the_same(framework: str, formats: int, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    report = judged(f"{framework}-{fault}", monkeypatch)
    assert len({target.format for target in report.targets}) == formats
    said = {
        (target.verdict, frozenset((f.rule, f.severity) for f in target.findings), frozenset(target.checks.ran))
        for target in report.targets
    }
    assert len(said) == 1, [(t.path, t.verdict, [f.rule for f in t.findings]) for t in report.targets]
    (verdict, fired, _), *_ = said
    rules = {rule for rule, _ in fired}
    assert EXPECTED[fault] <= rules
    assert (verdict.value == "PASS") is (fault == "healthy")


@pytest.mark.parametrize("framework", ["huggingface", "lightning"])
def test_every_format_marks_the_same_steps(framework: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for fault, rules in EXPECTED.items():
        report = judged(f"{framework}-{fault}", monkeypatch)
        steps = {
            frozenset((f.rule, f.location.step) for f in target.findings if f.rule in rules)
            for target in report.targets
        }
        assert len(steps) == 1, fault
