"""The job summary: verdict first, then what to look at, then what was and was not checked."""

from collections.abc import Iterator

from trainproof_ci.model import Finding, Report, Severity, TargetReport
from trainproof_ci.reports import wording
from trainproof_ci.reports.escape import markdown, markdown_code

SIGNS = {Severity.FAIL: "❌", Severity.WARN: "⚠️", Severity.NOT_CHECKED: "❔", Severity.PASS: "✅", Severity.NOTE: "📏"}
LARGEST = 900 << 10
"""Bytes; GitHub drops a whole summary over 1 MiB."""


def render(report: Report, *, largest: int = LARGEST) -> str:
    """The summary, cut by whole rows where it would grow beyond `largest` bytes, with a count of what is shown."""
    head = [
        f"## {SIGNS[report.verdict]} trainproof-ci: {report.verdict.value}",
        "",
        markdown(wording.totals(report)),
        "",
    ]
    head += [f"> {markdown(note)}" for note in report.notes]
    rows = [_row(target, finding) for target, finding in report.findings]
    header = ["", "| | rule | place | what |", "|---|---|---|---|"] if rows else []
    left = largest - sum(len(line.encode()) + 1 for line in (*head, *header))
    shown, left = _fit(rows, left * 2 // 3, left)
    cut = [f"showing {len(shown)} of {len(rows)} findings"] if len(shown) < len(rows) else []
    targets = [_target(target) for target in report.targets]
    details, _ = _fit(targets, left - 512, left)
    more = [f"showing {len(details)} of {len(targets)} targets"] if len(details) < len(targets) else []
    tail = [
        "",
        "<details><summary>What was checked</summary>",
        "",
        "| target | verdict | kind | checks |",
        "|---|---|---|---|",
        *details,
        "",
        *more,
        "</details>",
    ]
    return "\n".join([*head, *header, *shown, "", *cut, *(tail if targets else [])]) + "\n"


def _fit(rows: list[str], budget: int, left: int) -> tuple[list[str], int]:
    """As many whole rows as `budget` bytes hold, and what is left of `left`."""
    used, shown = 0, []
    for row in rows:
        used += len(row.encode()) + 1
        if used > budget:
            break
        shown.append(row)
    return shown, left - min(used, budget)


def _row(target: TargetReport, finding: Finding) -> str:
    del target
    what = markdown(f"{finding.message} ({wording.expectation(finding)})")
    if more := wording.elsewhere(finding):
        what += f"<br>{markdown(more)}"
    return f"| {SIGNS[finding.severity]} {finding.severity.value} | {finding.rule} | {markdown_code(wording.place(finding.location))} | {what} |"


def _target(target: TargetReport) -> str:
    return f"| {markdown_code(target.path)} | {SIGNS[target.verdict]} {target.verdict.value} | {target.kind}, {markdown(target.format)} | {'<br>'.join(_checks(target))} |"


def _checks(target: TargetReport) -> Iterator[str]:
    yield wording.coverage(target.checks)
    for why, rules in wording.skips(target.checks).items():
        yield f"skipped {', '.join(rules)}: {markdown(why)}"
