"""Workflow-command annotations: most severe first, within the 10 + 10 + 10 that GitHub shows of one step."""

from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.reports import wording
from trainproof_ci.reports.escape import command_data, command_property

COMMANDS = {Severity.FAIL: "error", Severity.WARN: "warning", Severity.NOT_CHECKED: "notice"}
BUDGET = 9
"""Annotations of one level; the tenth says how many more there are. A composite action shares them among its steps."""
LONGEST_MESSAGE = 4000


def render(report: Report) -> str:
    """One command a line; what does not fit is counted in a last one of its level."""
    lines: list[str] = []
    for severity, command in COMMANDS.items():
        findings = [finding for _, finding in report.findings if finding.severity is severity]
        lines += [_annotation(command, finding) for finding in findings[:BUDGET]]
        if len(findings) > BUDGET:
            lines.append(
                f"::{command} title=trainproof-ci::{len(findings) - BUDGET} more {severity.value} findings; the job summary lists them"
            )
    return "".join(line + "\n" for line in lines)


def _annotation(command: str, finding: Finding) -> str:
    place = finding.location
    where = f"file={command_property(place.path)}"
    if place.line is not None:
        where += f",line={place.line}" + (f",col={place.column}" if place.column else "")
    title = command_property(f"{finding.rule} {finding.severity.value}")
    return f"::{command} {where},title={title}::{command_data(message(finding)[:LONGEST_MESSAGE])}"


def message(finding: Finding) -> str:
    """What an annotation says: the sentence, the numbers, and how often."""
    more = wording.elsewhere(finding)
    return f"{finding.message} ({wording.expectation(finding)})" + (f"; {more}" if more else "")
