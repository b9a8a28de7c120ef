"""Findings set aside: by an entry with a reason, by the baseline; stale entries are said, and nothing unjudged is hidden."""

import json
from pathlib import Path

import pytest

from trainproof_ci import known
from trainproof_ci.config import Settings, parsed
from trainproof_ci.errors import UsageError
from trainproof_ci.model import Report, Severity
from trainproof_ci.session import Request, judged

ROWS = [f'{{"prompt": "question {i}", "completion": "answer {i}"}}' for i in range(1, 31)]
NAN = '{{"prompt": "odd {}", "completion": NaN}}'


def write(work: Path, rows: list[str], name: str = "a.jsonl") -> None:
    (work / name).write_text("".join(row + "\n" for row in rows))


def check(settings: Settings | None = None) -> Report:
    return judged(Request(), settings or Settings()).report


def rules(report: Report) -> set[str]:
    return {finding.rule for _, finding in report.findings if finding.severity is Severity.FAIL}


def test_a_known_finding_stays_known_when_lines_move(work: Path) -> None:
    write(work, [*ROWS[:5], NAN.format(1), *ROWS[5:]])
    baseline = known.load(known.written(check()), "k.json")
    write(work, [*ROWS[20:], *ROWS[:5], NAN.format(1), *ROWS[5:20]])
    report = check(Settings(known=baseline))
    assert rules(report) == set()
    assert report.exit_code == 0
    assert {aside.reason for target in report.targets for aside in target.ignored} == {"a known finding"}
    assert report.notes == ()


def test_a_new_finding_counts_beside_a_known_one(work: Path) -> None:
    write(work, [*ROWS[:15], NAN.format(1), *(NAN.format(n) for n in range(2, 14)), *ROWS[15:]])
    baseline = known.load(known.written(check()), "k.json")
    write(work, [*ROWS[:15], NAN.format(1), *(NAN.format(n) for n in range(2, 14)), *ROWS[15:], NAN.format(99)])
    report = check(Settings(known=baseline))
    (found,) = [finding for _, finding in report.findings if finding.rule == "TP-JSON-NONFINITE"]
    assert found.places.lines.tolist() == [44]
    assert found.location.line == 44
    assert report.exit_code == 1


def test_a_stale_known_finding_is_said(work: Path) -> None:
    write(work, [*ROWS, NAN.format(1)])
    baseline = known.load(known.written(check()), "k.json")
    write(work, ROWS)
    report = check(Settings(known=baseline))
    assert report.exit_code == 0
    assert any("stale known findings: 1 of TP-JSON-NONFINITE in a.jsonl" in note for note in report.notes)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b'{"version": 2, "findings": []}', b'{"version": 1, "findings": [{}]}', b'{"version": 1, "findings": 3}',
     b'{"version": 1, "findings": [{"rule": 1, "path": "a", "keys": []}]}', b'{"version": 1, "findings": [{"rule": "a", "path": "a", "keys": [1]}]}',
     b"[" * 100_000, b"\xff"],
    ids=range(10),
)  # fmt: skip
def test_a_broken_baseline_is_a_usage_error(data: bytes) -> None:
    with pytest.raises(UsageError):
        known.load(data, "k.json")


def test_the_command_writes_it_and_the_configuration_names_it(work: Path, command: object) -> None:
    write(work, [*ROWS, NAN.format(1)])
    assert command("check", "--write-known", "known.json").code == 0  # type: ignore[operator]
    assert json.loads((work / "known.json").read_text())["version"] == 1
    (work / ".trainproof.yml").write_text("version: 1\nknown-findings: known.json\n")
    assert command("check", "a.jsonl").code == 0  # type: ignore[operator]
    (work / "known.json").unlink()
    assert command("check", "a.jsonl").code == 64  # type: ignore[operator]


def test_an_ignore_needs_a_reason_and_a_stale_one_is_said(work: Path) -> None:
    write(work, [*ROWS, NAN.format(1)])
    with pytest.raises(UsageError, match="reason"):
        parsed(b"version: 1\nignore: [{rule: TP-JSON-NONFINITE, files: a.jsonl}]\n", "c.yml")
    text = b"version: 1\nignore: [{rule: TP-JSON-EXTRA, files: a.jsonl, reason: none}]\n"
    assert any("stale ignore: TP-JSON-EXTRA" in note for note in check(parsed(text, "c.yml")).notes)


def test_what_was_not_judged_is_never_set_aside(work: Path) -> None:
    (work / "p.jsonl").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 9\n")
    for text in (
        b"version: 1\nignore: [{rule: TP-FILE-LFS-POINTER, files: '**', reason: x}]\n",
        b"version: 1\nrules: {TP-FILE-LFS-POINTER: {severity: warn}}\n",
        b"version: 1\nrules: {TP-FILE-LFS-POINTER: {severity: off}}\n",
    ):
        assert check(parsed(text, "c.yml")).exit_code == 2
