"""A loop by hand: lines as people print them, a CSV, a JSON history, and an event file of SummaryWriter."""

import csv
import json
import pathlib

import task
import torch

PACKAGES = ("torch", "tensorboard")
FAULTS = ("healthy", "rate-x1000", "nan")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Train, and log each time the same three numbers in four ways."""
    from torch.utils.tensorboard import SummaryWriter

    torch.manual_seed(task.SEED)
    model, held_out = task.Model(fault), task.Rows(128, seed=2)
    optimizer = torch.optim.SGD(model.parameters(), fault.rate)
    loader = task.batches()
    epochs = task.STEPS // len(loader) + 1
    history: dict[str, list[float]] = {"epoch": [], "loss": [], "val_loss": []}
    writer = SummaryWriter("events")
    print(f"Training on cpu, {len(loader.dataset)} samples")
    for epoch in range(epochs * 4):
        total = 0.0
        for batch in loader:
            optimizer.zero_grad()
            loss = model(**batch)["loss"]
            loss.backward()
            optimizer.step()
            total += loss.item()
        mean, val_loss = total / len(loader), task.evaluated(model, held_out)
        for name, value in (("epoch", epoch + 1), ("loss", mean), ("val_loss", val_loss)):
            history[name].append(value)
        writer.add_scalar("Loss/train", mean, epoch + 1)
        writer.add_scalar("Loss/val", val_loss, epoch + 1)
        print(f"Epoch [{epoch + 1}/{epochs * 4}], Train Loss: {mean:.4f}, Val Loss: {val_loss:.4f}")
    print("Training finished.")
    writer.close()
    (folder / "history.json").write_text(json.dumps(history))
    with (folder / "log.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(history)
        rows.writerows(zip(*history.values()))
    from make import event_file

    event_file(pathlib.Path("events"), folder)
