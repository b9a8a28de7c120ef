"""A training at learning rate 0 in two processes under the guardian: both must stop, at the same step."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

STEPS = 200


def hugging_face(rank: int) -> None:
    import torch
    import transformers

    from trainproof_ci.guardian.huggingface import GuardianCallback

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 1)

        def forward(self, x: Any, labels: Any) -> dict[str, Any]:
            return {"loss": ((self.layer(x).squeeze(-1) - labels) ** 2).mean()}

    points = torch.randn(256, 4)
    data = [{"x": x, "labels": 3 * x.sum()} for x in points]
    settings = transformers.TrainingArguments(
        output_dir="out", max_steps=STEPS, per_device_train_batch_size=4, learning_rate=0.0, logging_steps=1,
        report_to=[], disable_tqdm=True, use_cpu=True, save_strategy="no", ddp_backend="gloo", optim="adamw_torch",
    )  # fmt: skip
    callback = GuardianCallback(policy="stop_on_fail")
    trainer = transformers.Trainer(model=Model(), args=settings, train_dataset=data, callbacks=[callback])
    trainer.train()
    assert (callback.report is not None) == (rank == 0), "only the first process guards"
    Path(f"steps-{rank}").write_text(str(trainer.state.global_step))
    torch.distributed.destroy_process_group()


def main() -> int:
    import torch  # noqa: F401 - once, before the fork

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    os.environ |= {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    children = []
    for rank in (0, 1):
        child = os.fork()
        if child == 0:
            os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            code = 1
            try:
                hugging_face(rank)
                code = 0
            finally:
                sys.stderr.flush()
                os._exit(code)
        children.append(child)
    return max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)


if __name__ == "__main__":
    sys.exit(main())
