"""Trains a tiny regression with the Hugging Face Trainer and with Lightning, each logging one run in several formats.

Hugging Face: trainer_state.json, a TensorBoard event file, and a CSV that a callback writes. Lightning: metrics.csv of
its CSVLogger and an event file of its TensorBoardLogger. Every run is made healthy and with one fault.

usage: make.py [FOLDER]        (needs torch, transformers, lightning, tensorboard; about a minute)
"""

import csv
import math
import shutil
import sys
import tempfile
import warnings
from pathlib import Path

import lightning.pytorch as pl
import torch
from lightning.pytorch.callbacks import LearningRateMonitor
from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
from torch import nn
from transformers import Trainer, TrainerCallback, TrainingArguments

STEPS, EVERY = 300, 5
FAULTS = {
    "healthy": {"rate": 0.02},
    "no-rate": {"rate": 0.0},
    "nan": {"rate": 0.02, "nan_from": 200},
    "diverges": {"rate": 0.02, "worse_from": 150},
    "zero": {"rate": 0.02, "zero_from": 100},
}
"""What goes wrong in each run: the learning rate, and the step from which on the loss is made NaN, larger or zero."""


class Rows(torch.utils.data.Dataset):
    """Four numbers and their weighted sum with a little noise."""

    def __init__(self) -> None:
        made = torch.Generator().manual_seed(1)
        self.x = torch.randn(512, 4, generator=made)
        self.y = self.x @ torch.tensor([1.0, -2.0, 3.0, 0.5]) + 0.3 * torch.randn(512, generator=made)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": self.x[index], "labels": self.y[index]}


class Model(nn.Module):
    """A line, and the fault of the run."""

    def __init__(self, nan_from: float = math.inf, worse_from: float = math.inf, zero_from: float = math.inf) -> None:
        super().__init__()
        self.line = nn.Linear(4, 1)
        self.step = 0
        self.nan_from, self.worse_from, self.zero_from = nan_from, worse_from, zero_from

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = ((self.line(x).squeeze(-1) - labels) ** 2).mean()
        if self.training:
            self.step += 1
            if self.step > self.nan_from:
                loss = loss * math.nan
            if self.step > self.zero_from:
                loss = loss * 0
            if self.step > self.worse_from:
                loss = loss + 0.5 * (self.step - self.worse_from)
        return {"loss": loss}


class CsvLog(TrainerCallback):
    """What people write to have a CSV beside the Trainer: a row for every training log."""

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, []

    def on_log(self, args, state, control, logs=None, **_):  # noqa: ANN001, ANN003, ANN201 - the Trainer's signature
        if logs and "loss" in logs:
            self.rows.append({"step": state.global_step, **{k: logs[k] for k in ("loss", "grad_norm", "learning_rate", "epoch")}})

    def on_train_end(self, args, state, control, **_):  # noqa: ANN001, ANN003, ANN201 - the Trainer's signature
        with self.path.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(self.rows[0]))
            writer.writeheader()
            writer.writerows(self.rows)


def hugging_face(folder: Path, rate: float, **fault: float) -> None:
    """One run of the Trainer, in three formats."""
    folder.mkdir(parents=True)
    torch.manual_seed(3)
    with tempfile.TemporaryDirectory() as work:
        import os

        os.environ["TENSORBOARD_LOGGING_DIR"] = f"{work}/events"
        arguments = TrainingArguments(
            work, max_steps=STEPS, per_device_train_batch_size=16, learning_rate=rate, logging_steps=EVERY, save_steps=STEPS,
            report_to=["tensorboard"], disable_tqdm=True, logging_nan_inf_filter=False, use_cpu=True, seed=3, remove_unused_columns=False,
        )  # fmt: skip
        trainer = Trainer(Model(**fault), arguments, train_dataset=Rows(), callbacks=[CsvLog(folder / "log.csv")])
        trainer.train()
        shutil.copy(f"{work}/checkpoint-{STEPS}/trainer_state.json", folder / "trainer_state.json")
        (events,) = Path(work).rglob("*tfevents*")
        shutil.copy(events, folder / "events.out.tfevents.1.host.1.0")


class Lit(pl.LightningModule):
    """The same model as a LightningModule, as its documentation writes one."""

    def __init__(self, rate: float, **fault: float) -> None:
        super().__init__()
        self.model, self.rate = Model(**fault), rate

    def training_step(self, batch: dict[str, torch.Tensor], _: int) -> torch.Tensor:
        loss = self.model(**batch)["loss"]
        self.log("train_loss", loss)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), self.rate)


def lightning(folder: Path, rate: float, **fault: float) -> None:
    """One run of Lightning, in two formats."""
    folder.mkdir(parents=True)
    pl.seed_everything(3, verbose=False)
    with tempfile.TemporaryDirectory() as work:
        loggers = [CSVLogger(work, "csv", "v"), TensorBoardLogger(work, "events", "v", default_hp_metric=False)]
        trainer = pl.Trainer(
            max_steps=STEPS, logger=loggers, log_every_n_steps=EVERY, enable_progress_bar=False, enable_checkpointing=False,
            enable_model_summary=False, accelerator="cpu", callbacks=[LearningRateMonitor("step")],
        )  # fmt: skip
        trainer.fit(Lit(rate, **fault), torch.utils.data.DataLoader(Rows(), batch_size=16))
        shutil.copy(f"{work}/csv/v/metrics.csv", folder / "metrics.csv")
        (events,) = Path(work).rglob("*tfevents*")
        shutil.copy(events, folder / "events.out.tfevents.1.host.1.0")


def main() -> None:
    top = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "runs"
    warnings.simplefilter("ignore")
    for fault, settings in FAULTS.items():
        for name, make in (("huggingface", hugging_face), ("lightning", lightning)):
            folder = top / f"{name}-{fault}"
            shutil.rmtree(folder, ignore_errors=True)
            make(folder, **settings)


if __name__ == "__main__":
    main()
