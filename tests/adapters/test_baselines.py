"""The input `baseline`: a known-good run at a path, or the same file on the base branch, from git or from the API."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from act_runner import git, repository
from loopback import Loopback, serving
from makers import trainer_state
from test_action_step import Step

from trainproof_ci.adapters import pinned_yaml

GOOD = [0.4 + 2 * math.exp(-i / 12) for i in range(60)]
CLOSE = [x * 1.02 for x in GOOD]
POOR = [2.4 - 0.01 * i for i in range(60)]
RUN = "runs/trainer_state.json"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "repo", {RUN: trainer_state(GOOD)})
    monkeypatch.setattr(pinned_yaml, "provide", lambda _: None)
    monkeypatch.chdir(made)
    return made


def changed(repo: Path, losses: Sequence[float], path: str = RUN) -> str:
    """The base commit, of a repository whose work tree holds another run."""
    base = git(repo, "rev-parse", "HEAD").strip()
    (repo / path).write_bytes(trainer_state(list(losses)))
    return base


def pull(repo: Path, base: str) -> dict[str, str]:
    payload = {"pull_request": {"number": 7, "head": {"sha": "a" * 40}, "base": {"sha": base}}}
    return told(repo, "pull_request", payload)


def told(repo: Path, name: str, payload: Any) -> dict[str, str]:
    file = repo.parent / "event.json"
    file.write_text(json.dumps(payload))
    return {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), "TRAINPROOF_BASELINE": "base"}


def comparisons(step: Step) -> list[dict[str, Any]]:
    report = json.loads(Path(step.outputs["report-json"]).read_text())
    return [target for target in report["targets"] if target["kind"] == "comparison"]


@pytest.mark.parametrize(("losses", "verdict"), [(CLOSE, "PASS"), (POOR, "FAIL")])
def test_the_same_file_on_the_base_branch(repo: Path, capfdbinary: Any, losses: list[float], verdict: str) -> None:
    base = changed(repo, losses)
    step = Step(repo, capfdbinary, **pull(repo, base))
    (compared,) = comparisons(step)
    assert (compared["path"], compared["verdict"]) == (RUN, verdict)
    assert compared["facts"]["baseline"] == f"{RUN}@{base[:12]}"
    assert step.outputs["verdict"] == verdict
    assert "baseline there" in step.summary


def test_without_a_change_the_default_branch(repo: Path, capfdbinary: Any) -> None:
    changed(repo, POOR)
    event = told(repo, "schedule", {"repository": {"default_branch": "main"}})
    (compared,) = comparisons(Step(repo, capfdbinary, **event))
    assert (compared["verdict"], compared["facts"]["baseline"]) == ("FAIL", f"{RUN}@main")


@pytest.mark.parametrize("branch", [None, 3, "-x", "a..b", "a\nb", ""])
def test_no_base_at_all(repo: Path, capfdbinary: Any, branch: object) -> None:
    changed(repo, POOR)
    event = told(repo, "workflow_dispatch", {"repository": {"default_branch": branch}})
    (compared,) = comparisons(Step(repo, capfdbinary, **event))
    assert compared["verdict"] == "NOT-CHECKED"
    assert "the event has no base branch" in compared["findings"][0]["message"]


def test_a_run_that_is_new_and_one_that_is_unchanged(repo: Path, capfdbinary: Any) -> None:
    base = git(repo, "rev-parse", "HEAD").strip()
    (repo / "runs/new").mkdir()
    (repo / "runs/new/trainer_state.json").write_bytes(trainer_state(POOR))
    step = Step(repo, capfdbinary, **pull(repo, base), TRAINPROOF_CHANGED_ONLY="false")
    assert comparisons(step) == []
    notes = json.loads(Path(step.outputs["report-json"]).read_text())["notes"]
    assert "1 run: the base branch has no such file; nothing was compared" in notes
    assert "1 run: the file is as on the base branch; nothing was compared" in notes


def test_the_history_comes_from_the_api(repo: Path, capfdbinary: Any) -> None:
    changed(repo, POOR)
    platform = Loopback(validate=False)
    platform.contents[RUN] = trainer_state(GOOD)
    with serving(platform) as api:
        more = {
            "GITHUB_API_URL": api,
            "TRAINPROOF_TOKEN": "t",
            "TRAINPROOF_CHECK_RUN": "never",
            "TRAINPROOF_CHANGED_ONLY": "false",
        }
        step = Step(repo, capfdbinary, **pull(repo, "e" * 40), **more)
    (compared,) = comparisons(step)
    assert (compared["verdict"], compared["facts"]["baseline"]) == ("FAIL", f"{RUN}@eeeeeeeeeeee")


def test_no_history_and_no_token(repo: Path, capfdbinary: Any) -> None:
    changed(repo, CLOSE)
    step = Step(repo, capfdbinary, **pull(repo, "e" * 40))
    (compared,) = comparisons(step)
    assert compared["verdict"] == step.outputs["verdict"] == "NOT-CHECKED"
    assert "there is no token" in compared["findings"][0]["message"]


def test_a_pointer_and_a_page_on_the_base(repo: Path, capfdbinary: Any) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "d" * 64 + "\nsize 12345\n"
    for text in (pointer, "<!doctype html>\n"):
        (repo / RUN).write_text(text)
        git(repo, "commit", "-qam", "as it should not be")
        step = Step(repo, capfdbinary, **pull(repo, changed(repo, CLOSE)))
        (compared,) = comparisons(step)
        assert compared["verdict"] == "NOT-CHECKED"
        assert {place["path"] for found in compared["findings"] for place in found["locations"]} == {RUN}


def test_a_known_good_run_at_a_path(repo: Path, capfdbinary: Any) -> None:
    (repo / "good").mkdir()
    (repo / "good/trainer_state.json").write_bytes(trainer_state(GOOD))
    changed(repo, POOR)
    step = Step(repo, capfdbinary, TRAINPROOF_BASELINE="good/trainer_state.json")
    assert [(c["path"], c["verdict"]) for c in comparisons(step)] == [(RUN, "FAIL")]
    assert Step(repo, capfdbinary, TRAINPROOF_BASELINE="../good.json").code == 64


def test_with_the_rights_of_the_base_only_its_files_are_baselines(repo: Path, capfdbinary: Any) -> None:
    (repo / ".trainproof.yml").write_text("version: 1\nruns:\n  - {files: 'runs/**', baseline: good.json}\n")
    (repo / "good.json").write_bytes(trainer_state(GOOD))
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a baseline")
    base = changed(repo, POOR)
    (repo / "good.json").write_bytes(trainer_state(POOR))  # the fork's own idea of good
    event = told(repo, "pull_request_target", {}) | {"GITHUB_SHA": base, "TRAINPROOF_PATHS": "runs"}
    for asked in ("", "good.json"):
        step = Step(repo, capfdbinary, **{**event, "TRAINPROOF_BASELINE": asked})
        (compared,) = comparisons(step)
        assert (compared["verdict"], compared["facts"]["baseline"]) == ("FAIL", f"good.json@{base[:12]}")
    step = Step(repo, capfdbinary, **{**event, "TRAINPROOF_BASELINE": "nowhere.json"})
    assert comparisons(step)[0]["verdict"] == "NOT-CHECKED"


@pytest.mark.parametrize("other", ["SHARD", "MERGE"])
def test_no_shard_knows_all_runs(repo: Path, capfdbinary: Any, other: str) -> None:
    step = Step(repo, capfdbinary, **{"TRAINPROOF_BASELINE": "base", f"TRAINPROOF_{other}": "1/2"})
    assert step.code == 64
