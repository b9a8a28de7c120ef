"""A line that a real Hugging Face Trainer fits in no time."""

from typing import Any

import torch
import transformers


class Line(torch.nn.Module):
    """Four numbers in, their weighted sum out."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)

    def forward(self, x: Any, labels: Any) -> dict[str, Any]:
        return {"loss": ((self.layer(x).squeeze(-1) - labels) ** 2).mean()}


def trainer(callback: Any, **settings: Any) -> Any:
    """A Trainer over 256 points that logs every step; `settings` are those that the caller cares about."""
    points = torch.randn(256, 4)
    data = [{"x": x, "labels": 3 * x.sum()} for x in points]
    arguments = transformers.TrainingArguments(
        output_dir="out", logging_steps=1, report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no",
        optim="adamw_torch", **settings,
    )  # fmt: skip
    return transformers.Trainer(model=Line(), args=arguments, train_dataset=data, callbacks=[callback])
