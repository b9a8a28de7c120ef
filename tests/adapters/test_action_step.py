"""The Action's step in one process: every event, every failure of an output, every word of an input."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import outside
import pytest
import yaml
from act_runner import git, repository
from loopback import Fault, Loopback, serving
from runner_commands import Command, commands

from trainproof_ci.adapters import action, pinned_yaml
from trainproof_ci.adapters.inputs import CHOICES, FREE, variable

GOOD = "".join(f'{{"prompt": "question {i}", "completion": "answer {i}"}}\n' for i in range(1, 9))
BAD = GOOD.replace('"answer 4"', "NaN")
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "d" * 64 + "\nsize 12345\n"
ACTION = yaml.safe_load((outside.ROOT / "action.yml").read_text())


class Step:
    """One run of the step on a repository."""

    def __init__(self, repo: Path, capfdbinary: pytest.CaptureFixture[bytes], **environment: str) -> None:
        self.temporary = repo.parent / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.environment = {
            "GITHUB_OUTPUT": str(self.temporary / "output"),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
            "GITHUB_WORKSPACE": str(repo),
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_EVENT_NAME": "push",
            "GITHUB_SHA": "c" * 40,
            "GITHUB_JOB": "lint",
            **environment,
        }
        self.code = action.run(self.environment)
        self.out = capfdbinary.readouterr().out
        self.outputs = _outputs(self.temporary / "output")
        self.commands: list[Command] = commands(self.out)
        summary = self.temporary / "summary"
        self.summary = summary.read_text() if summary.exists() else ""


def _outputs(path: Path) -> Mapping[str, str]:
    found: dict[str, str] = {}
    lines = path.read_text().split("\n") if path.exists() else []
    while len(lines) > 2:
        name, delimiter = lines.pop(0).split("<<")
        value = []
        while (line := lines.pop(0)) != delimiter:
            value.append(line)
        found[name] = "\n".join(value)
    return found


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = repository(tmp_path / "repo", {"data/train.jsonl": BAD})
    for name in os.environ:
        if name.startswith(("GITHUB_", "RUNNER_", "TRAINPROOF_")) and name != "TRAINPROOF_NODE_MODULES":
            monkeypatch.delenv(name)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(made))
    monkeypatch.setattr(pinned_yaml, "provide", lambda _: None)
    monkeypatch.chdir(made)
    return made


def put(repo: Path, **files: str) -> None:
    for name, text in files.items():
        (repo / name.replace("__", "/").replace("_dot_", ".")).write_text(text)


def test_a_finding_everywhere(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    step = Step(repo, capfdbinary)
    assert step.code == 0
    assert (step.outputs["verdict"], step.outputs["exit-code"], step.outputs["gate"]) == ("FAIL", "1", "1")
    assert {c.properties.get("line") for c in step.commands if c.name == "error"} == {"4"}
    assert json.loads(Path(step.outputs["report-json"]).read_text())["exit_code"] == 1
    assert json.loads(Path(step.outputs["sarif-file"]).read_text())["version"] == "2.1.0"
    assert "upload-file" not in step.outputs
    assert "FAIL" in step.summary


def test_the_outputs_are_those_that_the_action_declares(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    declared = set(ACTION["outputs"])
    assert declared == set(Step(repo, capfdbinary).outputs) - {"gate", "upload-file"}


def test_the_inputs_are_those_that_the_action_hands_over() -> None:
    (judge,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "judge"]
    assert set(ACTION["inputs"]) == {*CHOICES, *FREE}
    assert judge["env"] == {variable(name): f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]}
    for name, words in CHOICES.items():
        assert ACTION["inputs"][name]["default"] == words[0]


@pytest.mark.parametrize("name", CHOICES)
def test_a_word_that_an_input_does_not_know(repo: Path, capfdbinary: pytest.CaptureFixture[bytes], name: str) -> None:
    step = Step(repo, capfdbinary, **{variable(name): "mabye"})
    assert step.code == 64
    assert step.outputs["exit-code"] == step.outputs["gate"] == "64"
    assert step.commands[0].name == "error"


@pytest.mark.parametrize("folder", ["..", "../other", "/etc", ".git", "nowhere"])
def test_a_working_directory_outside(repo: Path, capfdbinary: pytest.CaptureFixture[bytes], folder: str) -> None:
    assert Step(repo, capfdbinary, TRAINPROOF_WORKING_DIRECTORY=folder).code == 64


def test_places_count_from_the_root_of_the_repository(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    step = Step(repo, capfdbinary, TRAINPROOF_WORKING_DIRECTORY="data")
    assert {c.properties["file"] for c in step.commands if "file" in c.properties} == {"data/train.jsonl"}
    run = json.loads(Path(step.outputs["sarif-file"]).read_text())["runs"][0]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "data/train.jsonl"
    assert json.loads(Path(step.outputs["report-json"]).read_text())["targets"][0]["path"] == "train.jsonl"


@pytest.mark.parametrize(
    ("event", "payload", "head"),
    [
        ("push", {}, "c"),
        ("schedule", {}, "c"),
        ("workflow_dispatch", {}, "c"),
        ("pull_request", {"pull_request": {"number": 1, "head": {"sha": "a" * 40}, "base": {"sha": "b" * 40}}}, "a"),
        ("merge_group", {"merge_group": {"head_sha": "a" * 40, "base_sha": "b" * 40}}, "a"),
    ],
)
def test_the_check_run_belongs_to_the_head(
    repo: Path, capfdbinary: pytest.CaptureFixture[bytes], event: str, payload: dict[str, Any], head: str
) -> None:
    told = repo.parent / "event.json"
    told.write_text(json.dumps(payload))
    platform = Loopback()
    with serving(platform) as address:
        step = Step(
            repo, capfdbinary, GITHUB_EVENT_NAME=event, GITHUB_EVENT_PATH=str(told), GITHUB_API_URL=address,
            TRAINPROOF_TOKEN="token-of-a-test", TRAINPROOF_CHANGED_ONLY="false",
        )  # fmt: skip
    (run,) = platform.runs.values()
    assert platform.refused == []
    assert run["head_sha"] == head * 40
    assert run["name"] == "trainproof-ci / lint"
    assert step.outputs["gate"] == "1"
    assert [c.properties for c in step.commands] == [{"title": "trainproof-ci"}]  # one pointer, the rest stands there


BASE = "version: 1\nrules: {TP-JSON-NONFINITE: {severity: warn}, TP-SCHEMA-TYPE: {severity: warn}}\n"
FORK = "version: 1\nexclude: ['data/**']\n"


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_with_the_rights_of_the_base_its_configuration_counts(
    repo: Path, capfdbinary: pytest.CaptureFixture[bytes], event: str
) -> None:
    put(repo, _dot_trainproof_dot_yml=BASE)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "base")
    base = git(repo, "rev-parse", "HEAD")
    put(repo, _dot_trainproof_dot_yml=FORK)
    git(repo, "commit", "-qam", "fork")
    step = Step(repo, capfdbinary, GITHUB_EVENT_NAME=event, GITHUB_SHA=base, TRAINPROOF_CHANGED_ONLY="false")
    assert step.outputs["verdict"] == "WARN"
    ordinary = Step(repo, capfdbinary, GITHUB_EVENT_NAME="pull_request", TRAINPROOF_CHANGED_ONLY="false")
    assert ordinary.outputs["verdict"] == "NOT-CHECKED"


def test_a_base_that_is_not_in_the_clone_is_asked_for_or_refused(
    repo: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    put(repo, _dot_trainproof_dot_yml=FORK)
    given = {
        "GITHUB_EVENT_NAME": "pull_request_target",
        "TRAINPROOF_CHANGED_ONLY": "false",
        "TRAINPROOF_CHECK_RUN": "never",
    }
    assert Step(repo, capfdbinary, **given).code == 64
    platform = Loopback(validate=False)
    platform.contents = {".trainproof.yml": BASE.encode()}
    with serving(platform) as address:
        assert (
            Step(repo, capfdbinary, **given, TRAINPROOF_TOKEN="t", GITHUB_API_URL=address).outputs["verdict"] == "WARN"
        )
        platform.contents = {}
        assert (
            Step(repo, capfdbinary, **given, TRAINPROOF_TOKEN="t", GITHUB_API_URL=address).outputs["verdict"] == "FAIL"
        )
    with serving(Loopback((Fault("GET", 0, 404 - 1, times=9),), validate=False)) as address:
        assert Step(repo, capfdbinary, **given, TRAINPROOF_TOKEN="t", GITHUB_API_URL=address).code == 64


def test_the_baseline_of_the_base_counts(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(
        repo,
        _dot_trainproof_dot_yml="version: 1\nknown-findings: known.json\n",
        known_dot_json='{"version": 1, "findings": []}',
    )
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "base")
    base = git(repo, "rev-parse", "HEAD")
    subprocess.run(["git", "rm", "-q", "--cached", "known.json"], cwd=repo, check=True)
    from trainproof_ci import known
    from trainproof_ci.config import Settings
    from trainproof_ci.session import Request, judged

    (repo / "known.json").write_bytes(known.written(judged(Request(), Settings()).report))
    given = {"TRAINPROOF_CHANGED_ONLY": "false", "GITHUB_SHA": base}
    assert Step(repo, capfdbinary, **given, GITHUB_EVENT_NAME="push").outputs["verdict"] != "FAIL"
    assert Step(repo, capfdbinary, **given, GITHUB_EVENT_NAME="pull_request_target").outputs["verdict"] == "FAIL"


@pytest.mark.parametrize("variable_", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "RUNNER_TEMP", "sarif"])
def test_an_output_that_cannot_be_written_loses_no_verdict(
    repo: Path, capfdbinary: pytest.CaptureFixture[bytes], variable_: str
) -> None:
    nowhere = str(repo / "data/train.jsonl/x")
    given = {"TRAINPROOF_SARIF_FILE": "data/train.jsonl/x"} if variable_ == "sarif" else {variable_: nowhere}
    step = Step(repo, capfdbinary, **given)
    assert step.code == (1 if variable_ == "GITHUB_OUTPUT" else 0)
    assert variable_ == "GITHUB_OUTPUT" or step.outputs["gate"] == "1"
    assert any(c.name == "warning" and "written" in c.message for c in step.commands)


def test_a_sarif_file_is_written_inside_only(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    for path in ("../x.sarif", "/tmp/x.sarif", ".git/hooks/x"):
        step = Step(repo, capfdbinary, TRAINPROOF_SARIF_FILE=path)
        assert "sarif-file" not in _outputs(Path(step.environment["GITHUB_OUTPUT"])) or not os.path.lexists(repo / path)
        Path(step.environment["GITHUB_OUTPUT"]).unlink()


def test_no_upload_of_a_run_that_judged_nothing(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert "upload-file" in Step(repo, capfdbinary, TRAINPROOF_UPLOAD_SARIF="true").outputs
    put(repo, data__train_dot_jsonl=POINTER)
    Path(repo.parent / "temporary/output").unlink()
    assert "upload-file" not in Step(repo, capfdbinary, TRAINPROOF_UPLOAD_SARIF="true").outputs


def test_shards_and_their_merge(repo: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    put(repo, data__other_dot_jsonl=GOOD.replace("question", "other"))
    folder = repo / "reports"
    folder.mkdir()
    for number in (1, 2):
        step = Step(repo, capfdbinary, TRAINPROOF_SHARD=f"{number}/2", TRAINPROOF_PATHS="data")
        assert step.outputs["gate"] == "0"
        assert step.summary == ""
        (folder / f"{number}.json").write_bytes(Path(step.outputs["report-json"]).read_bytes())
    merged = Step(repo, capfdbinary, TRAINPROOF_MERGE="reports")
    assert merged.outputs["gate"] == "1"
    assert merged.outputs["found"] == "2"
    assert "FAIL" in merged.summary
