"""The job summary says what was selected, what is marked and what was set aside, and never a pass for nothing."""

from made_reports import finding, report, target

from trainproof_ci.model import Ignored, Severity
from trainproof_ci.reports import markdown


def test_nothing_to_judge_is_no_pass() -> None:
    text = markdown.render(report()._replace(notes=("nothing to judge among 3 changed files",)))
    assert "PASS" not in text
    assert "nothing to judge" in text


def test_a_finding_off_the_changed_lines_is_marked() -> None:
    marked = finding()._replace(on_changed_lines=False)
    assert "not on a line of this change" in markdown.render(report(target("data/a.jsonl", marked)))
    assert "not on a line of this change" not in markdown.render(report(target("data/a.jsonl", finding())))


def test_notes_are_bounded_and_counted() -> None:
    text = markdown.render(report(target("a"))._replace(notes=tuple(f"note {n}" for n in range(5000))))
    assert "showing 20 of 5000 notes" in text


def test_what_is_set_aside_is_counted() -> None:
    aside = target("a")._replace(ignored=(Ignored(finding("a"), "a reason"),))
    assert "1 findings are set aside" in markdown.render(report(aside))


def test_a_report_of_every_severity_counts_found_judged_and_not() -> None:
    text = markdown.render(
        report(target("a", finding("a")), target("b", finding("b", Severity.NOT_CHECKED)), target("c"))
    )
    assert "3 found &#61; 2 judged &#43; 1 not judged" in text
    assert "skipped TP-X" in text
