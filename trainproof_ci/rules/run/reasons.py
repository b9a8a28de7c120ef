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
