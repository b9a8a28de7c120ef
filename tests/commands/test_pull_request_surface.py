"""What hooks and workflows call on the command line: candidates, shards and merge, init, the hint about NOT-CHECKED."""

import json
from pathlib import Path
from typing import Any

import yaml

from trainproof_ci.config import parsed

GOOD = "".join(json.dumps({"prompt": f"q {i}", "completion": f"a {i}"}) + "\n" for i in range(20))
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 9\n"


def test_candidates_that_are_nothing_to_judge(work: Path, command: Any) -> None:
    (work / "notes.txt").write_text("hello\n")
    (work / "package.json").write_text('{"name": "x"}\n')
    answer = command("check", "--candidates", "notes.txt", "package.json")
    assert answer.code == 0
    assert "nothing to judge among 2 changed files" in answer.out
    assert command("check", "notes.txt").code == 2, "named on purpose it is not passed over"


def test_a_candidate_that_is_not_there_is_said(work: Path, command: Any) -> None:
    del work
    assert command("check", "--candidates", "gone.jsonl").code == 2


def test_the_hint_of_the_hook(work: Path, command: Any) -> None:
    (work / "p.jsonl").write_text(POINTER)
    assert "args: [--not-checked, pass]" in command("check", "p.jsonl", environment={"PRE_COMMIT": "1"}).out
    assert command("check", "--not-checked", "pass", "p.jsonl", environment={"PRE_COMMIT": "1"}).code == 0


def test_shards_and_merge(work: Path, command: Any) -> None:
    for name in "abcd":
        (work / f"{name}.jsonl").write_text(GOOD.replace("q ", f"{name} "))
    (work / "bad.jsonl").write_text(GOOD + "{\n")
    reports = work.parent / "reports"
    reports.mkdir(exist_ok=True)
    for number in (1, 2, 3):
        command(
            "check",
            "--shard",
            f"{number}/3",
            "--format",
            "json",
            "--output",
            str(reports / f"{number}.json"),
            "*.jsonl",
        )
    whole = command("check", "--format", "json", "*.jsonl")
    merged = command("merge", "--format", "json", str(reports))
    assert (merged.out, merged.code) == (whole.out, whole.code)
    (reports / "2.json").unlink()
    missing = command("merge", str(reports))
    assert missing.code == 64
    assert "missing 2" in missing.err


def test_init_writes_what_works_and_nothing_over(work: Path, command: Any) -> None:
    (work / "a.jsonl").write_text(GOOD)
    assert command("init").code == 0
    assert parsed((work / ".trainproof.yml").read_bytes(), "c.yml")
    workflow = yaml.safe_load((work / ".github/workflows/trainproof.yml").read_text())
    assert workflow["jobs"]["trainproof"]["steps"][1]["uses"].startswith("trainproof-ci/trainproof-ci@v")
    assert command("check").code == 0
    (work / ".trainproof.yml").write_text("version: 1 # mine\n")
    assert "stays as it is" in command("init").out
    assert (work / ".trainproof.yml").read_text() == "version: 1 # mine\n"


def test_changed_needs_a_repository_and_a_reference_that_is_there(work: Path, command: Any) -> None:
    (work / "a.jsonl").write_text(GOOD)
    assert command("check", "--changed", "HEAD", "--", "a.jsonl").code == 64
