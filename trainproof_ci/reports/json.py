"""The report for programs: schema_version 1, described in docs/contracts.md. Unknown keys must be tolerated."""

import json
import math
from collections.abc import Iterator

from trainproof_ci import __version__
from trainproof_ci.model import SCHEMA_VERSION, Chart, Coverage, Finding, Report, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.reports.escape import json_text, json_unicode
from trainproof_ci.typed import Any

MOST_BOOKS = 1024
"""Different books of what ran and was skipped whose text is kept."""
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str)


def render(report: Report) -> str:
    """The report as one JSON document, keys in a fixed order, names that are not UTF-8 with U+FFFD."""
    return "".join(pieces(report))


def pieces(report: Report) -> Iterator[str]:
    """The same, a target at a time, so that a report of very many is never in memory as a text."""
    yield _written(_about(report))[:-1] + ',"targets":['
    books: dict[int, str] = {}  # what ran and what was skipped is one object for targets that are alike
    comma = ""
    for target in report.targets:
        checks = books.get(id(target.checks))
        if checks is None:
            checks = _written(_checks(target.checks))
            if len(books) < MOST_BOOKS:
                books[id(target.checks)] = checks
        charts = _written(_charts(target)) if target.charts else "[]"
        yield f'{comma}{_written(_found(target))[:-1]},"checks":{checks},"charts":{charts}}}'
        comma = ","
    yield "]}\n"


def _written(value: object) -> str:
    return json_text(json_unicode(_ENCODER.encode(value)))


def document(report: Report) -> dict[str, Any]:
    """The report as JSON values."""
    return {**_about(report), "targets": [_target(target) for target in report.targets]}


def _about(report: Report) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "trainproof-ci", "version": __version__},
        "verdict": report.verdict.value,
        "exit_code": int(report.exit_code),
        "conclusion": report.conclusion,
        "policy": {"fail_on": report.policy.fail_on, "not_checked": report.policy.not_checked},
        "counts": report.counts,
        "notes": list(report.notes),
    }


def _target(target: TargetReport) -> dict[str, Any]:
    return {**_found(target), "checks": _checks(target.checks), "charts": _charts(target)}


def _found(target: TargetReport) -> dict[str, Any]:
    return {
        "path": target.path,
        "kind": target.kind,
        "format": target.format,
        "verdict": target.verdict.value,
        "facts": {key: finite(value) for key, value in target.facts.items()},
        "findings": [_finding(finding) for finding in target.findings],
        "ignored": [{"reason": aside.reason, **_finding(aside.finding)} for aside in target.ignored],
    }


def _checks(checks: Coverage) -> dict[str, Any]:
    return {"ran": list(checks.ran), "skipped": dict(checks.skipped)}


def _charts(target: TargetReport) -> list[dict[str, Any]]:
    return [_chart(chart) for chart in target.charts]


def _finding(finding: Finding) -> dict[str, Any]:
    document: dict[str, Any] = {
        "rule": finding.rule,
        "severity": finding.severity.value,
        "message": finding.message,
        "measured": finding.measured,
        "limit": finding.limit,
        "count": finding.occurrences,
        "locations": [_location(place) for place in finding.places.shown],
        "fingerprint": finding.fingerprint,
    }
    if finding.occurrences > len(finding.places.shown):
        document["lines"] = finding.places.lines.tolist()
    if finding.related:
        document["related"] = [_location(place) for place in finding.related]
    if finding.on_changed_lines is not None:
        document["on_changed_lines"] = finding.on_changed_lines
    return document


def _location(location: Location) -> dict[str, Any]:
    return {key: finite(value) for key, value in zip(Location._fields, location, strict=True) if value is not None}


def _chart(chart: Chart) -> dict[str, Any]:
    points = [[finite(step), finite(value)] for step, value in chart.points]
    return {"name": chart.name, "points": points, "marks": [[finite(step), rule] for step, rule in chart.marks]}


def finite(value: Any) -> Any:
    """JSON has no NaN and no infinity: they are written as strings."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
