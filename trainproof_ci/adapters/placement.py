"""Where GitHub looks for a finding: paths from the repository's root, columns in UTF-16 units."""

from trainproof_ci.model import Finding, Report, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.typed import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable


LONGEST_LINE = 1 << 20
"""Bytes before a place that are read to count its column; beyond them the column is left out."""


def on_github(report: Report, prefix: str) -> Report:
    """The report with every place as GitHub's pages count it; the verdict and the numbers stay."""
    return report._replace(targets=tuple(_target(target, prefix) for target in report.targets))


def _target(target: TargetReport, prefix: str) -> TargetReport:
    with _Columns() as columns:
        findings = tuple(
            _finding(finding, lambda place: _placed(place, prefix, columns)) for finding in target.findings
        )
    return target._replace(path=prefix + target.path, findings=findings)


def _finding(finding: Finding, placed: "Callable[[Location], Location]") -> Finding:
    places = Places()
    places.shown = [placed(place) for place in finding.places.shown]
    places.lines, places.keys = finding.places.lines, finding.places.keys
    return finding._replace(places=places, related=tuple(placed(place) for place in finding.related))


def _placed(place: Location, prefix: str, columns: "_Columns") -> Location:
    column = columns.utf16(place) if place.column else None
    return place if not prefix and column == place.column else place._replace(path=prefix + place.path, column=column)


class _Columns:
    """Columns in UTF-16 units, counted in the file itself, which is opened once for places that follow each other."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._file: BinaryIO | None = None

    def __enter__(self) -> "_Columns":  # noqa: PYI034 - Self needs 3.11
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def utf16(self, place: Location) -> int | None:
        """The column; None where the bytes before the place do not confirm the column in code points."""
        if place.column is None or place.byte_offset is None:
            return None
        start = max(0, place.byte_offset - min(LONGEST_LINE, 4 * place.column + 4))
        before = self._read(place.path, start, place.byte_offset)
        if before is None:
            return None
        newline = before.rfind(b"\n")
        if newline < 0 and start:
            return None
        text = before[newline + 1 :].decode("utf-8", "replace").removeprefix("\ufeff")
        if len(text) != place.column - 1:
            return None
        return place.column + sum(character > "\uffff" for character in text)

    def _read(self, path: str, start: int, end: int) -> bytes | None:
        try:
            if path != self._path:
                self.__exit__()
                self._path, self._file = path, None
                self._file = open(path, "rb")  # noqa: SIM115 - stays open for the next place
            if self._file is None:
                return None
            self._file.seek(start)
            return self._file.read(end - start)
        except OSError:
            return None
