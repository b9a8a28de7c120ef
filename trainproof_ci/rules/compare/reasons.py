"""Why two runs could not be compared."""

from trainproof_ci.model import Severity
from trainproof_ci.registry import reason

UNCOMPARABLE = reason(
    "TP-CMP-UNCOMPARABLE",
    Severity.NOT_CHECKED,
    """The run and its baseline cannot be compared.

    Why: a loss says something about another only at equal steps, as the same quantity and on a positive scale; a loss
    that is 0 throughout would beat every baseline.
    Fix: compare runs that log the same loss over at least 10 common steps; the message says what differs.
    """,
)
