"""Accelerate with its TensorBoard tracker, and the tqdm bar over the steps that its example scripts have."""

import pathlib
import sys

import task
import torch

PACKAGES = ("torch", "accelerate", "tensorboard", "tqdm")
FAULTS = ("healthy", "rate-x1000")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Train for so many steps, with one bar over all of them."""
    from accelerate import Accelerator
    from make import event_file
    from tqdm import tqdm

    torch.manual_seed(task.SEED)
    accelerator = Accelerator(cpu=True, log_with="tensorboard", project_dir="logs")
    accelerator.init_trackers("run")
    model = task.Model(fault)
    model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), fault.rate), task.batches())
    bar = tqdm(range(task.STEPS), desc="Steps", file=sys.stderr, mininterval=0.0)
    step = 0
    while step < task.STEPS:
        for batch in loader:
            loss = model(**batch)["loss"]
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            bar.set_postfix(step_loss=loss.detach().item(), lr=fault.rate, refresh=False)
            bar.update(1)
            accelerator.log({"train_loss": loss.detach().item(), "lr": fault.rate}, step=step)
            if step >= task.STEPS:
                break
    accelerator.end_training()
    event_file(pathlib.Path("logs"), folder)
