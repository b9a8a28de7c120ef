"""What readers, rules and commands raise. Caught once: in the engine, or in `main`."""

import os

from trainproof_ci.places import Location


class Unreadable(Exception):  # noqa: N818 - a state of the file, named as the field names it
    """A reader could not turn the bytes into facts; the target becomes NOT-CHECKED (or FAIL for some rules).

    `rule` names the catalogue entry that explains the reason, `location` the place if there is one,
    `measured` and `limit` the number that the reason rests on.
    """

    def __init__(
        self,
        reason: str,
        *,
        rule: str = "TP-FILE-UNREADABLE",
        measured: str = "unreadable",
        limit: str = "readable",
        location: Location | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason, self.rule, self.measured, self.limit, self.location = reason, rule, measured, limit, location


class StandDown(Exception):  # noqa: N818 - not an error: the rule declines to judge
    """A rule has too little, or the wrong kind of data, to judge; the reason is recorded as a skip."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class UsageError(Exception):
    """The command line or the configuration is wrong; exit code 64."""


def defect(error: Exception) -> Unreadable:
    """A defect of ours as a reason: names the error and the place in the code; its message may quote content and is left out."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "an unknown place"
    return Unreadable(
        f"the checker broke on this file ({type(error).__name__} at {place}); please report it",
        rule="TP-FILE-CRASHED", measured=type(error).__name__, limit="no error",
    )  # fmt: skip
