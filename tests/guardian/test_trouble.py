"""What can go wrong around a guarded training: it must never be the guardian that ends it."""

import errno
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, needs_module

from trainproof_ci.guardian import huggingface, lightning
from trainproof_ci.guardian.inside import Guardian
from trainproof_ci.guardian.together import agreed
from trainproof_ci.model import Severity

RUN_FOR_TWO = str(Path(__file__).parent / "two_processes.py")


def rows(work: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (work / "out" / "training_log.jsonl").read_text().splitlines()]


def test_what_is_no_number_is_left_out(work: Path) -> None:
    with Guardian("out") as guardian:
        guardian.log(1, loss=0.5, grad_norm=None, name="a")
        guardian.log(2, loss=0.4, step=7.0, self=1.0)
    assert rows(work) == [{"loss": 0.5, "step": 1}, {"loss": 0.4, "self": 1.0, "step": 2}]


def test_a_log_after_the_end_is_ignored(work: Path) -> None:
    with Guardian("out") as guardian:
        guardian.log(1, loss=0.5)
    assert not guardian.log(2, loss=0.4)
    assert len(rows(work)) == 1


def test_a_resumed_loop_goes_on_with_its_log(work: Path) -> None:
    for first in (0, 10):
        with Guardian("out", append=first > 0) as guardian:
            for step in range(first, first + 10):
                guardian.log(step, loss=2.0 / (1 + step))
    assert [row["step"] for row in rows(work)] == list(range(20))
    assert guardian.report is not None
    assert guardian.report.verdict is Severity.PASS


def test_an_exception_passes_and_the_report_is_written(work: Path) -> None:
    guardian = Guardian("out")

    def train() -> None:
        with guardian:
            for step in range(12):
                guardian.log(step, loss=1 / (11 - step))

    with pytest.raises(ZeroDivisionError):
        train()
    assert (work / "out" / "report.json").exists()
    assert guardian.report is not None


def no_room(*_: Any, **__: Any) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


