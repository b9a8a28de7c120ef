"""Readers: bytes in, frozen facts with positions out. They measure and hold no opinion.

One package a kind of target, one file a format. A package offers:

- `recognise(head) -> str | None`: the name of the format, judged by content, helped by the name;
- `read(target, settings, rules) -> Facts`, or `Unreadable`;
- optionally `gather(targets) -> list[Target]`: several files that are one target.

Facts that depend on the verdict about other targets name these in `asks`; the engine judges them and hands their reports
to `answered(reports) -> Facts` before the rules run. No reader calls the engine.
"""

from collections.abc import Mapping

from trainproof_ci.model import Chart
from trainproof_ci.typed import Protocol


class Facts(Protocol):
    """What a reader found out about one target."""

    def lacks(self, need: str) -> str | None:
        """Why what a rule needs is missing, or None when it is there."""

    def summary(self) -> Mapping[str, object]:
        """The measurements for the report: JSON values only, never content."""

    def charts(self) -> tuple[Chart, ...]:
        """The series worth a picture."""
