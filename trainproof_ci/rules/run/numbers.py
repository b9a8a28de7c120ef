"""Numbers that are no numbers: NaN and infinity."""

import math
from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.run import RunLog
from trainproof_ci.registry import Limits, rule


@rule("TP-NAN", Severity.FAIL, needs=("loss",))
def loss_not_finite(run: RunLog, limits: Limits) -> Iterator[Firing]:  # noqa: ARG001
    """The loss is NaN or infinite.

    Why: from that step on every weight is NaN and nothing more is learned.
    Fix: lower the learning rate, clip gradients, use bf16 rather than fp16.
    Stands down: never.
    """
    bad = [p for p in run.series["loss"] if not math.isfinite(p.value)]
    if bad:
        places = Places(*(Location(run.path, line=p.line, step=p.step) for p in bad))
        yield Firing(f"the loss is not finite from step {bad[0].step:g}", f"{len(bad)} non-finite values", "0", places)
