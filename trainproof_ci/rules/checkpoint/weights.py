"""What the weights themselves say: NaN and infinities, matrices that are zero throughout."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.checkpoint.facts import Checkpoint
from trainproof_ci.registry import Limits, rule


@rule("TP-CKPT-NONFINITE", Severity.FAIL, needs=("weights",))
def nonfinite(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """Weights or moments of the optimizer are NaN or infinite.

    Why: one NaN in a weight makes every output NaN, and a run resumed from it stays NaN; the log may say 0.0 instead.
    Fix: resume from a checkpoint of before the first bad step.
    Stands down: where the weights could not be looked at. Masks of 0 and minus infinity, the bounds of quantization
    observers and the best scores that are kept beside a model are infinite by design and do not fire. Large checkpoints
    are looked at in part, a share of every storage; the report says how many bytes, and `--deep` looks at all.
    """
    places, nan, infinite, total = Places(), 0, 0, 0
    for file in checkpoint.files:
        for bad in file.weights.bad if file.weights else ():
            nan, infinite, total = nan + bad.nan, infinite + bad.infinite, total + bad.looked_at
            places.add(Location(file.path, byte_offset=bad.at, key=bad.tensor.name))
    if not len(places):
        return
    considered = sum(file.weights.considered for file in checkpoint.files if file.weights)
    yield Firing(
        f"{len(places)} of {considered} tensors hold values that are not finite, the first {_named(places)}",
        f"{nan} NaN and {infinite} infinite of {total}", "0", places,
    )  # fmt: skip


def _named(places: Places) -> str:
    return places.shown[0].key or "without a name"


@rule("TP-CKPT-DEAD-TENSOR", Severity.WARN, needs=("weights",))
def dead_tensor(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """A weight matrix is zero throughout.

    Why: a layer that was never initialised, never trained (the B matrix of a LoRA adapter starts at zero and leaves it
    with the first step), or lost on the way.
    Fix: see whether the layer takes part in training; some architectures start a projection at zero by design.
    Stands down: where the weights could not be looked at. Biases, masks and vectors may be zero.
    """
    places = Places()
    for file in checkpoint.files:
        for tensor in file.weights.dead if file.weights else ():
            span = file.spans[tensor.storage]
            places.add(Location(file.path, byte_offset=span.at, key=tensor.name))
    if len(places):
        matrices = sum(len(t.shape) >= 2 for file in checkpoint.files for t in file.tensors if t.section == "model")
        yield Firing(
            f"{len(places)} weight matrices are zero throughout, the first {_named(places)}",
            f"{len(places)} of {matrices} matrices",
            "0",
            places,
        )
