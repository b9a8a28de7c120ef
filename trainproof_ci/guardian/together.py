"""Several processes that train together stop together: the first one judges, and the others ask it."""

import sys

from trainproof_ci.typed import Any


def agreed(stop: bool, device: Any = None) -> bool:
    """What the process of rank 0 decided; every process must ask equally often. Alone, it is what `stop` says.

    Were one process to stop alone, the others would wait for its gradients for ever.
    """
    torch = sys.modules.get("torch")  # who trains together has imported it
    group = getattr(torch, "distributed", None)
    if torch is None or group is None or not group.is_available() or not group.is_initialized():
        return stop
    if group.get_world_size() < 2:
        return stop
    decision = torch.tensor([int(stop)], device=device if group.get_backend() == "nccl" else "cpu")
    group.broadcast(decision, 0)
    return bool(decision.item())
