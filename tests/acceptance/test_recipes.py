"""Every recipe of the documentation is a workflow that runs: here it is run, on a repository that gives it work."""

import json
from pathlib import Path

import outside
import pytest
from act_runner import git, pull_request, repository, run
from loopback import Loopback, serving
from test_action import BAD, GOOD

RECIPES = sorted((outside.ROOT / "docs/recipes").glob("*.yml"))
TRAIN = """\
import json, os
os.makedirs("runs/one", exist_ok=True)
history = [{"step": 10 * i, "loss": round(3 / i + 0.5 + 0.01 * (i % 3), 4), "learning_rate": 1e-4, "grad_norm": 1.0} for i in range(1, 40)]
json.dump({"log_history": history}, open("runs/one/trainer_state.json", "w"), indent=1)
"""
EARLIER = json.dumps({
    "log_history": [
        {"step": 10 * i, "loss": round(3 / i + 0.52 + 0.01 * (i % 3), 4), "learning_rate": 1e-4, "grad_norm": 1.0}
        for i in range(1, 40)
    ]
}, indent=1)  # fmt: skip
CASES = {
    "pull-request.yml": ("pull_request", {"data/train.jsonl": BAD}, "failure"),
    "code-scanning.yml": ("push", {"data/train.jsonl": BAD}, "failure"),
    "gradual.yml": ("pull_request", {"data/train.jsonl": BAD}, "success"),
    "strict.yml": ("push", {"data/train.jsonl": GOOD + "\n"}, "failure"),
    "training.yml": ("workflow_dispatch", {"train.py": TRAIN, "runs/one/trainer_state.json": EARLIER}, "success"),
    "shards.yml": (
        "push",
        {f"data/{name}.jsonl": GOOD.replace("question", name) for name in "abcde"} | {"data/bad.jsonl": BAD},
        "failure",
    ),
}


def test_every_recipe_has_a_case_and_stands_in_the_readme() -> None:
    assert {path.name for path in RECIPES} == set(CASES)
    readme = (outside.ROOT / "README.md").read_text()
    for path in RECIPES:
        assert f"docs/recipes/{path.name}" in readme


@pytest.mark.parametrize("name", CASES)
def test_recipe(tmp_path: Path, name: str) -> None:
    event, files, outcome = CASES[name]
    workflow = (outside.ROOT / "docs/recipes" / name).read_text()
    repo = repository(tmp_path / "repo", {**files, f".github/workflows/{name}": workflow})
    if name == "gradual.yml":  # the pull request touches another line than the bad one
        git(repo, "checkout", "-qb", "change")
        (repo / "data/train.jsonl").write_text(BAD.replace("answer 7", "changed"))
        git(repo, "commit", "-qam", "change")
        git(repo, "checkout", "-q", "main")
        git(repo, "merge", "-q", "--no-ff", "-m", "merge", "change")
    platform = Loopback()
    payload = (
        pull_request()
        if event == "pull_request"
        else {"ref": "refs/heads/main", "repository": {"default_branch": "main"}}
    )
    with serving(platform) as api:
        ran = run(
            repo, api, scratch=tmp_path / "scratch", event=event, payload=payload, file=f".github/workflows/{name}"
        )
    assert platform.refused == []
    assert (ran.code == 0) is (outcome == "success"), ran.log
    if name == "code-scanning.yml":
        (uploaded,) = ran.kept.rglob("upload.sarif")
        assert json.loads(uploaded.read_text())["runs"][0]["results"]
    if name in {"pull-request.yml", "shards.yml"}:
        (check_run,) = platform.runs.values()
        assert check_run["conclusion"] == "failure"
    if name == "shards.yml":
        assert "6 found" in str(check_run["output"]["title"])
    if name == "training.yml":
        assert "trainer" in ran.summary
        assert "baseline there" in ran.summary
        assert "loss of the baseline" in ran.summary
