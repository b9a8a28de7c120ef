"""The check run under every fault of the platform: nothing lost in silence, nothing doubled, the verdict untouched."""

import pytest
from loopback import Fault, Loopback, serving
from made_reports import many, report, target

from trainproof_ci.adapters import api as api_module
from trainproof_ci.adapters.api import SECONDS, TRIES, Api
from trainproof_ci.adapters.checks_api import BATCH, MOST_BATCHES, Published, publish
from trainproof_ci.adapters.event import Event
from trainproof_ci.model import Report, Severity

EVENT = Event("pull_request", "o/r", "", "1" * 40, "2" * 40, None, 7, "lint")
SECONDARY = "You have exceeded a secondary rate limit"
FAULTS = {
    "401": Fault("", 0, 401),
    "403": Fault("", 0, 403, message="Resource not accessible by integration"),
    "404": Fault("", 0, 404),
    "422": Fault("", 0, 422),
    "429": Fault("", 0, 429),
    "429 with retry-after": Fault("", 0, 429, {"Retry-After": "3"}),
    "429 for ever": Fault("", 0, 429, times=99),
    "429 with a far retry-after": Fault("", 0, 429, {"Retry-After": "3600"}),
    "secondary limit": Fault("", 0, 403, message=SECONDARY),
    "secondary limit with retry-after": Fault("", 0, 403, {"Retry-After": "60"}, SECONDARY),
    "primary limit": Fault(
        "", 0, 403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, "API rate limit exceeded"
    ),
    "500": Fault("", 0, 500),
    "502 after it was done": Fault("", 0, 502, done=True),
    "503 for ever": Fault("", 0, 503, times=99),
    "dropped before it was done": Fault("", 0, "drop"),
    "dropped after it was done": Fault("", 0, "drop", done=True),
    "dropped for ever, once done": Fault("", 0, "drop", done=True, times=99),
    "cut": Fault("", 0, "cut", done=True),
    "slow": Fault("", 0, "slow", done=True),
}
OVERCOME = {
    "429", "429 with retry-after", "secondary limit", "secondary limit with retry-after", "primary limit", "500",
    "502 after it was done", "dropped before it was done", "dropped after it was done", "dropped for ever, once done",
    "cut", "slow",
}  # fmt: skip


class Clock:
    """Time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def published(report: Report, platform: Loopback) -> tuple[Published, Clock]:
    clock = Clock()
    with serving(platform) as address:
        api = Api(address, "token", sleep=clock.sleep, now=clock.now)
        return publish(report, EVENT, api, "trainproof-ci / lint"), clock


def expected(report: Report) -> list[tuple[str, int, str]]:
    return [(f.location.path, f.location.line or 1, f"{f.rule} {f.severity.value}") for _, f in report.findings]


@pytest.mark.parametrize("batch", [0, 1, 2])
@pytest.mark.parametrize("name", FAULTS)
def test_fault(name: str, batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_module, "ONE_CALL_SECONDS", 0.3)
    method = "POST" if batch == 0 else "PATCH"
    platform = Loopback((FAULTS[name]._replace(method=method, at=max(0, batch - 1)),), validate=False)
    whole = many(3 * BATCH - 10)
    before = int(whole.exit_code)
    result, clock = published(whole, platform)
    there = platform.annotations
    assert before == int(whole.exit_code) == 1
    assert len(set(there)) == len(there), "doubled"
    assert len(platform.runs) <= 1
    assert clock.time <= SECONDS
    assert platform.seen.get(method, 0) <= TRIES * 3
    if name in OVERCOME:
        assert result.problem is None
        assert sorted(there) == sorted(expected(whole)), "lost"
    else:
        assert result.problem is not None
        assert result.annotations <= len(there)
    assert result.annotations == len(there) or result.problem is not None


def test_bodies_fit_the_openapi_document() -> None:
    platform = Loopback()
    result, _ = published(many(260), platform)
    assert platform.refused == []
    assert result.complete
    run = next(iter(platform.runs.values()))
    assert run["head_sha"] == "1" * 40
    assert run["conclusion"] == "failure"
    assert len(platform.annotations) == 260


def test_not_checked_is_neutral() -> None:
    platform = Loopback()
    result, _ = published(many(1, Severity.NOT_CHECKED, files=1), platform)
    assert result.complete
    assert next(iter(platform.runs.values()))["conclusion"] == "neutral"


def test_a_pass_has_a_check_run_without_annotations() -> None:
    platform = Loopback()
    result, _ = published(report(target("data/a.jsonl")), platform)
    assert result.complete
    assert platform.annotations == []


def test_more_annotations_than_a_minute_allows_are_counted() -> None:
    platform = Loopback(validate=False)
    result, _ = published(many(10_000), platform)
    assert len(platform.annotations) == BATCH * MOST_BATCHES
    summary = next(iter(platform.runs.values()))["output"]["summary"]
    assert f"showing {BATCH * MOST_BATCHES} of 10000 annotations" in summary
    assert result.wanted == 10_000


def test_each_run_has_its_own_external_id() -> None:
    platform = Loopback(validate=False)
    published(many(1), platform)
    published(many(1), platform)
    assert len({run["external_id"] for run in platform.runs.values()}) == 2


def test_an_event_without_a_commit_has_no_check_run() -> None:
    platform = Loopback()
    with serving(platform) as address:
        result = publish(many(1), EVENT._replace(head=None), Api(address, "token"), "name")
    assert result.problem == "the event names no repository and head commit"
    assert platform.requests == []
