"""Readers of training logs."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Chart
from trainproof_ci.readers.source import Head, Source

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.registry import Rule


def recognise(head: Head) -> str | None:
    """The name of the log format, or None."""
    return "hf-trainer-state" if head.name == "trainer_state.json" else None


class Point(NamedTuple):
    """One logged value and where it stands."""

    step: float
    value: float
    line: int


class RunLog(NamedTuple):
    """The series of one run by name."""

    path: str
    series: Mapping[str, Sequence[Point]]

    def lacks(self, need: str) -> str | None:
        return None if self.series.get(need) else f"no {need} in this log"

    def summary(self) -> Mapping[str, object]:
        return {"series": {name: len(points) for name, points in self.series.items()}}

    def charts(self) -> tuple[Chart, ...]:
        return tuple(Chart(name, tuple((p.step, p.value) for p in points)) for name, points in self.series.items())


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> RunLog:  # noqa: ARG001
    """Read a log into series."""
    with Source(target.path) as source:
        text = source.file.read(64 << 20).decode("utf-8", "replace")
    try:
        state = json.loads(text)
        entries = state["log_history"]
        starts = [m.start() for m in re.finditer(r"\{", text)][1:]
    except (ValueError, KeyError, TypeError):
        raise Unreadable("no log_history in this trainer_state.json") from None
    series: dict[str, list[Point]] = {}
    for entry, start in zip(entries, starts, strict=False):
        for key, value in entry.items():
            if isinstance(value, (int, float)) and key != "step":
                series.setdefault(key, []).append(Point(entry.get("step", 0), value, text.count("\n", 0, start) + 1))
    return RunLog(target.path, series)
