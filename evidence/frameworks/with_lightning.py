"""Lightning: metrics.csv of its CSVLogger, an event file of its TensorBoardLogger, and the progress bar on the console."""

import pathlib
import shutil

import task
import torch

PACKAGES = ("torch", "lightning", "tensorboard")
FAULTS = ("healthy", "no-rate", "nan", "diverges", "zero")
CONSOLE_IS_LOG = ("healthy", "nan", "zero")  # the bar has no learning rate, and every step where the others have a fifth


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """One run of Lightning, in three formats."""
    import lightning.pytorch as pl
    from lightning.pytorch.callbacks import LearningRateMonitor, TQDMProgressBar
    from lightning.pytorch.loggers import CSVLogger, TensorBoardLogger
    from make import event_file

    class Lit(pl.LightningModule):
        """The model as a LightningModule, as its documentation writes one."""

        def __init__(self) -> None:
            super().__init__()
            self.model = task.Model(fault)

        def training_step(self, batch: dict[str, torch.Tensor], _: int) -> torch.Tensor:
            loss = self.model(**batch)["loss"]
            self.log("train_loss", loss, prog_bar=True)
            return loss

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), fault.rate)

    pl.seed_everything(task.SEED, verbose=False)
    loggers = [CSVLogger(".", "csv", "v"), TensorBoardLogger(".", "events", "v", default_hp_metric=False)]
    trainer = pl.Trainer(
        max_steps=task.STEPS, logger=loggers, log_every_n_steps=task.EVERY, enable_checkpointing=False,
        enable_model_summary=False, accelerator="cpu", callbacks=[LearningRateMonitor("step"), TQDMProgressBar(1)],
    )  # fmt: skip
    trainer.fit(Lit(), torch.utils.data.DataLoader(task.Rows(), batch_size=task.BATCH))
    shutil.copyfile("csv/v/metrics.csv", folder / "metrics.csv")
    event_file(pathlib.Path("events"), folder)
