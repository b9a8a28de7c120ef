"""Why a training log could not be judged."""

from trainproof_ci.model import Severity
from trainproof_ci.registry import reason

NOT_A_LOG = reason(
    "TP-RUN-NOT-A-LOG",
    Severity.NOT_CHECKED,
    """The file is named like a training log, but there is no training log in it.

    Why: a file that holds no loss, no metric and no step says nothing about a training, neither good nor bad.
    Fix: name the right file, or exclude this one in the configuration.
    """,
)
NO_LOSS = reason(
    "TP-RUN-NO-LOSS",
    Severity.NOT_CHECKED,
    """No column of the log is understood as the training loss.

    Why: what is called `D_A` or `metric_7` may be a loss or anything else; a guess would be a verdict about nothing.
    The columns that there are are listed with the closest match.
    Fix: name the column with `--loss-key`, or with `loss-key:` under `runs:` in the configuration.
    """,
)
TOO_SHORT = reason(
    "TP-RUN-TOO-SHORT",
    Severity.NOT_CHECKED,
    """Fewer than ten points of the training loss: too few to speak of its course.

    Why: the first points of a healthy run and of a dead one look alike. What can be told from a single point (NaN,
    a gradient that is never finite) was looked for and not found.
    Fix: log more often, or judge the run when it is longer.
    """,
)
ODD_VALUES = reason(
    "TP-RUN-ODD-VALUES",
    Severity.NOT_CHECKED,
    """Many values of the loss are no numbers ("N/A", decimal commas).

    Why: dropped in silence they would leave a run that was never trained so; a NaN may hide behind "N/A".
    Fix: write numbers, NaN included.
    """,
)
STEPS = reason(
    "TP-RUN-STEPS",
    Severity.NOT_CHECKED,
    """Every point says the same step, or the steps are not finite.

    Why: without an order of the points there is no course to judge.
    Fix: log the step with each point.
    """,
)
OBJECTIVE = reason(
    "TP-RUN-OBJECTIVE",
    Severity.NOT_CHECKED,
    """The loss of a reinforcement or adversarial run is not meant to fall.

    Why: on 24 such logs the rules about the course of a loss fired on every third healthy one. NaN, zeros, gradients,
    learning rate and explosions were judged and are fine; whether it learns cannot be told from the loss. Where the
    reward is logged and rises, the run passes.
    Fix: log the reward; or leave it, exit code 2 is neutral.
    """,
)
