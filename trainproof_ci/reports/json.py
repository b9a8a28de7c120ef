"""The report for programs: schema_version 1, described in docs/contracts.md. Unknown keys must be tolerated."""

import json
import math
from typing import Any

from trainproof_ci import __version__
from trainproof_ci.model import SCHEMA_VERSION, Chart, Finding, Report, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.reports.escape import json_text, json_unicode


def render(report: Report) -> str:
    """The report as one JSON document, keys in a fixed order, names that are not UTF-8 with U+FFFD."""
    text = json.dumps(document(report), ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=str)
    return json_text(json_unicode(text)) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The report as JSON values."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "trainproof-ci", "version": __version__},
        "verdict": report.verdict.value,
        "exit_code": int(report.exit_code),
        "conclusion": report.conclusion,
        "policy": {"fail_on": report.policy.fail_on, "not_checked": report.policy.not_checked},
        "counts": report.counts,
        "notes": list(report.notes),
        "targets": [_target(target) for target in report.targets],
    }


def _target(target: TargetReport) -> dict[str, Any]:
    return {
        "path": target.path,
        "kind": target.kind,
        "format": target.format,
        "verdict": target.verdict.value,
        "facts": {key: finite(value) for key, value in target.facts.items()},
        "findings": [_finding(finding) for finding in target.findings],
        "ignored": [{"reason": aside.reason, **_finding(aside.finding)} for aside in target.ignored],
        "checks": {"ran": list(target.checks.ran), "skipped": dict(target.checks.skipped)},
        "charts": [_chart(chart) for chart in target.charts],
    }


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
