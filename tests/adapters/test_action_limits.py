"""100,000 findings through the Action's step: every output at once, each within its limit and accepted by its validator."""

import gzip
import json
from pathlib import Path

import pytest
import sarif_tools
from loopback import Loopback, serving
from made_reports import huge
from test_action_step import Step

from trainproof_ci import session
from trainproof_ci.adapters import pinned_yaml
from trainproof_ci.adapters.checks_api import BATCH, LARGEST_SUMMARY, MOST_BATCHES
from trainproof_ci.config import Settings
from trainproof_ci.model import Report, Severity
from trainproof_ci.reports import sarif

FINDINGS = 100_000
PER_LEVEL = 10
"""Annotations that GitHub shows of one step and level."""


@pytest.fixture(scope="module", name="huge")
def hundred_thousand() -> Report:
    return huge()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, huge: Report) -> Path:
    """A checkout in which so much is found; nothing of it needs to be there to be told."""
    made = tmp_path / "repo"
    made.mkdir()
    monkeypatch.chdir(made)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(made))
    monkeypatch.setattr(pinned_yaml, "provide", lambda _: None)
    monkeypatch.setattr(session, "judged", lambda *_: session.Session(huge, (), (), Settings()))
    return made


def test_every_output_is_within_its_limit(checkout: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    done = Step(checkout, capfdbinary, TRAINPROOF_UPLOAD_SARIF="true")
    assert (done.code, done.outputs["exit-code"], done.outputs["found"]) == (0, "1", "1000")
    for name in ("error", "warning", "notice"):
        assert sum(command.name == name for command in done.commands) <= PER_LEVEL
    assert len(done.summary.encode()) < 1 << 20
    assert f" of {FINDINGS} findings" in done.summary
    told = json.loads(Path(done.outputs["report-json"]).read_text())
    assert sum(len(target["findings"]) for target in told["targets"]) == FINDINGS
    uploaded = Path(done.outputs["upload-file"])
    assert uploaded.read_bytes() == Path(done.outputs["sarif-file"]).read_bytes()
    assert len(gzip.compress(uploaded.read_bytes())) <= sarif.LARGEST_COMPRESSED
    assert len(json.loads(uploaded.read_text())["runs"][0]["results"]) == sarif.MOST_RESULTS
    assert sarif_tools.faults(uploaded, checkout.parent) == []


def test_the_check_run_is_whole_and_valid(checkout: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    platform = Loopback()
    with serving(platform) as url:
        done = Step(checkout, capfdbinary, GITHUB_API_URL=url, TRAINPROOF_TOKEN="t")
    (run,) = platform.runs.values()
    assert platform.refused == []
    assert [method for method, _ in platform.requests] == ["POST", *["PATCH"] * (MOST_BATCHES - 1)]
    assert len(run["annotations"]) == BATCH * MOST_BATCHES
    assert {one["annotation_level"] for one in run["annotations"]} == {"failure"}
    assert len(run["output"]["summary"].encode()) <= LARGEST_SUMMARY
    assert f"showing {BATCH * MOST_BATCHES} of {FINDINGS} annotations" in run["output"]["summary"]
    levels = {command.name: command.message for command in done.commands}
    assert set(levels) == {"error", "warning", "notice"}
    assert levels["error"].startswith(f"33334 {Severity.FAIL.value}, each at its line in the check run")
