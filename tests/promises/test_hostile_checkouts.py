"""What a checkout can be made of so that less is judged than seems so, or that judging it never ends."""

import gzip
import os
import subprocess
from pathlib import Path

import pytest
from conftest import Command

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.readers.run.console_lines import pattern_of, split_numbers

GOOD = b'{"prompt": "a question", "completion": "an answer"}\n'
BROKEN = b'{"prompt": "a question", "completion": NaN}\n'
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 123\n"


@pytest.mark.parametrize(
    "name", ["--write-known=a.jsonl", "--config=a.csv", "--fail-on=never", "--not-checked=pass", "--deadline=0.jsonl"]
)
def test_a_file_that_a_hook_hands_over_is_never_obeyed_as_an_option(work: Path, command: Command, name: str) -> None:
    (work / "train.jsonl").write_bytes(BROKEN)
    (work / name).write_bytes(GOOD)
    assert command("check", "--candidates", "train.jsonl", name).code == 64
    assert sorted(os.listdir(work)) == sorted(["train.jsonl", name])


def test_options_and_names_after_two_dashes_stay_what_they_are(work: Path, command: Command) -> None:
    (work / "train.jsonl").write_bytes(BROKEN)
    (work / "--fail-on=never").write_bytes(GOOD)
    assert command("check", "--candidates", "--", "train.jsonl", "--fail-on=never").code == 1
    (work / "--fail-on=never").unlink()
    assert command("check", "--candidates", "--fail-on=never", "train.jsonl").code == 0


@pytest.mark.parametrize("line", ["1.2.3.4.5 loss", "1-2-3-4 loss", "3,4,5,6", "1e2e3"])
def test_a_line_that_can_be_divided_in_many_ways_gets_no_pattern(line: str) -> None:
    assert pattern_of(tuple(split_numbers(line)[::2]), ()) is None or len(split_numbers(line)) < 5


def test_a_pattern_takes_a_line_apart_as_the_search_does() -> None:
    for line in ("step 1 loss 0.5, lr 1e-3", "1,234 it, loss 2.", "[3/9] loss: -.5 (1.25)"):
        parts = split_numbers(line)
        pattern = pattern_of(tuple(parts[::2]), ())
        assert pattern is not None
        found = pattern.fullmatch(line)
        assert found is not None
        assert [float(each.replace(",", "")) for each in found.groups()[1::2]] == [
            float(each.replace(",", "")) for each in parts[1::2]
        ]


def test_a_log_of_addresses_is_judged_within_the_deadline(work: Path) -> None:
    line = ".".join(["123456"] * 200)
    (work / "train.log").write_text("".join(f"loss: {n} {line}\n" for n in range(200)), encoding="utf-8")
    (report,) = check(find(["train.log"], Settings()), Settings(deadline=60)).targets
    assert "TP-FILE-DEADLINE" not in {finding.rule for finding in report.findings}


@pytest.mark.parametrize("name", ["train.jsonl.gz", "train.jsonl.zst", "train.ndjson.gz", "trainer_state.json"])
@pytest.mark.parametrize(
    "data", [b"", b"neither \0 this nor that\n", POINTER, None], ids=["empty", "damaged", "pointer", "link"]
)
def test_a_file_of_a_name_of_ours_is_never_passed_over(
    work: Path, command: Command, name: str, data: bytes | None
) -> None:
    (work / "good.jsonl").write_bytes(GOOD * 3)
    if data is None:
        (work / name).symlink_to("/etc/passwd")
    else:
        (work / name).write_bytes(data)
    answer = command("check")
    assert "2 found" in answer.out
    assert answer.code in {1, 2}


def test_whole_compressed_lines_are_still_judged(work: Path, command: Command) -> None:
    (work / "train.jsonl.gz").write_bytes(gzip.compress(GOOD * 1))
    assert command("check").code == 0
    (work / "train.jsonl.gz").write_bytes(gzip.compress(BROKEN))
    assert command("check").code == 1


def test_what_lies_in_a_submodule_is_judged(work: Path, command: Command) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], check=True, capture_output=True
        )

    (work / "good.jsonl").write_bytes(GOOD)
    (work / "data").mkdir()
    (work / "data" / "train.jsonl").write_bytes(BROKEN)
    git("init", "-q", "data")
    git("-C", "data", "add", ".")
    git("-C", "data", "commit", "-qm", "data")
    git("init", "-q", ".")
    git("-c", "advice.addEmbeddedRepo=false", "add", ".")
    answer = command("check")
    assert answer.code == 1
    assert "data/train.jsonl:1:40: FAIL" in answer.out
    assert command("check", "data").code == 1


@pytest.mark.parametrize("cell", ["1_", "1__0", "1_.5", "_1", "1e_5", "1_0"])
def test_a_number_with_astray_underscores_breaks_nothing(work: Path, cell: str) -> None:
    rows = "".join(f"{step},{cell if step == 7 else 1 / (step + 1)}\n" for step in range(40))
    (work / "metrics.csv").write_text(f"step,loss\n{rows}", encoding="utf-8")
    (report,) = check(find(["metrics.csv"], Settings()), Settings()).targets
    assert "TP-FILE-CRASHED" not in {finding.rule for finding in report.findings}


def test_a_loss_that_rests_at_zero_and_rises_breaks_nothing(work: Path) -> None:
    values = [3 / (step + 1) for step in range(30)] + [0.0] * 40 + [1.5] * 30
    (work / "train.log").write_text("".join(f"step {n} loss: {v}\n" for n, v in enumerate(values)), encoding="utf-8")
    (report,) = check(find(["train.log"], Settings()), Settings()).targets
    assert "TP-FILE-CRASHED" not in {finding.rule for finding in report.findings}
