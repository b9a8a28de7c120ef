"""The table of rule cases: every rule fires, keeps quiet and is skipped, each at least once, with place and number."""

from pathlib import Path
from typing import Any

import makers
import pytest
import yaml
from conftest import ROOT

from trainproof_ci.config import load_settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report
from trainproof_ci.registry import catalogue

FOLDER = Path(__file__).parent / "cases"
CASES: dict[str, list[dict[str, Any]]] = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.rglob("*.yml"))
}
SHOWN_BY_TESTS = {
    "TP-ENV-DISK": "tests/commands/test_env.py",
    "TP-ENV-IMPORT-CRASH": "tests/commands/test_env.py",
    "TP-ENV-IMPORT-EXITED": "tests/commands/test_env.py",
    "TP-ENV-IMPORT-FAIL": "tests/commands/test_env.py",
    "TP-ENV-IMPORT-TIMEOUT": "tests/commands/test_env.py",
    "TP-ENV-MEM": "tests/commands/test_env.py",
    "TP-ENV-STRUCTURE": "tests/commands/test_env.py",
    "TP-ENV-UNKNOWN": "tests/commands/test_env.py",
    "TP-FILE-CHANGED-WHILE-READ": "tests/test_engine.py",
    "TP-FILE-CRASHED": "tests/test_engine.py",
    "TP-FILE-DEADLINE": "tests/test_engine.py",
    "TP-FILE-OUTSIDE": "tests/test_discovery.py",
    "TP-FILE-UNREADABLE": "tests/test_engine.py",
    "TP-PRE-TEMPLATE": "tests/commands/test_preflight.py",
    "TP-PRE-UNLISTED": "tests/commands/test_preflight.py",
    "TP-PRE-VOCAB": "tests/commands/test_preflight.py",
    "TP-PROMOTE-DIGEST": "tests/intake/test_promotion.py",
    "TP-PROMOTE-INVALID": "tests/intake/test_promotion.py",
    "TP-PROMOTE-SIZE": "tests/intake/test_promotion.py",
    "TP-RESUME-CHECKPOINT": "tests/commands/test_resume.py",
    "TP-RESUME-CONFIG": "tests/commands/test_resume.py",
    "TP-RESUME-DIGEST": "tests/commands/test_resume.py",
    "TP-RESUME-SPLIT": "tests/commands/test_resume.py",
    "TP-STALL": "tests/guardian/test_looking.py",
}
"""Rules whose case needs more than files at rest: a link, a writer at work, a defect of the checker, a command of its own."""
EXPECTATIONS = {"fires", "quiet", "skipped"}


def lay_out(work: Path, case: dict[str, Any]) -> None:
    for name, content in case["files"].items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_bytes(content))
    if "config" in case:
        (work / ".trainproof.yml").write_text(yaml.safe_dump({"version": 1, **case["config"]}), encoding="utf-8")


def as_bytes(content: Any) -> bytes:
    if isinstance(content, str):
        return content.encode()
    if "hex" in content:
        return bytes.fromhex(content["hex"])
    if "lines" in content:
        return "".join(line + "\n" for line in content["lines"]).encode()
    arguments = {key: value for key, value in content.items() if key != "make"}
    made: bytes = getattr(makers, content["make"])(**arguments)
    return made


def judged(case: dict[str, Any]) -> Report:
    settings = load_settings(None)
    return check(find(case.get("paths", ["."]), settings, case.get("kind")), settings)


@pytest.mark.parametrize(
    ("rule", "case"),
    [pytest.param(rule, case, id=f"{rule}-{case['name']}") for rule, cases in CASES.items() for case in cases],
)
def test_case(work: Path, rule: str, case: dict[str, Any]) -> None:
    lay_out(work, case)
    report = judged(case)
    firings = [finding for _, finding in report.findings if finding.rule == rule]
    skipped = [target for target in report.targets if rule in target.checks.skipped]
    if case["expect"] == "skipped":
        assert not firings
        assert skipped, "the rule ran"
    elif case["expect"] == "quiet":
        assert not firings
        assert any(rule in target.checks.ran for target in report.targets) or catalogue()[rule].judge is None
    else:
        assert firings, [finding.rule for _, finding in report.findings]
        assert case["severity"] in [finding.severity.value for finding in firings]
        assert any(case["measured"] in finding.measured for finding in firings), [f.measured for f in firings]
        lines = [line for finding in firings for line in finding.places.lines]
        assert case.get("line", lines[0]) in lines


@pytest.mark.parametrize("rule", sorted(catalogue()))
def test_every_rule_has_its_cases(rule: str) -> None:
    if rule in SHOWN_BY_TESTS:
        assert rule in (ROOT / SHOWN_BY_TESTS[rule]).read_text(encoding="utf-8")
        return
    needed = EXPECTATIONS if catalogue()[rule].judge is not None else EXPECTATIONS - {"skipped"}
    assert needed <= {case["expect"] for case in CASES.get(rule, [])}


def test_every_case_is_about_a_rule() -> None:
    assert not set(CASES) - set(catalogue())


@pytest.mark.parametrize("rule", sorted(catalogue()))
def test_every_rule_is_documented(rule: str) -> None:
    text = catalogue()[rule].documentation
    assert text.split("\n")[0].endswith("."), "the first line is one sentence"
    assert "Why:" in text or "Fix:" in text
