"""Workflow-command annotations: most severe first, within the 10 + 10 + 10 that GitHub shows of one step."""

from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.reports import wording
from trainproof_ci.reports.escape import command_data, command_property, plain

COMMANDS = {Severity.FAIL: "error", Severity.WARN: "warning", Severity.NOT_CHECKED: "notice"}
BUDGET = 8
"""Findings of one level. A composite action shares ten among its steps: one says how many more there are,
one is left for what the Action itself or the upload has to say."""
LONGEST_MESSAGE = 4000
"""Characters; the runner cuts at 4,096."""


def render(report: Report) -> str:
    """One command a line; what does not fit is counted in a last one of its level."""
    lines: list[str] = []
    every = [finding for _, finding in report.findings]
    for severity, command in COMMANDS.items():
        findings = [finding for finding in every if finding.severity is severity]
        lines += [_annotation(command, finding) for finding in findings[:BUDGET]]
        if len(findings) > BUDGET:
            more = f"showing {BUDGET} of {len(findings)} {severity.value} findings; the job summary lists the others"
            lines.append(said(command, more))
    return "".join(line + "\n" for line in lines)


def said(command: str, sentence: str) -> str:
    """An annotation that stands at no place: a sentence of the Action itself."""
    return f"::{command} title=trainproof-ci::{command_data(plain(sentence)[:LONGEST_MESSAGE])}"


def _annotation(command: str, finding: Finding) -> str:
    place = finding.location
    where = f"file={command_property(place.path)}"
    if place.line is not None:
        where += f",line={place.line}" + (f",col={place.column}" if place.column else "")
    title = command_property(f"{finding.rule} {finding.severity.value}")
    return f"::{command} {where},title={title}::{command_data(plain(message(finding))[:LONGEST_MESSAGE])}"


def message(finding: Finding) -> str:
    """What an annotation says: the sentence, the numbers, how often, and whether the change is to blame."""
    more = wording.elsewhere(finding)
    untouched = "" if finding.on_changed_lines is not False else "; not on a line of this change"
    return f"{finding.message} ({wording.expectation(finding)})" + (f"; {more}" if more else "") + untouched


def pointers(report: Report, url: str) -> str:
    """One annotation a level that points to the check run, which holds all the findings at their lines."""
    severities = [finding.severity for target in report.targets for finding in target.findings]
    counted = {severity: severities.count(severity) for severity in COMMANDS}
    return "".join(
        said(COMMANDS[severity], f"{count} {severity.value}, each at its line in the check run {url}") + "\n"
        for severity, count in counted.items()
        if count
    )
