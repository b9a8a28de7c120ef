"""The evidence keeps its verdicts: a rule that stops firing fails the build, and so does one that starts."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

EVIDENCE = ROOT / "evidence"
MOST_BYTES = 25 << 20
WAYS = ("healthy", "lr-x100", "lr-zero", "fp16-overflow", "labels-shuffled", "few-samples", "gradients-cut")


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EVIDENCE / "accuracy" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VERDICTS = load("verdicts")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def lock(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / VERDICTS.LOCK).read_text())
    return found


@pytest.mark.parametrize("folder", VERDICTS.run_folders(), ids=lambda folder: folder.name)
def test_every_run_has_exactly_its_locked_rules(folder: Path) -> None:
    assert VERDICTS.judged(folder) == lock(folder)


def test_a_changed_verdict_is_announced() -> None:
    assert VERDICTS.digest() in (ROOT / "CHANGELOG.md").read_text(), "say in CHANGELOG.md which verdict changed and why"


@pytest.mark.parametrize("way", WAYS)
def test_every_way_was_run_with_three_seeds_and_is_caught_as_said(way: str) -> None:
    folders = [EVIDENCE / "injected" / "runs" / f"{way}-{seed}" for seed in (1, 2, 3)]
    caught = {lock(folder)["caught_by"] for folder in folders}
    wanted = {"healthy": "nothing to catch", "labels-shuffled": "compare only"}.get(way, "the single run")
    assert caught == {wanted}


@pytest.mark.parametrize("folder", VERDICTS.run_folders(), ids=lambda folder: folder.name)
def test_independent_readers_of_one_run_agree(folder: Path) -> None:
    """Throughput is a note that an event file does not carry."""
    files = lock(folder)["files"].values()
    assert len({entry["verdict"] for entry in files}) == 1
    assert len({tuple(rule for rule in entry["rules"] if rule != "TP-THROUGHPUT") for entry in files}) == 1


def test_a_healthy_run_has_nothing_but_notes() -> None:
    for folder in VERDICTS.run_folders():
        found = lock(folder)
        if found["expected"] == "PASS":
            assert {entry["verdict"] for entry in found["files"].values()} == {"PASS"}
            assert {rule for entry in found["files"].values() for rule in entry["rules"]} <= {"TP-THROUGHPUT"}


def test_the_generated_table_tells_what_the_locks_hold() -> None:
    table = (EVIDENCE / "accuracy" / "AGREEMENT.md").read_text(encoding="utf-8")
    for folder in VERDICTS.run_folders():
        found = lock(folder)
        if folder.parent.parent.name == "injected":
            rules = " ".join(found["files"]["trainer_state.json"]["rules"]) or "-"
            verdict = found["files"]["trainer_state.json"]["verdict"]
            assert f"| {folder.name} | {found['expected']} | {verdict} | {rules} |" in table


def test_the_evidence_stays_small_and_says_where_it_came_from() -> None:
    assert sum(path.stat().st_size for path in EVIDENCE.rglob("*") if path.is_file()) < MOST_BYTES
    for folder in (EVIDENCE / "injected" / "runs").iterdir():
        about = json.loads((folder / "run.json").read_text())
        assert about["command"].startswith("python evidence/injected/make.py")
        assert (EVIDENCE / "injected" / about["dataset"]).exists()
