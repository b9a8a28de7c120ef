"""The report as one page that needs nothing else: inline SVG charts, findings linked to their points, no script."""

from collections.abc import Iterator

from trainproof_ci.model import VERDICT_ORDER, Report, TargetReport
from trainproof_ci.reports import ranking, wording
from trainproof_ci.reports.escape import html
from trainproof_ci.reports.html_style import STYLE
from trainproof_ci.reports.html_target import badge, section

MOST_SECTIONS = 500
"""Targets with a section of their own, the worst first; the table at the end has them all."""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(report: Report) -> str:
    """The whole page."""
    return "\n".join(_page(report)) + "\n"


def _page(report: Report) -> Iterator[str]:
    order = sorted(enumerate(report.targets), key=lambda pair: (VERDICT_ORDER.index(pair[1].verdict), pair[0]))
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">'
    yield f"<title>trainproof-ci: {html(report.verdict.value)}</title>\n<style>{STYLE}</style>\n</head>\n<body>"
    yield f"<header><h1>trainproof-ci {badge(report.verdict.value)}</h1><div>{html(wording.totals(report))}</div>"
    yield from (f'<p class="quiet">{html(note)}</p>' for note in report.notes)
    yield "</header>"
    yield from _ranking(report)
    yield from (section(target, number) for number, target in order[:MOST_SECTIONS])
    yield from _table([target for _, target in order], [number for number, _ in order])
    yield "</body>\n</html>"


def _ranking(report: Report) -> Iterator[str]:
    rows = ranking.rows(report)
    if rows:
        yield '<section><h2>Runs beside the baseline</h2><div class="wide"><table>'
        yield f"<tr>{''.join(f'<th>{html(cell)}</th>' for cell in ranking.HEADER)}</tr>"
        yield from (f"<tr>{''.join(f'<td>{html(cell)}</td>' for cell in row)}</tr>" for row in rows)
        yield "</table></div></section>"


def _table(targets: list[TargetReport], numbers: list[int]) -> Iterator[str]:
    """Every target with its verdict; those with a section link to it."""
    if not targets:
        return
    yield f'<section><h2>All {len(targets)} targets</h2><div class="wide"><table>'
    yield "<tr><th>verdict</th><th>target</th><th>kind</th><th>findings</th></tr>"
    for place, (target, number) in enumerate(zip(targets, numbers, strict=True)):
        name = f"<code>{html(target.path)}</code>"
        link = f'<a href="#t{number}">{name}</a>' if place < MOST_SECTIONS else name
        yield (
            f"<tr><td>{badge(target.verdict.value)}</td><td>{link}</td><td>{html(target.kind)}, {html(target.format)}</td>"
            f"<td>{len(target.findings)}</td></tr>"
        )
    yield "</table></div></section>"
