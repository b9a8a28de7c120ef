"""`compare`: each run by its own rules, then beside the baseline at equal steps, and all of them ranked."""

import json
import math
import struct
from pathlib import Path

import event_files as ef
import pytest
from conftest import Command
from makers import trainer_state

from trainproof_ci.comparison import compare, compare_with_copy
from trainproof_ci.config import RunOptions, Settings
from trainproof_ci.discovery import Target, find
from trainproof_ci.engine import check
from trainproof_ci.model import ExitCode, Severity
from trainproof_ci.readers.run import tfevents
from trainproof_ci.reports import markdown, ranking, text

GOOD = [0.4 + 2 * math.exp(-i / 12) for i in range(60)]
POOR = [2.4 - 0.01 * i for i in range(60)]


@pytest.fixture
def runs(work: Path) -> Path:
    for name, losses in {
        "good": GOOD, "close": [x * 1.05 for x in GOOD], "poor": POOR,
        "half": GOOD[:30], "broken": [*GOOD[:50], *([math.nan] * 10)],
    }.items():  # fmt: skip
        (work / f"{name}.json").write_bytes(trainer_state(losses))
    return work


def test_no_finding_of_a_run_is_hidden(runs: Path, command: Command) -> None:
    del runs
    answer = command("compare", "good.json", "close.json", "broken.json", "--format", "json")
    assert answer.code == ExitCode.FAIL
    assert {"TP-NAN", "TP-CMP-UNCOMPARABLE"} <= answer.rules
    assert [(t["path"], t["kind"]) for t in answer.report["targets"]] == [
        ("broken.json", "comparison"), ("broken.json", "run"), ("close.json", "comparison"), ("close.json", "run"),
    ]  # fmt: skip


def test_the_exit_code_counts_the_comparison(runs: Path, command: Command) -> None:
    del runs
    assert command("compare", "good.json", "close.json").code == ExitCode.OK
    assert command("check", "poor.json").code == ExitCode.OK
    assert command("compare", "good.json", "poor.json").code == ExitCode.FAIL
    assert command("compare", "missing.json", "close.json").code == ExitCode.NOT_CHECKED
    assert command("compare", "good.json", "missing.json").code == ExitCode.NOT_CHECKED
    assert command("compare", "good.json").code == ExitCode.USAGE
    assert command("compare", "good.json", "./good.json").code == ExitCode.USAGE


def test_runs_are_ranked_and_those_not_compared_come_last(runs: Path) -> None:
    del runs
    report = compare("good.json", ["poor.json", "broken.json", "close.json", "half.json"], Settings())
    rows = ranking.rows(report)
    assert [(row[0], row[1], row[2]) for row in rows] == [
        ("1", "half.json", "PASS"), ("2", "close.json", "PASS"), ("3", "poor.json", "FAIL"), ("-", "broken.json", "FAIL"),
    ]  # fmt: skip
    assert "rank  run" in text.render(report)
    assert "| 1 | half&#46;json |" in markdown.render(report)


def test_a_run_that_stopped_half_way_is_held_against_the_same_steps(runs: Path) -> None:
    del runs
    report = compare("good.json", ["half.json"], Settings())
    (facts,) = [target.facts for target in report.targets if target.kind == "comparison"]
    assert (facts["steps"], facts["end"], facts["baseline_end"]) == ("10 to 300", facts["baseline_end"], facts["end"])


def test_formats_may_differ_and_folders_stand_for_their_runs(runs: Path) -> None:
    (runs / "logs" / "a").mkdir(parents=True)
    (runs / "logs" / "b").mkdir()
    (runs / "logs" / "a" / "events.out.tfevents.1.a").write_bytes(ef.event_file("train/loss", GOOD))
    (runs / "logs" / "b" / "events.out.tfevents.1.b").write_bytes(ef.event_file("train/loss", POOR))
    report = compare("good.json", ["logs"], Settings())
    assert [row[:3] for row in ranking.rows(report)] == [
        ("1", "logs/a/events.out.tfevents.1.a", "PASS"),
        ("2", "logs/b/events.out.tfevents.1.b", "FAIL"),
    ]
    back = compare("logs/a", ["good.json"], Settings())
    assert back.verdict is Severity.PASS
    both = compare("logs", ["good.json"], Settings())
    assert [f.rule for _, f in both.findings] == ["TP-CMP-UNCOMPARABLE"]


def test_check_compares_what_the_configuration_gives_a_baseline(runs: Path) -> None:
    del runs
    settings = Settings(runs=(RunOptions("*.json", baseline="good.json"),))
    report = check(find(["poor.json", "good.json"], settings), settings)
    assert [(t.path, t.kind, t.verdict.value) for t in report.targets] == [
        ("good.json", "run", "PASS"), ("poor.json", "comparison", "FAIL"), ("poor.json", "run", "PASS"),
    ]  # fmt: skip


def test_a_copy_from_elsewhere_is_called_by_its_name(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    del runs
    copy = tmp_path_factory.mktemp("base") / "trainer_state.json"
    copy.write_bytes(trainer_state(GOOD))
    run = find(["poor.json"], Settings())[0]
    report = compare_with_copy(run, str(copy), "poor.json on main", Settings())
    assert report.verdict is Severity.FAIL
    assert report.facts["baseline"] == "poor.json on main"
    assert str(copy) not in json.dumps([f._asdict() for f in report.findings], default=repr)


def test_a_copy_that_is_not_there_is_not_checked(runs: Path) -> None:
    del runs
    run = Target("poor.json", "run", "hf-trainer-state")
    assert compare_with_copy(run, "nowhere.json", "base", Settings()).verdict is Severity.NOT_CHECKED


def test_different_quantities_are_not_compared(runs: Path) -> None:
    (runs / "other.csv").write_text(
        "step,box_loss,cls_loss\n" + "".join(f"{10 * i},{x},{x}\n" for i, x in enumerate(GOOD))
    )
    report = compare("good.json", ["other.csv"], Settings())
    assert [f.message for _, f in report.findings if f.rule == "TP-CMP-UNCOMPARABLE"] == [
        "not compared: the two losses are not the same quantity"
    ]


def test_a_folder_without_a_run_is_not_checked(runs: Path) -> None:
    (runs / "empty").mkdir()
    report = compare("good.json", ["empty"], Settings())
    assert {(t.path, t.verdict.value) for t in report.targets} == {("empty", "NOT-CHECKED")}
    assert report.exit_code is ExitCode.NOT_CHECKED


def test_a_comparison_does_not_rest_on_damaged_records(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the last values were damaged to be large; without every checksum computed they are looked at in the end."""
    monkeypatch.setattr(tfevents, "EVERY_CHECKSUM", 100)
    monkeypatch.setattr(tfevents, "accelerator", lambda: None)
    data = bytearray(ef.event_file("train/loss", GOOD))
    size = len(ef.record(ef.event(500, ("train/loss", ef.simple(1)))))
    for back in range(1, 6):
        place = len(data) - back * size + size - 8
        data[place : place + 4] = struct.pack("<f", 9.0)
    (runs / "events.out.tfevents.1.h").write_bytes(data)
    report = compare("good.json", ["events.out.tfevents.1.h"], Settings())
    assert {(t.kind, *(f.rule for f in t.findings)) for t in report.targets} == {
        ("comparison",),
        ("run", "TP-BAD-RECORD"),
    }
