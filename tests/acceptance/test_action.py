"""The Action under a real runner, against an API that holds every body against GitHub's own description."""

from pathlib import Path

import pytest
from act_runner import HEAD, repository, run, workflow
from loopback import Fault, Loopback, serving

USE = "- id: tp\n  uses: trainproof-ci/trainproof-ci@v0.1.0\n"
TELL = """\
- if: always()
  env: {OUT: "${{ toJSON(steps.tp.outputs) }}"}
  run: echo "outputs=$(echo $OUT)"
"""
GOOD = "".join(f'{{"prompt": "question {i}", "completion": "answer {i}"}}\n' for i in range(1, 9))
BAD = GOOD.replace('"completion": "answer 4"', '"completion": NaN')
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "d" * 64 + "\nsize 12345\n"


def test_a_bad_record_fails_the_job_at_its_line(tmp_path: Path) -> None:
    repo = repository(
        tmp_path / "repo",
        {"data/train.jsonl": BAD, ".github/workflows/w.yml": workflow(USE + "  with: {check-run: never}\n" + TELL)},
    )
    with serving(Loopback()) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert ran.code != 0, ran.log
    assert any("::error file=data/train.jsonl,line=4" in command for command in ran.commands), ran.log
    assert "FAIL" in ran.summary
    assert "data&#47;train&#46;jsonl&#58;4" in ran.summary
    assert '"verdict": "FAIL"' in ran.log
    assert '"exit-code": "1"' in ran.log
    assert '"not-judged": "0"' in ran.log


def test_a_pointer_is_a_neutral_check_run_and_a_green_job(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {"data/train.jsonl": POINTER, ".github/workflows/w.yml": workflow(USE + TELL)})
    platform = Loopback()
    with serving(platform) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert ran.code == 0, ran.log
    assert platform.refused == []
    (check_run,) = platform.runs.values()
    assert check_run["conclusion"] == "neutral"
    assert check_run["head_sha"] == HEAD
    assert '"conclusion": "neutral"' in ran.log
    assert '"exit-code": "2"' in ran.log


def test_without_the_permission_the_job_stays_right_and_says_so(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {"data/train.jsonl": POINTER, ".github/workflows/w.yml": workflow(USE + TELL)})
    platform = Loopback((Fault("POST", 0, 403, message="Resource not accessible by integration", times=9),))
    with serving(platform) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert ran.code == 0, ran.log
    assert platform.runs == {}
    assert any("::notice" in command and "checks: write" in command for command in ran.commands), ran.log
    assert "checks" in ran.summary


def test_a_failure_fills_a_check_run_with_annotations(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {"data/train.jsonl": BAD, ".github/workflows/w.yml": workflow(USE)})
    platform = Loopback()
    with serving(platform) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert ran.code != 0
    assert platform.refused == []
    assert ("data/train.jsonl", 4) in {(path, line) for path, line, _ in platform.annotations}


@pytest.mark.parametrize(("given", "code"), [("pass", "0"), ("fail", "2")])
def test_not_checked_as_the_workflow_wants_it(tmp_path: Path, given: str, code: str) -> None:
    steps = USE + f"  with: {{check-run: never, not-checked: {given}}}\n" + TELL
    repo = repository(tmp_path / "repo", {"data/train.jsonl": POINTER, ".github/workflows/w.yml": workflow(steps)})
    with serving(Loopback()) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert (ran.code != 0) is (given == "fail"), ran.log
    assert f'"exit-code": "{code}"' in ran.log


def test_a_configuration_is_read_and_nothing_of_the_checkout_runs(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    planted = f"open({str(canary)!r}, 'w').close()\n"
    repo = repository(tmp_path / "repo", {
        "data/train.jsonl": BAD,
        ".trainproof.yml": "version: 1\nexclude: ['data/**']\n",
        **dict.fromkeys(("json.py", "yaml.py", "enum.py", "trainproof_ci/__init__.py", "sitecustomize.py"), planted),
        ".github/workflows/w.yml": workflow(USE + "  with: {check-run: never}\n" + TELL),
    })  # fmt: skip
    with serving(Loopback()) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert not canary.exists()
    assert '"verdict": "NOT-CHECKED"' in ran.log, ran.log


def test_a_wrong_configuration_is_64(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {
        "data/train.jsonl": GOOD, ".trainproof.yml": "version: 1\ndatasetz: []\n", ".github/workflows/w.yml": workflow(USE + TELL),
    })  # fmt: skip
    with serving(Loopback()) as api:
        ran = run(repo, api, scratch=tmp_path / "scratch")
    assert ran.code != 0
    assert '"exit-code": "64"' in ran.log, ran.log
    assert any("datasets" in command for command in ran.commands)


def test_sarif_is_uploaded_only_when_something_was_judged(tmp_path: Path) -> None:
    steps = USE + "  with: {check-run: never, upload-sarif: 'true'}\n"
    for name, content, uploaded in (("judged", BAD, True), ("unjudged", POINTER, False)):
        repo = repository(tmp_path / name, {"data/train.jsonl": content, ".github/workflows/w.yml": workflow(steps)})
        with serving(Loopback()) as api:
            ran = run(repo, api, scratch=tmp_path / f"scratch-{name}")
        assert any(ran.kept.rglob("upload.sarif")) is uploaded, ran.log
