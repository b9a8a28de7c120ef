"""The Hugging Face Trainer: trainer_state.json, an event file, its console, and a CSV that a callback writes."""

import csv
import os
import pathlib
import shutil

import task
import torch

PACKAGES = ("torch", "transformers", "accelerate", "tensorboard")
FAULTS = ("healthy", "no-rate", "nan", "diverges", "zero")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """One run of the Trainer, in four formats."""
    from make import event_file
    from transformers import Trainer, TrainerCallback, TrainingArguments

    class CsvLog(TrainerCallback):
        """What people write to have a CSV beside the Trainer: a row for every training log."""

        def __init__(self) -> None:
            self.rows: list[dict[str, float]] = []

        def on_log(self, args, state, control, logs=None, **_):  # noqa: ANN001, ANN003, ANN201 - the Trainer's signature
            if logs and "loss" in logs:
                kept = {key: logs[key] for key in ("loss", "grad_norm", "learning_rate", "epoch")}
                self.rows.append({"step": state.global_step, **kept})

        def on_train_end(self, args, state, control, **_):  # noqa: ANN001, ANN003, ANN201 - the Trainer's signature
            with (folder / "log.csv").open("w", newline="") as file:
                writer = csv.DictWriter(file, list(self.rows[0]))
                writer.writeheader()
                writer.writerows(self.rows)

    torch.manual_seed(task.SEED)
    os.environ["TENSORBOARD_LOGGING_DIR"] = "events"
    arguments = TrainingArguments(
        "out", max_steps=task.STEPS, per_device_train_batch_size=task.BATCH, learning_rate=fault.rate,
        logging_steps=task.EVERY, save_steps=task.STEPS, report_to=["tensorboard"], disable_tqdm=True,
        logging_nan_inf_filter=False, use_cpu=True, seed=task.SEED, remove_unused_columns=False,
    )  # fmt: skip
    Trainer(task.Model(fault), arguments, train_dataset=task.Rows(), callbacks=[CsvLog()]).train()
    shutil.copyfile(f"out/checkpoint-{task.STEPS}/trainer_state.json", folder / "trainer_state.json")
    event_file(pathlib.Path("events"), folder)
