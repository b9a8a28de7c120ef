"""A log that stopped growing."""

from collections.abc import Iterator, Mapping

from trainproof_ci.model import Chart, Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import NamedTuple


class QuietLog(NamedTuple):
    """How long a followed log has not grown, and where it ends."""

    end: Location
    seconds: float

    def lacks(self, need: str) -> str | None:
        """Nothing: the clock is always there."""
        del need
        return None

    def summary(self) -> Mapping[str, object]:
        """The seconds."""
        return {"quiet_seconds": round(self.seconds)}

    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()


@rule("TP-STALL", Severity.WARN, limits={"seconds": 1800.0})
def log_stalled(log: QuietLog, limits: Limits) -> Iterator[Firing]:
    """The log that `watch` follows has not grown for the stall time.

    Why: a worker that hangs (a lost connection, a deadlocked loader, a full disk) burns hours without a line of error.
    Fix: look at the process; set the time to more than the longest silence of a healthy run with `--stall SECONDS`,
    or `seconds` in the configuration. Loading a model or an evaluation without output is a silence too: the half
    hour is longer than those of the runs under `evidence/` by two orders of magnitude.
    Stands down: under `check`, which sees no clock; it is no part of a finished log's verdict.
    """
    if log.seconds >= limits["seconds"]:
        yield Firing(
            "the log has stopped growing", f"{log.seconds:.0f} s without a change", f"less than {limits['seconds']:g} s",
            Places(log.end),
        )  # fmt: skip
