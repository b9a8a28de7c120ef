"""Where GitHub looks for a finding: paths from the repository's root, columns in UTF-16 units."""

import os
from typing import TYPE_CHECKING

from trainproof_ci.model import Finding, Report, TargetReport
from trainproof_ci.places import Location, Places

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_LINE = 1 << 20
"""Bytes before a place that are read to count its column; beyond them the column is left out."""


def repository_prefix(folder: str = ".") -> str:
    """The path of `folder` from the root of the repository that holds it, with a final `/`; empty at the root."""
    start = here = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(here, ".git")):
        here, last = os.path.dirname(here), here
        if here == last:
            return ""
    below = os.path.relpath(start, here).replace(os.sep, "/")
    return "" if below == "." else f"{below}/"


def on_github(report: Report, prefix: str) -> Report:
    """The report with every place as GitHub's pages count it; the verdict and the numbers stay."""
    return report._replace(targets=tuple(_target(target, prefix) for target in report.targets))


def _target(target: TargetReport, prefix: str) -> TargetReport:
    findings = tuple(_finding(finding, lambda place: _placed(place, prefix)) for finding in target.findings)
    return target._replace(path=prefix + target.path, findings=findings)


def _finding(finding: Finding, placed: "Callable[[Location], Location]") -> Finding:
    places = Places()
    places.shown = [placed(place) for place in finding.places.shown]
    places.lines, places.keys = finding.places.lines, finding.places.keys
    return finding._replace(places=places, related=tuple(placed(place) for place in finding.related))


def _placed(place: Location, prefix: str) -> Location:
    column = _utf16_column(place) if place.column else None
    return place._replace(path=prefix + place.path, column=column)


def _utf16_column(place: Location) -> int | None:
    """The column in UTF-16 units; None where the bytes before the place do not confirm the column in code points."""
    if place.column is None or place.byte_offset is None:
        return None
    start = max(0, place.byte_offset - LONGEST_LINE)
    try:
        with open(place.path, "rb") as file:
            file.seek(start)
            before = file.read(place.byte_offset - start)
    except OSError:
        return None
    newline = before.rfind(b"\n")
    if newline < 0 and start:
        return None
    text = before[newline + 1 :].decode("utf-8", "replace").removeprefix("\ufeff")
    if len(text) != place.column - 1:
        return None
    return place.column + sum(character > "\uffff" for character in text)
