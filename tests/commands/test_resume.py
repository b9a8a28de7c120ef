"""`resume`: allowed with the data as it was and a whole checkpoint; any doubt rejects and says which."""

import hashlib
import json
import zipfile
from pathlib import Path

import makers
import pytest
from conftest import Command

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target
from trainproof_ci.engine import judge_facts
from trainproof_ci.model import Coverage, Finding, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.manifest import Manifest, read
from trainproof_ci.registry import rules_in
from trainproof_ci.rules.manifest import resume

TRAIN, EVAL = makers.rows(50), makers.rows(8, '{{"prompt": "other {i}", "completion": "answer {i}"}}')


@pytest.fixture
def manifest(work: Path) -> Path:
    """A manifest of two splits and of the run's configuration."""
    (work / "train.jsonl").write_bytes(TRAIN)
    (work / "eval.jsonl").write_bytes(EVAL)
    (work / "run.yaml").write_text("seed: 1\n")
    entries = [
        {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "split": split}
        for name, data, split in (("eval.jsonl", EVAL, "eval"), ("train.jsonl", TRAIN, "train"))
    ]
    head = '{"version": 1, "tool": "trainproof-ci 0.1.0", "configuration": {"sha256": "'
    digest = hashlib.sha256(b"seed: 1\n").hexdigest()
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    (work / "manifest.json").write_text(f'{head}{digest}"}}, "files": [\n{lines}\n]}}\n')
    return work / "manifest.json"


def checkpoint(severity: Severity = Severity.PASS) -> TargetReport:
    finding = Finding(
        "TP-CKPT-TRUNCATED", severity, "cut", "9 bytes", "10 bytes", Places(Location("c.pt", byte_offset=9))
    )
    found = () if severity is Severity.PASS else (finding,)
    return TargetReport("c.pt", "checkpoint", "torch-zip", {}, found, Coverage())


def judged(*checkpoints: TargetReport, configuration: tuple[str, str] | None = None) -> TargetReport:
    target = Target("manifest.json", "manifest", "manifest")
    facts = resume.Resume(manifest_facts(target), checkpoints, configuration)
    return judge_facts(target, facts, rules_in((resume,)), Settings())


def manifest_facts(target: Target) -> Manifest:
    return read(target, Settings(), ())


def fired(report: TargetReport) -> dict[str, Finding]:
    return {finding.rule: finding for finding in report.findings}


@pytest.mark.usefixtures("manifest")
class TestRules:
    def test_unchanged_and_whole(self) -> None:
        report = judged(checkpoint(), configuration=("a" * 64, "a" * 64))
        assert report.verdict is Severity.PASS
        assert set(report.checks.ran) == {rule.id for rule in rules_in((resume,))}

    def test_other_training_data(self) -> None:
        Path("train.jsonl").write_bytes(TRAIN[:500])
        found = fired(judged(checkpoint()))
        assert set(found) == {"TP-RESUME-DIGEST"}
        assert "cut short" in found["TP-RESUME-DIGEST"].message
        assert found["TP-RESUME-DIGEST"].location.line == 3

    def test_training_data_that_is_gone(self) -> None:
        Path("train.jsonl").unlink()
        assert "gone" in fired(judged(checkpoint()))["TP-RESUME-DIGEST"].message

    def test_another_split(self) -> None:
        Path("eval.jsonl").write_bytes(EVAL.replace(b"8", b"9"))
        found = fired(judged(checkpoint()))
        assert set(found) == {"TP-RESUME-SPLIT"}
        assert found["TP-RESUME-SPLIT"].location.line == 2

    def test_swapped_splits(self) -> None:
        Path("train.jsonl").write_bytes(EVAL)
        Path("eval.jsonl").write_bytes(TRAIN)
        assert set(fired(judged(checkpoint()))) == {"TP-RESUME-DIGEST", "TP-RESUME-SPLIT"}

    def test_another_configuration(self) -> None:
        assert set(fired(judged(checkpoint(), configuration=("a" * 64, "b" * 64)))) == {"TP-RESUME-CONFIG"}
        assert "TP-RESUME-CONFIG" in judged(checkpoint()).checks.skipped

    @pytest.mark.parametrize("severity", [Severity.FAIL, Severity.NOT_CHECKED])
    def test_a_checkpoint_that_is_not_whole(self, severity: Severity) -> None:
        found = fired(judged(checkpoint(severity)))["TP-RESUME-CHECKPOINT"]
        assert found.severity is severity
        assert found.measured == "TP-CKPT-TRUNCATED, 9 bytes"

    def test_no_checkpoint(self) -> None:
        assert fired(judged())["TP-RESUME-CHECKPOINT"].severity is Severity.FAIL


def test_no_evaluation_split_is_said(work: Path) -> None:
    (work / "notes.txt").write_text("a note\n")
    (work / "manifest.json").write_bytes(makers.manifest({"notes.txt": "a note\n"}))
    assert "no evaluation split" in judged(checkpoint()).checks.skipped["TP-RESUME-SPLIT"]


@pytest.mark.usefixtures("manifest")
class TestCommand:
    def test_names_the_data(self, command: Command) -> None:
        Path("train.jsonl").write_bytes(TRAIN[:500])
        with zipfile.ZipFile("c.pt", "w") as archive:
            archive.writestr("c/version", "3\n")
        answer = command("resume", "manifest.json", "c.pt", "--format", "json")
        assert answer.code == 1
        assert "TP-RESUME-DIGEST" in answer.rules

    def test_names_the_configuration(self, command: Command) -> None:
        Path("run.yaml").write_text("seed: 2\n")
        answer = command("resume", "manifest.json", "gone", "--run-config", "run.yaml", "--format", "json")
        assert answer.rules == {"TP-RESUME-CONFIG", "TP-RESUME-CHECKPOINT"}

    def test_a_manifest_with_a_malformed_entry_allows_nothing(self, command: Command) -> None:
        text = Path("manifest.json").read_text().replace('"files": [', '"files": [{"path": "../x"},')
        Path("manifest.json").write_text(text)
        answer = command("resume", "manifest.json", "gone", "--format", "json")
        assert "TP-MANIFEST-ENTRY" in answer.rules

    def test_a_cut_manifest_allows_nothing(self, command: Command) -> None:
        Path("manifest.json").write_text(Path("manifest.json").read_text()[:-9])
        answer = command("resume", "manifest.json", "gone", "--format", "json")
        assert (answer.code, answer.rules) == (1, {"TP-MANIFEST-SYNTAX"})

    def test_needs_a_checkpoint(self, command: Command) -> None:
        assert command("resume", "manifest.json").code == 64


def test_without_a_manifest_nothing_is_known(command: Command) -> None:
    answer = command("resume", "gone", "--format", "json")
    assert (answer.code, answer.rules) == (2, {"TP-FILE-NOT-FOUND"})
