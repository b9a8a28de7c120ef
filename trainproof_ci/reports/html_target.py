"""One target of the HTML report: its charts, its findings, each linked to the other, and what was checked."""

from collections.abc import Iterator, Sequence

from trainproof_ci.model import Chart, Finding, TargetReport
from trainproof_ci.reports import sparkline, svg, wording
from trainproof_ci.reports.escape import html
from trainproof_ci.typed import NamedTuple


class Anchors(NamedTuple):
    """The names by which the parts of one target link to each other; `number` is that of the target on the page."""

    number: int

    def target(self) -> str:
        """The section."""
        return f"t{self.number}"

    def finding(self, rule: str) -> str:
        """The first finding of a rule."""
        return f"t{self.number}-{rule}"

    def mark(self, rule: str) -> str:
        """The first point at which a rule fired."""
        return f"t{self.number}-at-{rule}"


def badge(word: str) -> str:
    """A verdict or severity in its colour."""
    return f'<span class="badge {html(word)}">{html(word)}</span>'


def section(target: TargetReport, number: int) -> str:
    """The target as a section of the page."""
    anchors = Anchors(number)
    marked = {rule for chart in target.charts for _, rule in chart.marks}
    return "\n".join(
        [
            f'<section id="{anchors.target()}"><h2><code>{html(target.path)}</code> {badge(target.verdict.value)}</h2>',
            f'<div class="quiet">{html(_about(target))}</div>',
            *(f'<div class="quiet">{html(note)}</div>' for note in wording.notes(target)),
            *_charts(target, anchors),
            *_findings(target, anchors, marked),
            *_checks(target),
            "</section>",
        ]
    )


def _about(target: TargetReport) -> str:
    facts = [f"{key} {value:,}" if isinstance(value, int) else f"{key} {value}" for key, value in _shown(target)]
    return ", ".join([target.kind, target.format, *facts])


def _shown(target: TargetReport) -> Iterator[tuple[str, object]]:
    for key, value in target.facts.items():
        if isinstance(value, (int, float)) or (isinstance(value, str) and len(value) <= 64):
            yield key, value


def _charts(target: TargetReport, anchors: Anchors) -> Iterator[str]:
    """A figure a series; a run and its baseline share one."""
    named: set[str] = set()
    baselines = [chart for chart in target.charts if chart.role == "baseline"]
    for chart in target.charts:
        if chart.role != "baseline" and chart.points:
            yield figure([chart, *(baselines if chart.role == "loss" else [])], anchors, named)


def figure(charts: Sequence[Chart], anchors: Anchors, named: set[str]) -> str:
    """The figure of one series, perhaps with the baseline's; `named` are the rules whose mark has its anchor already."""
    seen = svg.frame(charts)
    names = f"<b>{html(charts[0].name)}</b>"
    if len(charts) > 1:
        names = f'<span class="swatch"></span> {names} <span class="swatch other"></span> <b>{html(charts[1].name)}</b>'
    caption = f'<figcaption>{names} <span class="quiet">{html(sparkline.span(charts[0]))}</span></figcaption>'
    if seen is None:
        return f'<figure>{caption}<div class="quiet">not one finite value</div></figure>'
    label = f"{charts[0].name}: {sparkline.span(charts[0])}"
    marks = "".join(_mark(step, rule, seen, anchors, named) for step, rule in svg.spread(charts[0], seen))
    middle = (seen.first + seen.last) / 2
    return (
        f'<figure>{caption}<div class="plot"><span class="high">{seen.scale.high:.4g}</span>'
        f'<span class="low">{seen.scale.low:.4g}</span>{svg.picture(charts, seen, label)}{marks}</div>'
        f'<div class="steps"><span>step {seen.first:g}</span><span>{middle:g}</span><span>{seen.last:g}</span></div></figure>'
    )


def _mark(step: float, rule: str, seen: svg.Frame, anchors: Anchors, named: set[str]) -> str:
    name = "" if rule in named else f' id="{html(anchors.mark(rule))}"'
    named.add(rule)
    title = html(f"{rule} at step {step:g}")
    left = 100 * seen.x(step) / svg.WIDTH
    return (
        f'<a class="mark"{name} style="left:{left:.1f}%" href="#{html(anchors.finding(rule))}" title="{title}" '
        f'aria-label="{title}">▲</a>'
    )


def _findings(target: TargetReport, anchors: Anchors, marked: set[str]) -> Iterator[str]:
    named: set[str] = set()
    if target.findings:
        yield '<ol class="findings">'
        for finding in target.findings:
            name = "" if finding.rule in named else f' id="{html(anchors.finding(finding.rule))}"'
            named.add(finding.rule)
            link = f' <a href="#{html(anchors.mark(finding.rule))}">see the point</a>' if finding.rule in marked else ""
            yield f'<li class="{finding.severity.value}"{name}>{_finding(finding, link)}</li>'
        yield "</ol>"
    for aside in target.ignored:
        yield f'<p class="quiet">ignored {html(aside.finding.rule)}: {html(aside.reason)}</p>'


def _finding(finding: Finding, link: str) -> str:
    places = [wording.place(finding.location), wording.elsewhere(finding)]
    places += [f"{related.note or 'see also'}: {wording.place(related)}" for related in finding.related]
    return (
        f"{badge(finding.severity.value)} <b>{html(finding.rule)}</b><p>{html(finding.message)}"
        f' <span class="quiet">({html(wording.expectation(finding))})</span></p>'
        f'<div class="quiet"><code>{"</code> · <code>".join(html(place) for place in places if place)}</code>{link}</div>'
    )


def _checks(target: TargetReport) -> Iterator[str]:
    yield f"<details><summary>{html(wording.coverage(target.checks))}</summary><ul>"
    if target.checks.ran:
        yield f"<li>ran {html(', '.join(target.checks.ran))}</li>"
    for why, rules in wording.skips(target.checks).items():
        yield f"<li>skipped {html(', '.join(rules))}: {html(why)}</li>"
    yield "</ul></details>"
