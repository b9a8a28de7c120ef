"""A loop by hand under tqdm: progress bars with the loss behind them, and the mean of each epoch written between."""

import json
import pathlib
import sys

import task
import torch

PACKAGES = ("torch", "tqdm")
FAULTS = ("healthy", "nan")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Train; the bar goes to standard error, as it does by default."""
    from tqdm import tqdm

    torch.manual_seed(task.SEED)
    model = task.Model(fault)
    optimizer = torch.optim.SGD(model.parameters(), fault.rate)
    loader = task.batches()
    with (folder / "log.jsonl").open("w") as log:
        for epoch in range(1, 31):
            losses = []
            bar = tqdm(loader, desc=f"Epoch {epoch}/30", file=sys.stderr, mininterval=0.05)
            for batch in bar:
                optimizer.zero_grad()
                loss = model(**batch)["loss"]
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                bar.set_postfix(loss=f"{losses[-1]:.4f}")
            mean = sum(losses) / len(losses)
            tqdm.write(f"epoch {epoch}: train_loss={mean:.5f}", file=sys.stderr)
            log.write(json.dumps({"epoch": epoch, "train_loss": mean}) + "\n")
