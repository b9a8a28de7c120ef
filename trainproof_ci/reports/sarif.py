"""SARIF 2.1.0 as GitHub code scanning reads it: FAIL and WARN are results, NOT-CHECKED a notification, never a result."""

import json
from collections.abc import Collection, Iterable, Iterator

from trainproof_ci import __version__
from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.places import Location
from trainproof_ci.registry import Rule, catalogue
from trainproof_ci.reports import wording
from trainproof_ci.reports.escape import json_text, sarif_text, uri
from trainproof_ci.typed import Any

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
HOME = "https://github.com/trainproof-ci/trainproof-ci"
LEVELS = {Severity.FAIL: "error", Severity.WARN: "warning"}
MOST_RESULTS = 5000
"""Results that code scanning shows; the most severe come first."""
MOST_NOTIFICATIONS = 1000
LARGEST_FILE = 32 << 20
"""Bytes of a file that results of an upload may name: `upload-sarif` hashes all of it, at some 7 MB a second."""
LARGEST_COMPRESSED = 10_000_000
"""Bytes that code scanning accepts, gzipped."""


def render(report: Report, *, left_out: Collection[str] = ()) -> str:
    """One run; every result has one location of one line. Results in the files `left_out` are counted, not shown."""
    most = MOST_RESULTS
    text = _written(report, left_out, most)
    while most > 1 and len(text) > LARGEST_COMPRESSED and _compressed(text) > LARGEST_COMPRESSED:
        most //= 2
        text = _written(report, left_out, most)
    return text


def _written(report: Report, left_out: Collection[str], most: int) -> str:
    return json_text(json.dumps(document(report, left_out, most), ensure_ascii=True, separators=(",", ":"))) + "\n"


def _compressed(text: str) -> int:
    from zlib import compress  # only a very large report needs it

    return len(compress(text.encode(), 6))


def document(report: Report, left_out: Collection[str] = (), most: int = MOST_RESULTS) -> dict[str, Any]:
    """The SARIF log as JSON values."""
    findings = [finding for _, finding in report.findings]
    every = [finding for finding in findings if finding.severity in LEVELS]
    results = [finding for finding in every if finding.location.path not in left_out] if left_out else every
    shown = results[:most]
    known = catalogue()
    ids = sorted({finding.rule for finding in shown})
    index = {rule_id: number for number, rule_id in enumerate(ids)}
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
        "invocations": [_invocation(report, findings, _cuts(len(shown), len(results), len(every)))],
        "columnKind": "utf16CodeUnits",
        "results": [_result(finding, index[finding.rule]) for finding in shown],
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


def _cuts(shown: int, small: int, every: int) -> Iterator[str]:
    """What was cut, in sentences."""
    if shown < small:
        yield f"showing {shown} of {small} results, the most severe first"
    if small < every:
        yield f"{every - small} results in files over {LARGEST_FILE >> 20} MiB are left out; the job summary and the JSON report have them"


def _invocation(report: Report, every: Iterable[Finding], cuts: Iterable[str]) -> dict[str, Any]:
    unjudged = [finding for finding in every if finding.severity is Severity.NOT_CHECKED]
    notifications: list[dict[str, Any]] = [{"level": "note", "message": {"text": cut}} for cut in cuts]
    if len(unjudged) > MOST_NOTIFICATIONS:
        more = f"showing {MOST_NOTIFICATIONS} of {len(unjudged)} files that were not checked"
        notifications.append({"level": "note", "message": {"text": more}})
    notifications += [
        {
            "level": "warning",
            "message": {"text": sarif_text(f"{finding.rule}: {finding.message}")},
            "locations": [_location(finding.location)],
        }
        for finding in unjudged[:MOST_NOTIFICATIONS]
    ]
    return {"executionSuccessful": True, "exitCode": int(report.exit_code), "toolExecutionNotifications": notifications}
