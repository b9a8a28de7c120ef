"""Charts thinned and marked, and drawn: as a line of blocks, as Mermaid, as a page that needs nothing else."""

import math
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import needs_program
from hostile_names import BY_HAND
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.charts import MOST_POINTS, drawn, thinned
from trainproof_ci.model import Chart, Coverage, Finding, Report, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.reports import html, markdown, mermaid, sparkline
from trainproof_ci.reports.scale import scale_of

FALLING = tuple((10.0 * i, 0.4 + 2 * math.exp(-i / 12)) for i in range(30))
NEEDS = {"TP-DIVERGE": ("loss",), "TP-ZERO-LR": ("rates",), "TP-BAD-RECORD": ()}


def finding(rule: str = "TP-DIVERGE", *steps: float, severity: Severity = Severity.FAIL) -> Finding:
    places = Places(*(Location("run.json", line=1 + int(step) // 10, step=step) for step in steps))
    return Finding(rule, severity, "the loss rose", "4.9", "≤ 1.2", places)


def report(*findings: Finding, path: str = "run.json", name: str = "loss") -> Report:
    charts = drawn((Chart(name, FALLING), Chart("lr", FALLING, role="rates")), findings, NEEDS)
    return Report(
        (
            TargetReport(
                path, "run", "csv", {"points": 30}, findings, Coverage(("TP-NAN",), {"TP-X": "no x"}), (), charts
            ),
        )
    )


def test_a_mark_stands_on_the_series_that_the_rule_looked_at() -> None:
    charts = (
        report(finding("TP-DIVERGE", 200), finding("TP-ZERO-LR", 100, 110), finding("TP-BAD-RECORD", 50))
        .targets[0]
        .charts
    )
    assert charts[0].marks == ((200, "TP-DIVERGE"), (50, "TP-BAD-RECORD"))
    assert charts[1].marks == ((100, "TP-ZERO-LR"), (110, "TP-ZERO-LR"))


def test_what_was_not_judged_is_not_marked() -> None:
    assert report(finding("TP-DIVERGE", 200, severity=Severity.NOT_CHECKED)).targets[0].charts[0].marks == ()


@given(st.lists(st.floats(width=32), min_size=1, max_size=1500), st.integers(0, 1499))
@settings(max_examples=40, deadline=None)
def test_thinning_keeps_ends_extremes_and_marks(values: list[float], marked: int) -> None:
    points = tuple((float(i), value) for i, value in enumerate(values))
    kept = thinned(points, [float(marked)])
    assert len(kept) <= MOST_POINTS
    assert list(kept) == sorted(kept, key=lambda point: point[0])
    assert (kept[0][0], kept[-1][0]) == (points[0][0], points[-1][0])
    assert marked >= len(points) or float(marked) in [step for step, _ in kept]
    finite = [value for _, value in points if math.isfinite(value)]
    if finite:
        assert {min(finite), max(finite)} <= {value for _, value in kept}
    assert any(math.isfinite(v) is False for _, v in kept) is (len(finite) < len(points))


def test_a_line_of_blocks_falls_with_the_loss() -> None:
    line = sparkline.line(Chart("loss", FALLING))
    assert (len(line), line[0], line[-1]) == (30, "█", "▁")
    assert list(line) == sorted(line, reverse=True)


def test_not_finite_values_and_flat_series_have_their_own_look() -> None:
    broken = Chart("loss", (*FALLING[:28], (280.0, math.nan), (290.0, math.inf)))
    assert sparkline.line(broken).endswith("××")  # noqa: RUF001 - the sign itself
    assert set(sparkline.line(Chart("x", ((0.0, 3.0), (1.0, 3.0))))) == {"▅"}
    assert sparkline.line(Chart("x", ((0.0, math.nan),))) == "×"  # noqa: RUF001 - the sign itself


def test_the_firing_point_is_marked_below_its_column() -> None:
    lines = sparkline.pictures(report(finding("TP-DIVERGE", 200)).targets[0])
    assert lines[1].index("▲") == lines[0].index("█") + 20
    assert lines[1].endswith("▲ TP-DIVERGE at step 200")


@given(st.lists(st.tuples(st.floats(), st.floats()), min_size=1, max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_numbers_can_be_drawn(points: list[tuple[float, float]]) -> None:
    chart = Chart("loss", tuple(points), ((points[0][0], "TP-NAN"),))
    target = TargetReport("run.json", "run", "csv", {}, (), Coverage(), (), (chart,))
    assert sparkline.pictures(target)
    assert "<svg" in html.render(Report((target,))) or "not one finite value" in html.render(Report((target,)))
    assert "e" not in "".join(mermaid.chart(chart)[4:5]).replace("line", "").replace("y-axis", "")


def test_a_wide_range_is_drawn_by_its_logarithm_but_never_a_schedule() -> None:
    assert scale_of([0.01, 5.0]) == (0.01, 5.0, True)
    assert scale_of([0.01, 5.0], linear=True) == (0.01, 5.0, False)
    assert scale_of([math.nan]) is None


def test_a_short_series_is_a_mermaid_chart_with_a_bar_at_the_firing_point() -> None:
    lines = mermaid.chart(report(finding("TP-DIVERGE", 200)).targets[0].charts[0])
    assert lines[:2] == ["```mermaid", "xychart-beta"]
    (bars,) = [line for line in lines if line.startswith("  bar")]
    heights = bars[7:-1].split(", ")
    assert [i for i, height in enumerate(heights) if height != min(heights)] == [20]
    assert mermaid.chart(Chart("loss", FALLING * 3)) == []
    assert '  title "training loss"' in mermaid.chart(Chart('a "quoted" <name>', FALLING))
    assert mermaid.chart(Chart("loss", ((0.0, math.nan), *FALLING[1:]))) == []


def test_the_summary_shows_the_picture() -> None:
    text = markdown.render(report(finding("TP-DIVERGE", 200)))
    assert "<pre>loss  █" in text
    assert "```mermaid" in text
    assert "<details><summary><code>run&#46;json</code>" in markdown.render(report())


class Page(HTMLParser):
    """The elements of a page, the ids and the links inside it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.outward: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            assert not name.startswith("on"), name
            if name == "id":
                self.ids.append(value or "")
            if name in {"href", "src", "action", "data", "srcset"}:
                (self.links.add if (value or "").startswith("#") else self.outward.append)(value or "")


ALLOWED = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "h1",
    "h2",
    "div",
    "span",
    "p",
    "section",
    "code",
    "figure",
    "figcaption",
    "b",
    "svg",
    "path",
    "a",
    "ol",
    "li",
    "ul",
    "details",
    "summary",
    "table",
    "tr",
    "th",
    "td",
}


@pytest.mark.parametrize("hostile", [*BY_HAND, b"<script>alert(1)</script>", b'"><img src=x onerror=alert(1)>'])
def test_the_page_needs_nothing_else_and_its_links_lead_somewhere(hostile: bytes) -> None:
    name = hostile.decode("utf-8", "surrogateescape")
    page = Page(html.render(report(finding("TP-DIVERGE", 200), path=name, name=name)))
    assert page.tags <= ALLOWED
    assert page.outward == []
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert {"#t0-TP-DIVERGE", "#t0-at-TP-DIVERGE"} <= page.links


def test_a_real_browser_shows_the_chart_and_asks_for_nothing(tmp_path: Path) -> None:
    chromium = needs_program("chromium")
    page, picture = tmp_path / "report.html", tmp_path / "report.png"
    page.write_text(html.render(report(finding("TP-DIVERGE", 200))), encoding="utf-8")
    flags = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --hide-scrollbars --window-size=500,900 --user-data-dir={tmp_path}/profile "
        f"--enable-logging=stderr --v=0 --screenshot={picture}"
    ).split()
    done = subprocess.run([chromium, *flags, page.as_uri()], capture_output=True, timeout=120, check=False)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert len(picture.read_bytes()) > 10_000, "an empty page"
    assert not re.search(rb"CONSOLE|Refused to", done.stderr), done.stderr[-500:]
