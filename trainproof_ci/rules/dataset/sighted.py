"""Turns what a reader came upon into a finding; the rules say how bad it is and in which words."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey


def fired(
    data: Survey, name: str, message: str, measured: str, limit: str, severity: Severity | None = None
) -> Iterator[Firing]:
    """One firing for everything sighted under `name`; `measured` may use {n}, the count, and {first}."""
    seen = data.sighted(name)
    if seen is not None:
        numbers = measured.format(n=len(seen), first=seen.measured)
        yield Firing(message, numbers, limit, seen.places, severity=severity)
