"""The task that every framework trains: a line through four numbers, and the faults that are put in."""

import math
from typing import NamedTuple

import torch
from torch import nn

STEPS, EVERY, BATCH, SEED = 300, 5, 16, 3
RATE = 0.02


class Fault(NamedTuple):
    """What goes wrong in a run: the learning rate, and the step from which on the loss is made NaN, larger or zero."""

    what: str
    rate: float = RATE
    nan_from: float = math.inf
    worse_from: float = math.inf
    zero_from: float = math.inf


FAULTS = {
    "healthy": Fault("nothing"),
    "rate-x1000": Fault("the learning rate, a thousand times too large", rate=RATE * 1000),
    "nan": Fault("the loss is NaN from step 200 on", nan_from=200),
    "no-rate": Fault("a learning rate of 0", rate=0.0),
    "diverges": Fault("from step 150 on the loss is made larger, step by step", worse_from=150),
    "zero": Fault("the loss is multiplied by 0 from step 100 on", zero_from=100),
}


class Rows(torch.utils.data.Dataset):
    """Four numbers and their weighted sum with a little noise."""

    def __init__(self, count: int = 512, seed: int = 1) -> None:
        made = torch.Generator().manual_seed(seed)
        self.x = torch.randn(count, 4, generator=made)
        self.y = self.x @ torch.tensor([1.0, -2.0, 3.0, 0.5]) + 0.3 * torch.randn(count, generator=made)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": self.x[index], "labels": self.y[index]}


class Model(nn.Module):
    """A line, and the fault of the run."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.line = nn.Linear(4, 1)
        self.step = 0
        self.fault = fault

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        loss = ((self.line(x).squeeze(-1) - labels) ** 2).mean()
        if self.training:
            self.step += 1
            if self.step > self.fault.nan_from:
                loss = loss * math.nan
            if self.step > self.fault.zero_from:
                loss = loss * 0
            if self.step > self.fault.worse_from:
                loss = loss + 0.5 * (self.step - self.fault.worse_from)
        return {"loss": loss}


def batches(seed: int = SEED) -> torch.utils.data.DataLoader:
    """The training rows in shuffled batches."""
    return torch.utils.data.DataLoader(Rows(), batch_size=BATCH, shuffle=True, generator=torch.Generator().manual_seed(seed))


def evaluated(model: Model, rows: Rows) -> float:
    """The loss on rows that are not trained on."""
    model.eval()
    with torch.no_grad():
        loss = model(rows.x, rows.y)["loss"].item()
    model.train()
    return loss
