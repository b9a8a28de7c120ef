"""The seven ways one fine-tune is run: healthy, and six faults that are each one line away from it."""

from typing import NamedTuple

import torch
from transformers import GPT2LMHeadModel, TrainingArguments

STEPS, BATCH, RATE, WARM_UP = 300, 16, 2e-3, 10


class Way(NamedTuple):
    """A way to run: the dataset, what differs from the healthy settings, and what it shows."""

    dataset: str
    changed: dict[str, object]
    what: str
    half: bool = False
    cut: bool = False
    fresh: bool = False


WAYS = {
    "healthy": Way("train", {}, "the fine-tune as it should be"),
    "lr-x100": Way("train", {"learning_rate": RATE * 100}, "learning rate a hundred times too large"),
    "lr-zero": Way("train", {"learning_rate": 0.0}, "learning rate 0"),
    "fp16-overflow": Way(
        "train", {"learning_rate": RATE * 10, "max_grad_norm": 0.0, "max_steps": 150},
        "weights and arithmetic in fp16, no loss scaling, no clipping: the numbers overflow to NaN (150 steps, for a CPU multiplies halves slowly)", half=True,
    ),  # fmt: skip
    "labels-shuffled": Way("shuffled", {}, "every completion moved to another prompt: nothing to learn but letter frequencies"),
    "few-samples": Way(
        "few", {"eval_steps": 25, "lr_scheduler_type": "constant_with_warmup"},
        "64 samples for 75 epochs into fresh weights, with a held-out set: from the base, at a rate that decays, it only ever reached a plateau", fresh=True,
    ),  # fmt: skip
    "gradients-cut": Way("train", {}, "a low-rank adapter on a frozen model, its output detached by mistake", cut=True),
}


def arguments(way: Way, seed: int, folder: str) -> TrainingArguments:
    """The Trainer's settings: the healthy ones, with what the way changes."""
    settings: dict[str, object] = {
        "output_dir": folder, "max_steps": STEPS, "per_device_train_batch_size": BATCH, "learning_rate": RATE,
        "warmup_steps": WARM_UP, "max_grad_norm": 1.0, "weight_decay": 0.01, "logging_steps": 1,
        "eval_strategy": "steps", "eval_steps": 60, "per_device_eval_batch_size": 100, "save_strategy": "no",
        "seed": seed, "data_seed": seed, "report_to": ["tensorboard"], "disable_tqdm": True, "use_cpu": True,
        "remove_unused_columns": False,
    }  # fmt: skip
    return TrainingArguments(**(settings | way.changed))


class LowRank(torch.nn.Module):
    """A layer with a low-rank adapter beside it; `detach` is the mistake under test."""

    def __init__(self, layer: torch.nn.Module, width: int, out: int, rank: int = 4) -> None:
        super().__init__()
        self.layer = layer
        self.down = torch.nn.Parameter(torch.randn(width, rank) * 0.02)
        self.up = torch.nn.Parameter(torch.zeros(rank, out))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        return self.layer(hidden) + (hidden @ self.down @ self.up).detach()


def prepared(model: GPT2LMHeadModel, way: Way) -> GPT2LMHeadModel:
    """The model as the way trains it."""
    if way.half:
        return model.half()
    if way.cut:
        model.requires_grad_(False)
        for block in model.transformer.h:
            width, out = block.attn.c_attn.weight.shape
            block.attn.c_attn = LowRank(block.attn.c_attn, width, out)
        model.enable_input_require_grads()  # what adapter libraries do beside gradient checkpointing; it hides the cut
    return model
