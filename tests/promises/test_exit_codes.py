"""Exit 0 only if something was judged and nothing left unjudged; exit 1 only from a FAIL; found = judged + not judged."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from made_reports import finding, report, target

from trainproof_ci.model import Policy, Severity

SEVERITIES = st.sampled_from([Severity.FAIL, Severity.WARN, Severity.NOT_CHECKED, Severity.NOTE])
POLICIES = st.builds(
    Policy, st.sampled_from(["fail", "warn", "changed", "never"]), st.sampled_from(["neutral", "fail", "pass"])
)
RUN = {"log_history": [{"step": i, "loss": 2.0 / i + 0.1} for i in range(1, 40)]}


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(SEVERITIES, max_size=3), max_size=12), POLICIES)
def test_any_list_of_findings(per_target: list[list[Severity]], policy: Policy) -> None:
    named = [(f"{number}.jsonl", severities) for number, severities in enumerate(per_target)]
    made = report(
        *(target(n, *(finding(n, s) if s is not Severity.NOTE else _note(n) for s in ss)) for n, ss in named),
        policy=policy,
    )
    every = {severity for severities in per_target for severity in severities}
    counts = made.counts
    assert counts["found"] == counts["judged"] + counts["not_judged"] == len(per_target)
    assert counts["found"] == counts["fail"] + counts["warn"] + counts["not_checked"] + counts["pass"]
    assert made.exit_code in {0, 1, 2}
    if made.exit_code == 1:
        assert Severity.FAIL in every or (policy.fail_on == "warn" and Severity.WARN in every)
    if made.exit_code == 0:
        assert Severity.NOT_CHECKED not in every or policy.not_checked == "pass"
        assert Severity.FAIL not in every or policy.fail_on == "never"
    assert made.conclusion == {0: "success", 1: "failure", 2: "neutral"}[int(made.exit_code)]


def _note(path: str) -> Any:
    return finding(path)._replace(severity=Severity.NOTE)


def test_the_older_of_26_logs_is_the_broken_one(work: Path, command: Any) -> None:
    for number in range(26):
        folder = work / f"runs/{number:02}"
        folder.mkdir(parents=True)
        history = json.loads(json.dumps(RUN))
        if number == 0:
            history["log_history"][20]["loss"] = float("nan")
            history["log_history"][38]["loss"] = float("nan")
        (folder / "trainer_state.json").write_text(json.dumps(history))
    answer = command("check", "--format", "json")
    assert answer.code == 1
    assert answer.report["counts"]["found"] == answer.report["counts"]["judged"] == 26
    assert [t["path"] for t in answer.report["targets"] if t["verdict"] == "FAIL"] == ["runs/00/trainer_state.json"]
    assert [t["path"] for t in answer.report["targets"]] == sorted(t["path"] for t in answer.report["targets"])


def test_one_good_and_two_unreadable(work: Path, command: Any) -> None:
    rows = "".join(json.dumps({"prompt": f"q {i}", "completion": f"a {i}"}) + "\n" for i in range(20))
    (work / "good.jsonl").write_text(rows)
    for name in ("one", "two"):
        (work / f"{name}.jsonl").write_text(
            "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 9\n"
        )
    answer = command("check", "--format", "json")
    counts = answer.report["counts"]
    assert (answer.code, counts["found"], counts["judged"], counts["not_judged"]) == (2, 3, 1, 2)


def test_nothing_found_is_not_a_pass(work: Path, command: Any) -> None:
    del work
    assert command("check").code == 2
    assert command("check", "nowhere").code == 2
    assert command("check", "--no-such-option").code == 64
    assert command("nonsense").code == 64
