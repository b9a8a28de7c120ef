"""Coqui's trainer: its log file `trainer_0_log.txt` (also its console) and its event file."""

import pathlib
import shutil

import task
import torch

PACKAGES = ("coqui-tts-trainer", "torch", "tensorboard")
FAULTS = ("healthy", "rate-x1000", "nan")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Fit a TrainerModel as the trainer's own example writes one."""
    from make import event_file
    from trainer import Trainer, TrainerArgs, TrainerConfig, TrainerModel

    class Line(TrainerModel):
        """The line, with what the trainer asks of a model."""

        def __init__(self) -> None:
            super().__init__()
            self.model = task.Model(fault)

        def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
            return self.model(x, labels)

        def train_step(self, batch, criterion, optimizer_idx=None):  # noqa: ANN001, ANN202 - the trainer's signature
            found = self(**batch)
            return found, {"loss": found["loss"]}

        @torch.no_grad()
        def eval_step(self, batch, criterion, optimizer_idx=None):  # noqa: ANN001, ANN202 - the trainer's signature
            found = self(**batch)
            return found, {"loss": found["loss"]}

        def train_log(self, *_: object, **__: object) -> None:
            """No pictures."""

        eval_log = train_log

        def get_criterion(self) -> torch.nn.Module:
            return torch.nn.Identity()

        def get_data_loader(self, config, is_eval=False, samples=None, verbose=True, num_gpus=1, rank=0, assets=None):  # noqa: ANN001, ANN202 - the trainer's signature
            return torch.utils.data.DataLoader(task.Rows(128, seed=2), batch_size=64) if is_eval else task.batches()

    torch.manual_seed(task.SEED)
    config = TrainerConfig(
        run_name="line", epochs=12, batch_size=task.BATCH, eval_batch_size=64, print_step=8, plot_step=8, save_step=10**6,
        save_checkpoints=False, lr=fault.rate, optimizer="SGD", output_path="out", run_eval=True, test_delay_epochs=-1,
        training_seed=task.SEED,
    )  # fmt: skip
    trainer = Trainer(TrainerArgs(), config, output_path="out", model=Line(), parse_command_line_args=False)
    trainer.fit()
    (log,) = pathlib.Path().rglob("trainer_0_log.txt")
    shutil.copyfile(log, folder / "trainer_0_log.txt")
    event_file(pathlib.Path(), folder)
