"""A training at learning rate 0 in two processes under the guardian: both must stop, at the same step."""

import os
import sys
from pathlib import Path

STEPS = 200


def hugging_face(rank: int) -> None:
    import torch
    from line_to_fit import trainer as trainer_of

    from trainproof_ci.guardian.huggingface import GuardianCallback

    meeting = f"file://{Path('meeting').resolve()}"  # a port that is free now may be taken a moment later
    torch.distributed.init_process_group("gloo", init_method=meeting, rank=rank, world_size=2)
    callback = GuardianCallback(policy="stop_on_fail")
    trainer = trainer_of(
        callback, max_steps=STEPS, per_device_train_batch_size=4, learning_rate=0.0, ddp_backend="gloo"
    )
    trainer.train()
    assert (callback.report is not None) == (rank == 0), "only the first process guards"
    Path(f"steps-{rank}").write_text(str(trainer.state.global_step))
    torch.distributed.destroy_process_group()


def main() -> int:
    import torch  # noqa: F401 - once, before the fork

    os.environ |= {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
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
