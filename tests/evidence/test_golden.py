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


VERDICTS, REPLAY, TABLES = load("verdicts"), load("replay"), load("tables")
FRAMEWORKS = (
    "huggingface", "lightning", "pytorch", "tqdm", "accelerate", "keras", "coqui", "stablebaselines",
    "lightgbm", "xgboost", "catboost", "spacy", "ultralytics",
)  # fmt: skip


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
    """On the verdict and on the set of rules. Throughput is a note that an event file does not carry."""
    files = lock(folder)["files"].values()
    assert len({entry["verdict"] for entry in files}) == 1
    assert len({tuple(rule for rule in entry["rules"] if rule != "TP-THROUGHPUT") for entry in files}) == 1


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_has_a_healthy_run_and_a_broken_one(name: str) -> None:
    runs = [folder for folder in VERDICTS.run_folders() if folder.name.split("-", 1)[0] == name]
    expected = {lock(folder)["expected"] for folder in runs}
    assert expected == {"PASS", "FAIL"}
    missed = {folder.name for folder in runs if lock(folder)["caught_by"] not in {"nothing to catch", "the single run"}}
    assert missed <= {"stablebaselines-rate-x1000"}, "said in frameworks/README.md"


def test_no_run_is_of_a_framework_that_the_command_does_not_make() -> None:
    made = {folder.name.split("-", 1)[0] for folder in (EVIDENCE / "frameworks" / "runs").iterdir()}
    assert made == set(FRAMEWORKS)
    command = (EVIDENCE / "frameworks" / "make.py").read_text()
    assert all(f'"{name}"' in command for name in FRAMEWORKS)
    assert all((EVIDENCE / "frameworks" / f"with_{name}.py").exists() for name in FRAMEWORKS)


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


@pytest.mark.parametrize("name", TABLES.READMES)
def test_the_readmes_say_what_the_locks_and_the_command_say(name: str) -> None:
    """The tables in them, and what `trainproof-ci check evidence` ends with."""
    text = (EVIDENCE / name).read_text(encoding="utf-8")
    assert TABLES.MARK.search(text)
    assert TABLES.rewritten(text) == text, "python evidence/accuracy/tables.py"


@pytest.fixture(scope="module")
def replays() -> list[Any]:
    found: list[Any] = REPLAY.replays()
    return found


def test_the_table_of_prefixes_is_that_of_the_rules(replays: list[Any]) -> None:
    """How often a FAIL on a prefix was taken back, by which rule, and that each such rule is explained."""
    assert REPLAY.table(replays) == REPLAY.TABLE.read_text(encoding="utf-8"), "python evidence/accuracy/replay.py"
    assert {rule for found in replays for rule in found.rules_taken_back} <= set(REPLAY.EXPLAINED)


def test_the_last_prefix_has_the_verdict_of_check(replays: list[Any]) -> None:
    """And nothing is ever stopped for a FAIL that the finished log takes back."""
    for found in replays:
        written = lock(EVIDENCE / found.run.replace("/", "/runs/"))["files"][found.log]
        assert found.final == written["verdict"]
        assert not found.stopped or found.rule in written["rules"]


def test_no_healthy_run_is_stopped_and_every_firm_fault_is(replays: list[Any]) -> None:
    for found in replays:
        expected = lock(EVIDENCE / found.run.replace("/", "/runs/"))["expected"]
        assert expected == "FAIL" or not found.stopped


def test_the_evidence_stays_small_and_says_where_it_came_from() -> None:
    assert sum(path.stat().st_size for path in EVIDENCE.rglob("*") if path.is_file()) < MOST_BYTES
    for group in ("injected", "frameworks"):
        assert (EVIDENCE / group / "README.md").exists()
        for folder in (EVIDENCE / group / "runs").iterdir():
            about = json.loads((folder / "run.json").read_text())
            assert about["command"].startswith(f"python evidence/{group}/make.py")
            assert about["versions"]["python"]
            assert group == "frameworks" or (EVIDENCE / group / about["dataset"]).exists()
