"""The report for people at a terminal: a line a finding, its place first."""

from collections.abc import Iterator

from trainproof_ci.model import Finding, Report, Severity, TargetReport
from trainproof_ci.reports import ranking, wording
from trainproof_ci.reports.escape import terminal

COLOURS = {
    Severity.FAIL: "31;1",
    Severity.WARN: "33",
    Severity.NOT_CHECKED: "35",
    Severity.PASS: "32",
    Severity.NOTE: "36",
}


def render(report: Report, *, colour: bool = False) -> str:
    """The whole report; `colour` is for a terminal only."""
    lines: list[str] = [line for target in report.targets for line in _target(target, colour)]
    lines += _ranking(report)
    lines += [f"note: {terminal(note)}" for note in report.notes]
    lines.append(_paint(wording.totals(report), report.verdict, colour))
    return "\n".join(lines) + "\n"


def _ranking(report: Report) -> list[str]:
    """The runs of a comparison, best first, in columns."""
    rows = [tuple(map(terminal, row)) for row in ranking.rows(report)]
    if not rows:
        return []
    table = [ranking.HEADER, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]


def _target(target: TargetReport, colour: bool) -> Iterator[str]:
    for finding in target.findings:
        yield from _finding(finding, colour)
    for aside in target.ignored:
        yield f"{terminal(wording.place(aside.finding.location))}: ignored {aside.finding.rule} ({terminal(aside.reason)})"
    about = f"{target.kind}, {target.format}" + "".join(
        f", {key} {_fact(value)}" for key, value in target.facts.items() if _short(value)
    )
    yield f"{terminal(target.path)}: {_paint(target.verdict.value, target.verdict, colour)} ({terminal(about)}; {wording.coverage(target.checks)})"
    for note in wording.notes(target):
        yield f"    note: {terminal(note)}"
    if target.judged and target.checks.skipped:
        yield f"    skipped: {terminal(wording.skips_in_short(target.checks))}"


def _finding(finding: Finding, colour: bool) -> Iterator[str]:
    place = terminal(wording.place(finding.location))
    severity = _paint(finding.severity.value, finding.severity, colour)
    untouched = " [not on a changed line]" if finding.on_changed_lines is False else ""
    yield f"{place}: {severity} {finding.rule}: {terminal(finding.message)} ({terminal(wording.expectation(finding))}){untouched}"
    if more := wording.elsewhere(finding):
        yield f"    {more}"
    for related in finding.related:
        yield f"    {terminal(related.note or 'see also')}: {terminal(wording.place(related))}"


def _short(value: object) -> bool:
    return isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= 32)


def _fact(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _paint(text: str, severity: Severity, colour: bool) -> str:
    return f"\x1b[{COLOURS[severity]}m{text}\x1b[0m" if colour else text
