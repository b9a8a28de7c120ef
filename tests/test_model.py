import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.model import ExitCode, Finding, Policy, Report, Severity, TargetReport, worst
from trainproof_ci.places import SHOWN_PLACES, Location, Places, safe_key, safe_path

VERDICTS = st.lists(st.sampled_from([Severity.FAIL, Severity.WARN, Severity.NOT_CHECKED, Severity.PASS, Severity.NOTE]))


def finding(severity: Severity, line: int = 1, *, changed: bool | None = None) -> Finding:
    return Finding(
        "TP-TEST", severity, "it fired", "2", "1", Places(Location("a", line=line)), on_changed_lines=changed
    )


def target(*severities: Severity, path: str = "a") -> TargetReport:
    from trainproof_ci.model import Coverage

    return TargetReport(
        path, "dataset", "jsonl", {}, tuple(finding(s) for s in severities if s is not Severity.PASS), Coverage()
    )


@given(st.lists(VERDICTS))
def test_the_exit_code_is_1_only_from_a_printed_fail_and_0_only_when_all_was_judged(
    severities: list[list[Severity]],
) -> None:
    report = Report(tuple(target(*few) for few in severities))
    flat = [severity for few in severities for severity in few]
    assert (report.exit_code == ExitCode.FAIL) == (Severity.FAIL in flat)
    assert (report.exit_code == ExitCode.OK) == (Severity.FAIL not in flat and Severity.NOT_CHECKED not in flat)
    assert report.counts["found"] == report.counts["judged"] + report.counts["not_judged"]
    assert report.counts["found"] == sum(report.counts[key] for key in ("fail", "warn", "not_checked", "pass"))


@pytest.mark.parametrize(
    ("severities", "verdict", "code", "conclusion"),
    [
        ([], "PASS", 0, "success"),
        ([Severity.WARN], "WARN", 0, "success"),
        ([Severity.NOT_CHECKED], "NOT-CHECKED", 2, "neutral"),
        ([Severity.WARN, Severity.NOT_CHECKED], "WARN", 2, "neutral"),
        ([Severity.FAIL, Severity.NOT_CHECKED], "FAIL", 1, "failure"),
        ([Severity.NOTE], "PASS", 0, "success"),
    ],
)
def test_the_two_axes(severities: list[Severity], verdict: str, code: int, conclusion: str) -> None:
    report = Report(tuple(target(severity, path=str(i)) for i, severity in enumerate(severities)))
    assert (report.verdict.value, int(report.exit_code), report.conclusion) == (verdict, code, conclusion)


@pytest.mark.parametrize(
    ("policy", "severity", "changed", "code"),
    [
        (Policy("warn"), Severity.WARN, None, 1),
        (Policy("never"), Severity.FAIL, None, 0),
        (Policy("changed"), Severity.FAIL, False, 0),
        (Policy("changed"), Severity.FAIL, True, 1),
        (Policy("changed"), Severity.FAIL, None, 1),
        (Policy(not_checked="pass"), Severity.NOT_CHECKED, None, 0),
        (Policy(not_checked="fail"), Severity.NOT_CHECKED, None, 2),
    ],
)
def test_a_policy_changes_the_exit_code_and_no_verdict(
    policy: Policy, severity: Severity, changed: bool | None, code: int
) -> None:
    judged = target()._replace(findings=(finding(severity, changed=changed),))
    report = Report((judged,), policy)
    assert int(report.exit_code) == code
    assert report.verdict is severity


def test_places_keep_every_line_and_show_ten() -> None:
    places = Places(*(Location("a", line=line) for line in range(1, 101)))
    assert len(places) == 100
    assert len(places.shown) == SHOWN_PLACES
    assert places.lines.tolist() == list(range(1, 101))


def test_a_fingerprint_follows_the_content_and_not_the_line() -> None:
    def at(line: int, content: bytes) -> str:
        places = Places()
        places.add(Location("a", line=line), content)
        return finding(Severity.FAIL)._replace(places=places).fingerprint

    assert at(3, b"x") == at(40, b"x")
    assert at(3, b"x") != at(3, b"y")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("grad_norm", "grad_norm"),
        ("hf_secret0123456789abcdefgh", "<a key of 27 characters>"),
        ("a b", "<a key of 3 characters>"),
        ("", "<a key of 0 characters>"),
    ],
)
def test_a_foreign_key_is_shown_only_when_it_looks_like_one(key: str, shown: str) -> None:
    assert safe_key(key) == shown


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("messages[3].content", True),
        ("a-b.c_d[0][12].e", True),
        ("x" * 24, True),
        ("x" * 25, False),
        ("messages.two words", False),
        ("a..b", False),
        ("", False),
        ("a" * 59 + "!", False),  # and at once: no key can make the pattern try every way to part it
    ],
)
def test_a_path_is_shown_only_when_every_name_in_it_looks_like_a_key(path: str, shown: bool) -> None:
    assert safe_path(path) == (path if shown else None)


def test_the_worst_of_nothing_is_a_pass() -> None:
    assert worst([]) is Severity.PASS
