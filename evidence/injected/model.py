"""The model: a GPT-2 of 0.1 million parameters over bytes, and the base that every fine-tune starts from."""

import pathlib
import random

import torch
from transformers import GPT2Config, GPT2LMHeadModel

PAD, END = 256, 257
WINDOW = 72
BASE_STEPS, BASE_BATCH, BASE_RATE = 1500, 48, 2e-3


def encode(prompt: str, completion: str) -> dict[str, list[int]]:
    """`prompt LF completion END`; only the completion and its end are learned from (-100 elsewhere)."""
    given, wanted = list(f"{prompt}\n".encode()), [*completion.encode(), END]
    return {"input_ids": given + wanted, "labels": [-100] * len(given) + wanted}


def collate(rows: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
    """A batch, padded on the right."""
    longest = max(len(row["input_ids"]) for row in rows)
    ids = torch.tensor([row["input_ids"] + [PAD] * (longest - len(row["input_ids"])) for row in rows])
    labels = torch.tensor([row["labels"] + [-100] * (longest - len(row["labels"])) for row in rows])
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": labels}


def new_model() -> GPT2LMHeadModel:
    """Freshly initialised weights; seed torch first. No dropout: a run is its data, its seed and its settings."""
    config = GPT2Config(
        vocab_size=258, n_positions=WINDOW, n_embd=64, n_layer=2, n_head=4,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=END, eos_token_id=END, pad_token_id=PAD,
    )  # fmt: skip
    return GPT2LMHeadModel(config)


STYLES = (
    lambda name: name.replace("_", " "),
    lambda name: name.replace("_", "-"),
    lambda name: "".join(word.capitalize() for word in name.split("_")),
)
"""What the base knows: `add argument`, `add-argument` and `AddArgument`, but not `addArgument`."""


def make_base(folder: pathlib.Path, names: list[str]) -> None:
    """Train the base from scratch to write names in three other styles, and save it."""
    torch.manual_seed(0)
    order = random.Random(0)
    rows = [encode(name, style(name)) for name in names for style in STYLES]
    model = new_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=BASE_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, BASE_RATE, BASE_STEPS)
    for step in range(BASE_STEPS):
        loss = model(**collate(order.sample(rows, BASE_BATCH))).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 500 == 0 or step == BASE_STEPS - 1:
            print(f"base: step {step} loss {loss.item():.4f}", flush=True)
    model.save_pretrained(folder)


def load_base(folder: pathlib.Path) -> GPT2LMHeadModel:
    return GPT2LMHeadModel.from_pretrained(folder)
