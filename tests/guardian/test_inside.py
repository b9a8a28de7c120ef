"""The guardian inside a process: a hand-written loop, and the callbacks under the real libraries."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, needs_module

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.errors import UsageError
from trainproof_ci.guardian import huggingface, lightning
from trainproof_ci.guardian.inside import Guardian
from trainproof_ci.model import Severity
from trainproof_ci.reports.json import document

CALLBACKS = {"huggingface": huggingface, "lightning": lightning}


def run_loop(guardian: Guardian, losses: list[float]) -> int:
    """The number of steps that a loop took."""
    with guardian:
        for step, loss in enumerate(losses):
            if guardian.log(step, loss=loss, learning_rate=1e-3):
                return step + 1
    return len(losses)


HEALTHY = [2.0 / (1 + 0.1 * step) for step in range(40)]
BROKEN = HEALTHY[:6] + [math.nan] * 34


def test_a_healthy_loop_runs_to_its_end(work: Path) -> None:
    guardian = Guardian("out", policy="stop_on_fail")
    assert run_loop(guardian, HEALTHY) == 40
    assert guardian.report is not None
    assert guardian.report.verdict is Severity.PASS
    assert (work / "out" / "report.json").exists()


def test_a_broken_loop_is_stopped(work: Path) -> None:
    guardian = Guardian("out", policy="stop_on_fail")
    assert run_loop(guardian, BROKEN) < 20
    written = json.loads((work / "out" / "report.json").read_text())
    assert written["verdict"] == "FAIL"
    assert "the run was stopped for TP-NAN" in written["notes"]


def test_by_default_it_only_warns(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert work.is_dir()
    assert run_loop(Guardian("out"), BROKEN) == 40
    assert "TP-NAN" in capsys.readouterr().err


def test_the_report_is_that_of_check_on_the_finished_log(work: Path) -> None:
    assert work.is_dir()
    guardian = Guardian("out")
    run_loop(guardian, BROKEN)
    assert guardian.report is not None
    checked = check(find(["out/training_log.jsonl"], Settings()), Settings())
    assert document(guardian.report)["targets"] == document(checked)["targets"]


def test_an_unknown_policy_is_an_error(work: Path) -> None:
    with pytest.raises(UsageError, match="unknown policy"):
        Guardian("out", policy="stop-on-fail")
    assert not (work / "out").exists(), "and nothing is written"


def test_in_a_github_job_the_summary_and_annotations_are_written(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(work / "summary.md"))
    run_loop(Guardian("out", policy="stop_on_fail"), BROKEN)
    assert "TP-NAN" in (work / "summary.md").read_text()
    assert "::error file=out/training_log.jsonl,line=7" in capsys.readouterr().out


def test_importing_a_callback_module_imports_no_framework() -> None:
    names = "trainproof_ci.guardian.huggingface, trainproof_ci.guardian.lightning"
    heavy = "{'torch', 'transformers', 'lightning', 'pytorch_lightning'}"
    script = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {names}; assert not {heavy} & set(sys.modules)"
    subprocess.run([sys.executable, "-I", "-c", script], check=True)


@pytest.mark.parametrize("name", CALLBACKS)
def test_an_unknown_policy_of_a_callback_is_an_error(work: Path, name: str) -> None:
    assert work.is_dir()
    needs_module("transformers" if name == "huggingface" else "lightning.pytorch")
    with pytest.raises(UsageError, match="unknown policy"):
        CALLBACKS[name].GuardianCallback(policy="stop")


def trained_by_hugging_face(rate: float, callback: Any) -> int:
    """Steps that a real Trainer took with a line to fit."""
    needs_module("transformers").set_seed(0)
    from line_to_fit import trainer as trainer_of

    trainer = trainer_of(
        callback, max_steps=60, per_device_train_batch_size=16, learning_rate=rate, lr_scheduler_type="constant"
    )
    trainer.train()
    return int(trainer.state.global_step)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("rate", "stopped"), [(0.1, False), (0.0, True)])
def test_the_hugging_face_callback_under_a_real_trainer(work: Path, rate: float, stopped: bool) -> None:
    needs_module("transformers")
    callback = huggingface.GuardianCallback(policy="stop_on_fail")
    steps = trained_by_hugging_face(rate, callback)
    assert (steps < 30) is stopped
    assert callback.report.verdict is (Severity.FAIL if stopped else Severity.PASS)
    checked = check(find(["out/trainproof/trainer_state.json"], Settings()), Settings())
    assert document(callback.report)["targets"] == document(checked)["targets"]
    assert (work / "out" / "trainproof" / "report.json").exists()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("rate", "stopped"), [(0.1, False), (0.0, True)])
def test_the_lightning_callback_under_a_real_trainer(work: Path, rate: float, stopped: bool) -> None:
    torch, pytorch = needs_module("torch"), needs_module("lightning.pytorch")

    class Line(pytorch.LightningModule):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def training_step(self, batch: Any, _: int) -> Any:
            return ((self.layer(batch[0]).squeeze(-1) - batch[1]) ** 2).mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters(), lr=rate)

    pytorch.seed_everything(0)
    points = torch.randn(256, 4)
    data = torch.utils.data.TensorDataset(points, 3 * points.sum(-1))
    callback = lightning.GuardianCallback(policy="stop_on_fail")
    trainer = pytorch.Trainer(
        max_steps=60, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
        enable_model_summary=False, callbacks=[callback], default_root_dir=str(work),
    )  # fmt: skip
    trainer.fit(Line(), torch.utils.data.DataLoader(data, batch_size=16))
    assert (trainer.global_step < 30) is stopped
    assert callback.report.verdict is (Severity.FAIL if stopped else Severity.PASS)
