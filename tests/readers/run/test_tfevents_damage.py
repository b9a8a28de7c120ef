"""Damaged bytes never become a finding about training: every cut, every flipped bit of a record."""

import math
import random
from pathlib import Path

import event_files as ef
import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target
from trainproof_ci.engine import judge
from trainproof_ci.model import Severity, TargetReport
from trainproof_ci.readers.run import tfevents

NAME = "events.out.tfevents.1700000000.host.1.0"
ABOUT_THE_FILE = ("TP-BAD-RECORD", "TP-TRUNCATED", "TP-RUN-", "TP-FILE-")
LOSS = ef.falling(14)
HEALTHY = ef.event_file("train/loss", LOSS)
BROKEN = ef.event_file("train/loss", [*ef.falling(30), math.nan, math.nan, math.nan])


def judged(data: bytes) -> TargetReport:
    Path(NAME).write_bytes(data)
    return judge(Target(NAME, "run", "tensorboard", len(data)), Settings())


def about_training(report: TargetReport) -> set[str]:
    return {finding.rule for finding in report.findings if not finding.rule.startswith(ABOUT_THE_FILE)}


@pytest.fixture(autouse=True)
def _here(work: Path) -> None:
    del work


def test_the_intact_files() -> None:
    assert (judged(HEALTHY).verdict, about_training(judged(HEALTHY))) == (Severity.PASS, set())
    assert about_training(judged(BROKEN)) == {"TP-NAN"}


def test_every_cut() -> None:
    for at in range(len(HEALTHY)):
        report = judged(HEALTHY[:at])
        assert about_training(report) == set(), at
        assert report.verdict in {Severity.NOT_CHECKED, Severity.WARN, Severity.PASS}, at


def bits(first: int, end: int) -> list[tuple[int, int]]:
    return [(at, bit) for at in range(first, end) for bit in range(8)]


def flipped(data: bytes, at: int, bit: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1 << bit
    return bytes(changed)


def record_bounds(number: int) -> tuple[int, int]:
    first = len(ef.event_file("train/loss", LOSS[:number]))
    return first, len(ef.event_file("train/loss", LOSS[: number + 1]))


@pytest.mark.parametrize("number", [7, 13])
def test_every_flipped_bit_of_a_record(number: int) -> None:
    for at, bit in bits(*record_bounds(number)):
        report = judged(flipped(HEALTHY, at, bit))
        assert about_training(report) == set(), (at, bit)
        assert report.verdict is Severity.NOT_CHECKED, (at, bit)
        assert {finding.rule for finding in report.findings} == {"TP-BAD-RECORD"}, (at, bit)


def test_flipped_bits_all_over_two_files() -> None:
    chosen = random.Random(7)
    for data, expected in ((HEALTHY, set()), (BROKEN, {"TP-NAN"})):
        for at in chosen.sample(range(len(data)), 100):
            report = judged(flipped(data, at, chosen.randrange(8)))
            assert about_training(report) <= expected, at
            assert report.verdict is not Severity.PASS, at


def test_a_flipped_bit_in_a_file_too_large_to_check_in_advance(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a finding rests on is looked at again: neither the spike nor a NaN that a bit made is believed."""
    monkeypatch.setattr(tfevents, "EVERY_CHECKSUM", 100)
    monkeypatch.setattr(tfevents, "accelerator", lambda: None)
    losses = ef.falling(30)
    healthy = ef.event_file("train/loss", losses)
    first, end = (len(ef.event_file("train/loss", losses[:count])) for count in (20, 21))
    assert judged(healthy).facts["checksums"] != "every record"
    for at, bit in bits(end - 6, end - 4):
        report = judged(flipped(healthy, at, bit))
        assert about_training(report) == set(), (at, bit)
    spiked = judged(flipped(healthy, end - 5, 6))
    assert [(f.rule, f.location.byte_offset) for f in spiked.findings] == [("TP-BAD-RECORD", first)]
    assert about_training(judged(BROKEN)) == {"TP-NAN"}
