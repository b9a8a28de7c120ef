"""The job summary: verdict first, then what to look at, then what was and was not checked."""

from collections.abc import Iterable, Iterator

from trainproof_ci.model import Finding, Report, Severity, TargetReport
from trainproof_ci.reports import mermaid, ranking, sparkline, wording
from trainproof_ci.reports.escape import markdown, markdown_code

SIGNS = {Severity.FAIL: "❌", Severity.WARN: "⚠️", Severity.NOT_CHECKED: "❔", Severity.PASS: "✅", Severity.NOTE: "📏"}
LARGEST = 900 << 10
"""Bytes; GitHub drops a whole summary over 1 MiB."""
MOST_NOTES = 20
MOST_MERMAID = 3
"""Runs with findings beyond which the line of blocks alone is drawn; Mermaid is slow to load."""


def render(report: Report, *, largest: int = LARGEST) -> str:
    """The summary, cut by whole rows where it would grow beyond `largest` bytes, with a count of what is shown."""
    verdict = f"{SIGNS[report.verdict]} trainproof-ci: {report.verdict.value}" if report.targets else "trainproof-ci"
    head = [f"## {verdict}", "", markdown(wording.totals(report)), "", *_notes(report)]
    findings = [finding for _, finding in report.findings]
    header = ["", "| | rule | place | what |", "|---|---|---|---|"] if findings else []
    left = largest - sum(len(line.encode()) + 1 for line in (*head, *header))
    shown, left = _fit(map(_row, findings), left * 2 // 3, left)
    cut = [f"showing {len(shown)} of {len(findings)} findings"] if len(shown) < len(findings) else []
    table, left = _fit(_ranking(report), left // 2, left)
    drawn = list(_pictures(report))
    pictures, left = _fit(drawn, left // 2, left)
    pictures += (
        [f"showing the pictures of {len(pictures)} of {len(drawn)} runs", ""] if len(pictures) < len(drawn) else []
    )
    details, _ = _fit(map(_target, report.targets), left - 512, left)
    found = len(report.targets)
    more = [f"showing {len(details)} of {found} targets"] if len(details) < found else []
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
    return "\n".join([*head, *header, *shown, "", *cut, *table, *pictures, *(tail if found else [])]) + "\n"


def _notes(report: Report) -> Iterator[str]:
    """What was selected, what is stale, what was set aside."""
    ignored = sum(len(target.ignored) for target in report.targets)
    notes = [
        *report.notes,
        *([f"{ignored} findings are set aside: known, or ignored with a reason"] if ignored else []),
    ]
    yield from (f"> {markdown(note)}<br>" for note in notes[:MOST_NOTES])
    if len(notes) > MOST_NOTES:
        yield f"> showing {MOST_NOTES} of {len(notes)} notes"


def _ranking(report: Report) -> list[str]:
    """The runs of a comparison, best first, in one piece."""
    rows = [f"| {' | '.join(map(markdown, row))} |" for row in ranking.rows(report)]
    head = f"| {' | '.join(ranking.HEADER)} |\n|{'---|' * len(ranking.HEADER)}"
    return ["\n".join(["", head, *rows, ""])] if rows else []


def _pictures(report: Report) -> Iterator[str]:
    """Loss, evaluation loss, learning rate and gradient norm of each run that has something to look at, in one piece
    each; the runs that pass follow folded.
    """
    drawn = [(target, sparkline.pictures(target)) for target in report.targets if target.charts]
    loud = [(target, lines) for target, lines in drawn if target.verdict in {Severity.FAIL, Severity.WARN}]
    for target, lines in loud:
        chart = mermaid.chart(target.charts[0]) if len(loud) <= MOST_MERMAID else []
        yield "\n".join(["", markdown_code(target.path), "", _pre(lines), "", *chart])
    for target, lines in drawn:
        if target.verdict not in {Severity.FAIL, Severity.WARN}:
            yield f"<details><summary>{markdown_code(target.path)}</summary>\n\n{_pre(lines)}\n\n</details>"


def _pre(lines: list[str]) -> str:
    return "<pre>" + "\n".join(map(markdown, lines)) + "</pre>"


def _fit(rows: Iterable[str], budget: int, left: int) -> tuple[list[str], int]:
    """As many whole rows as `budget` bytes hold, and what is left of `left`."""
    used, shown = 0, []
    for row in rows:
        used += len(row.encode()) + 1
        if used > budget:
            break
        shown.append(row)
    return shown, left - min(used, budget)


def _row(finding: Finding) -> str:
    what = markdown(f"{finding.message} ({wording.expectation(finding)})")
    if more := wording.elsewhere(finding):
        what += f"<br>{markdown(more)}"
    if finding.on_changed_lines is False:
        what += "<br>not on a line of this change"
    return f"| {SIGNS[finding.severity]} {finding.severity.value} | {finding.rule} | {markdown_code(wording.place(finding.location))} | {what} |"


def _target(target: TargetReport) -> str:
    return f"| {markdown_code(target.path)} | {SIGNS[target.verdict]} {target.verdict.value} | {target.kind}, {markdown(target.format)} | {'<br>'.join(_checks(target))} |"


def _checks(target: TargetReport) -> Iterator[str]:
    yield wording.coverage(target.checks)
    for why, rules in wording.skips(target.checks).items():
        yield f"skipped {', '.join(rules)}: {markdown(why)}"
