"""Following a log by its status: rotation, truncation, a pause that grows, and the clock of a stall."""

import json
import os
from pathlib import Path

import pytest

from trainproof_ci.config import RuleOptions, Settings
from trainproof_ci.guardian import looking
from trainproof_ci.guardian.looking import SHARE, FollowedLog
from trainproof_ci.guardian.watching import LONGEST_PAUSE, SHORTEST_PAUSE, Watch


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def append(path: Path, steps: range, loss: float | None = None) -> None:
    with path.open("a", encoding="utf-8") as log:
        for step in steps:
            log.write(json.dumps({"step": step, "loss": loss if loss is not None else 3.0 / (1 + step)}) + "\n")


def glance(watch: Watch, clock: Clock) -> str | None:
    clock.now += 10
    stop = watch.glance()
    return stop.finding.rule if stop else None


def test_a_growing_log_is_looked_at_and_a_quiet_one_is_not(work: Path) -> None:
    clock = Clock()
    append(work / "log.jsonl", range(12))
    log = FollowedLog("log.jsonl", Settings(), clock)
    assert log.poll()
    assert log.look() is None
    assert log.report is not None
    clock.now += 1000
    assert not log.poll()
    append(work / "log.jsonl", range(12, 14))
    assert log.poll()


def test_looking_takes_a_small_share_of_the_time(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "FREE_SECONDS", 0.0)

    class Slow(Clock):
        def __call__(self) -> float:
            self.now += 1.0
            return self.now

    clock = Slow()
    append(work / "log.jsonl", range(12))
    log = FollowedLog("log.jsonl", Settings(), clock)
    log.look()
    append(work / "log.jsonl", range(12, 14))
    assert not log.poll()
    clock.now += 10 * SHARE
    assert log.poll()


def test_a_nan_stops_once_it_has_held(work: Path) -> None:
    clock = Clock()
    watch = Watch(["log.jsonl"], Settings(), clock=clock)
    assert glance(watch, clock) is None, "the log is not there yet"
    append(work / "log.jsonl", range(10))
    assert glance(watch, clock) is None
    append(work / "log.jsonl", range(10, 14), float("nan"))
    assert glance(watch, clock) is None, "four points may still recover"
    append(work / "log.jsonl", range(14, 20), float("nan"))
    assert glance(watch, clock) == "TP-NAN"


def test_a_cut_or_replaced_log_is_judged_from_its_new_beginning(work: Path) -> None:
    clock = Clock()
    path = work / "log.jsonl"
    watch = Watch(["log.jsonl"], Settings(), clock=clock)
    append(path, range(20), float("nan"))
    assert glance(watch, clock) == "TP-NAN"
    os.replace(path, work / "log.jsonl.1")
    append(path, range(20))
    assert glance(watch, clock) is None
    path.write_text("")
    assert glance(watch, clock) is None
    append(path, range(15))
    assert glance(watch, clock) is None
    report = watch.report()
    assert report.verdict.value == "PASS"
    assert "log.jsonl was cut short or replaced 2 times" in report.notes


def test_a_resumed_log_is_judged_by_its_last_segment(work: Path) -> None:
    clock = Clock()
    watch = Watch(["log.jsonl"], Settings(), clock=clock)
    append(work / "log.jsonl", range(20))
    append(work / "log.jsonl", range(15, 40))
    assert glance(watch, clock) is None
    assert watch.report().verdict.value == "PASS"


def test_the_pause_grows_while_nothing_happens(work: Path) -> None:
    clock = Clock()
    append(work / "log.jsonl", range(12))
    watch = Watch(["log.jsonl"], Settings(), clock=clock)
    for _ in range(20):
        glance(watch, clock)
    assert watch.pause == LONGEST_PAUSE
    append(work / "log.jsonl", range(12, 14))
    glance(watch, clock)
    assert watch.pause == SHORTEST_PAUSE


def test_a_stall_is_seen_by_the_clock_alone(work: Path) -> None:
    clock = Clock()
    append(work / "log.jsonl", range(12))
    watch = Watch(["log.jsonl"], Settings(), clock=clock)
    clock.now = 1799
    assert watch.stall() is None
    clock.now = 1801
    stall = watch.stall()
    assert stall is not None
    assert [(f.rule, f.location.line) for f in stall.findings] == [("TP-STALL", 12)]
    assert watch.report(stall).verdict.value == "WARN"
    assert watch.report().verdict.value == "PASS"


def test_the_stall_time_and_the_rule_can_be_configured(work: Path) -> None:
    clock = Clock()
    append(work / "log.jsonl", range(12))
    for options, fires in ((RuleOptions(limits={"seconds": 5.0}), True), (RuleOptions(off=True), False)):
        clock.now = 0.0
        watch = Watch(["log.jsonl"], Settings(rules={"TP-STALL": options}), clock=clock)
        clock.now = 3600.0
        assert (watch.stall() is not None) is fires
