"""SARIF 2.1.0 as GitHub code scanning reads it: FAIL and WARN are results, NOT-CHECKED a notification, never a result."""

import json
from typing import Any

from trainproof_ci import __version__
from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.places import Location
from trainproof_ci.registry import Rule, catalogue
from trainproof_ci.reports import wording
from trainproof_ci.reports.escape import sarif_text, uri

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/trainproof-ci/trainproof-ci"
LEVELS = {Severity.FAIL: "error", Severity.WARN: "warning"}
MOST_RESULTS = 5000
"""Results that code scanning shows; the most severe come first."""


def render(report: Report) -> str:
    """One run; every result has one location of one line."""
    return json.dumps(document(report), ensure_ascii=True, separators=(",", ":")) + "\n"


def document(report: Report) -> dict[str, Any]:
    """The SARIF log as JSON values."""
    results = [finding for _, finding in report.findings if finding.severity in LEVELS]
    shown = results[:MOST_RESULTS]
    known = catalogue()
    ids = sorted({finding.rule for finding in shown})
    run = {
        "tool": {
            "driver": {
                "name": "trainproof-ci",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": HOME,
                "rules": [_rule(known[i]) for i in ids],
            }
        },
        "invocations": [_invocation(report, len(results) - len(shown))],
        "columnKind": "utf16CodeUnits",
        "results": [_result(finding, ids.index(finding.rule)) for finding in shown],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title[:1024]},
        "fullDescription": {"text": rule.title[:1024]},
        "help": {"text": rule.documentation, "markdown": rule.documentation},
        "defaultConfiguration": {"level": LEVELS.get(rule.severity, "note")},
    }


def _result(finding: Finding, index: int) -> dict[str, Any]:
    more = wording.elsewhere(finding)
    text = sarif_text(f"{finding.message} ({wording.expectation(finding)})." + (f" {more}." if more else ""))
    document: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": LEVELS[finding.severity],
        "message": {"text": text},
        "locations": [_location(finding.location)],
        "partialFingerprints": {"trainproofCi/v1": finding.fingerprint},
    }
    if finding.related:
        document["relatedLocations"] = [_location(place) for place in finding.related]
    return document


def _location(location: Location) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": location.line or 1}
    if location.column:
        region["startColumn"] = location.column
    document: dict[str, Any] = {"physicalLocation": {"artifactLocation": {"uri": uri(location.path)}, "region": region}}
    if location.note:
        document["message"] = {"text": sarif_text(location.note)}
    return document


def _invocation(report: Report, hidden: int) -> dict[str, Any]:
    notifications = [
        {
            "level": "warning",
            "message": {"text": sarif_text(f"{finding.rule}: {finding.message}")},
            "locations": [_location(finding.location)],
        }
        for _, finding in report.findings
        if finding.severity is Severity.NOT_CHECKED
    ]
    if hidden:
        notifications.append(
            {"level": "note", "message": {"text": f"showing {MOST_RESULTS} of {MOST_RESULTS + hidden} results"}}
        )
    return {"executionSuccessful": True, "exitCode": int(report.exit_code), "toolExecutionNotifications": notifications}