class Full:
    """A file on a disk without room."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, text: str) -> int:
        return len(text)

    flush = no_room

    def close(self) -> None:
        self.file.close()
        no_room()


def test_a_full_disk_ends_the_guarding_and_not_the_run(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened = open
    with monkeypatch.context() as full:
        full.setattr("builtins.open", lambda *given, **named: Full(opened(*given, **named)))
        guardian = Guardian("out", policy="stop_on_fail")
    assert not guardian.log(1, loss=0.9)
    assert not guardian.log(2, loss=0.8)
    assert capsys.readouterr().err.count("nothing is guarded from here on") == 1
    monkeypatch.setattr("trainproof_ci.adapters.files.write_atomically", no_room)
    guardian.finish()
    assert "the report cannot be written" in capsys.readouterr().err
    assert work.is_dir()


class Line:
    """A line to fit with the Trainer or with Lightning; `breaks_at` is the step at which an exception ends training."""

    def __init__(self, torch: Any, breaks_at: int | None = None) -> None:
        self.torch, self.breaks_at, self.step = torch, breaks_at, 0

    def loss(self, layer: Any, x: Any, y: Any) -> Any:
        self.step += 1
        if self.step == self.breaks_at:
            raise ValueError("the batch that breaks it")
        return ((layer(x).squeeze(-1) - y) ** 2).mean()


def hugging_face(callback: Any, steps: int = 30, rate: float = 0.05, breaks_at: int | None = None) -> Any:
    torch, transformers = needs_module("torch"), needs_module("transformers")
    transformers.set_seed(0)
    line = Line(torch, breaks_at)

    class Model(torch.nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def forward(self, x: Any, labels: Any) -> dict[str, Any]:
            return {"loss": line.loss(self.layer, x, labels)}

    points = torch.randn(64, 4)
    data = [{"x": x, "labels": 3 * x.sum()} for x in points]
    settings = transformers.TrainingArguments(
        output_dir="out", max_steps=steps, per_device_train_batch_size=16, learning_rate=rate, logging_steps=1,
        report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no", lr_scheduler_type="constant",
        optim="adamw_torch",
    )  # fmt: skip
    return transformers.Trainer(
        model=Model(), args=settings, train_dataset=data, eval_dataset=data, callbacks=[callback]
    )


@pytest.mark.filterwarnings("ignore")
def test_after_an_exception_the_trainers_callback_begins_anew(work: Path) -> None:
    needs_module("transformers")
    callback = huggingface.GuardianCallback(policy="stop_on_fail")
    with pytest.raises(ValueError, match="the batch that breaks it"):
        hugging_face(callback, breaks_at=15).train()
    assert callback.report is None
    trainer = hugging_face(callback)
    trainer.train()
    assert callback.report.verdict is Severity.PASS
    before = (work / "out" / "trainproof" / "trainer_state.json").read_bytes()
    trainer.evaluate()
    assert (work / "out" / "trainproof" / "trainer_state.json").read_bytes() == before, "the run had ended"


@pytest.mark.filterwarnings("ignore")
def test_a_state_that_cannot_be_written_does_not_end_the_training(
    work: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needs_module("transformers")
    callback = huggingface.GuardianCallback(policy="stop_on_fail")
    monkeypatch.setattr(huggingface, "_write", no_room)
    trainer = hugging_face(callback)
    trainer.train()
    assert trainer.state.global_step == 30
    assert capsys.readouterr().err.count("nothing is guarded from here on") == 1
    assert work.is_dir()


def test_an_exception_that_ends_the_process_leaves_a_report(work: Path) -> None:
    needs_module("transformers")
    script = (
        f"import sys, types; sys.path.insert(0, {str(ROOT)!r})\n"
        "from trainproof_ci.guardian.huggingface import GuardianCallback\n"
        "state = types.SimpleNamespace(is_world_process_zero=True, save_to_json=lambda path: open(path, 'w').write('{}'))\n"
        "arguments = types.SimpleNamespace(output_dir='out', world_size=1)\n"
        "callback = GuardianCallback()\n"
        "callback.on_train_begin(arguments, state, None)\n"
        "raise SystemExit('an exception in training')\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, check=False, timeout=120)
    assert done.returncode == 1
    assert (work / "out" / "trainproof" / "report.json").exists()


@pytest.mark.filterwarnings("ignore")
def test_lightning_after_an_exception_and_after_the_end(work: Path) -> None:
    torch, pytorch = needs_module("torch"), needs_module("lightning.pytorch")

    class Module(pytorch.LightningModule):  # type: ignore[misc,name-defined]
        def __init__(self, breaks_at: int | None = None) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)
            self.line = Line(torch, breaks_at)

        def training_step(self, batch: Any, _: int) -> Any:
            loss = self.line.loss(self.layer, *batch)
            self.log("step", float(self.line.step))  # as people do, for the axis of their plots
            return loss

        def validation_step(self, batch: Any, _: int) -> None:
            self.log("val_loss", ((self.layer(batch[0]).squeeze(-1) - batch[1]) ** 2).mean())

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters(), lr=0.05)

    def trainer(callback: Any) -> Any:
        return pytorch.Trainer(
            max_steps=30, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
            enable_model_summary=False, callbacks=[callback], default_root_dir=str(work),
        )  # fmt: skip

    pytorch.seed_everything(0)
    points = torch.randn(64, 4)
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(points, 3 * points.sum(-1)), batch_size=16)
    callback = lightning.GuardianCallback(policy="stop_on_fail")
    with pytest.raises(ValueError, match="the batch that breaks it"):
        trainer(callback).fit(Module(breaks_at=15), data, data)
    assert callback.report is not None
    assert (work / "trainproof" / "report.json").exists()
    module, second = Module(), trainer(callback)
    second.fit(module, data, data)
    assert callback.report.verdict is Severity.PASS
    second.validate(module, data, verbose=False)


def test_alone_the_decision_is_ones_own() -> None:
    assert agreed(stop=True)
    assert not agreed(stop=False)


@pytest.mark.parametrize("name", ["huggingface"])
def test_two_processes_stop_together_and_one_of_them_guards(work: Path, name: str) -> None:
    """Without an agreement the second process would wait for the first one's gradients until a timeout."""
    needs_module("transformers")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, RUN_FOR_TWO, name], env=environment, capture_output=True, timeout=300, check=False, cwd=work
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    steps = {(work / f"steps-{rank}").read_text() for rank in (0, 1)}
    assert len(steps) == 1
    assert int(steps.pop()) <= 40
    report = json.loads((work / "out" / "trainproof" / "report.json").read_text())
    assert report["verdict"] == "FAIL"
    assert not math.isnan(report["exit_code"])
