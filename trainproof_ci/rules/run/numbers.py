"""Numbers that are no numbers: NaN and infinity."""

import math
from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.registry import Limits, rule


@rule("TP-NAN", Severity.FAIL, needs=("loss",))
def loss_not_finite(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The loss is NaN or infinite.

    Why: from that step on every weight is NaN and nothing more is learned.
    Fix: lower the learning rate, clip gradients, use bf16 rather than fp16.
    Stands down: never.
    """
    assert run.loss is not None
    bad = [i for i, value in enumerate(run.loss.values) if not math.isfinite(value)]
    if bad:
        step = run.loss.steps[bad[0]]
        places = run.places(run.loss, bad)
        yield Firing(f"the loss is not finite from step {step:g}", f"{len(bad)} non-finite values", "0", places)
