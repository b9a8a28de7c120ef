"""A check run of our own on the head commit: the only way to tell a pull request "neutral".

A job cannot conclude neutral, so NOT-CHECKED needs a check run beside it. Whatever happens here is told and
changes no verdict.
"""

import secrets
from collections.abc import Iterator
from itertools import islice

from trainproof_ci.adapters.api import Api, ApiTrouble
from trainproof_ci.adapters.event import Event
from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.places import Location
from trainproof_ci.reports import wording
from trainproof_ci.reports.escape import plain
from trainproof_ci.reports.github import message
from trainproof_ci.typed import Any, NamedTuple

BATCH = 50
"""Annotations that one request may carry."""
MOST_BATCHES = 40
"""GitHub allows 80 requests that create something a minute and 500 an hour, to the whole repository."""
LARGEST_SUMMARY = 65_000
LEVELS = {Severity.FAIL: "failure", Severity.WARN: "warning", Severity.NOT_CHECKED: "notice"}
NO_PERMISSION = "the token may not write checks (`permissions: checks: write`; a fork's token never may)"


class Published(NamedTuple):
    """What became of the check run: its page, how many annotations it has, how many there are, what went wrong."""

    url: str | None = None
    annotations: int = 0
    wanted: int = 0
    problem: str | None = None

    @property
    def complete(self) -> bool:
        """Whether every annotation that a check run may have is there."""
        return self.url is not None and self.problem is None


def publish(report: Report, event: Event, api: Api, name: str) -> Published:
    """Create the check run with the first annotations and add the others, 50 at a time. Never raises."""
    if event.repository is None or event.head is None:
        return Published(problem="the event names no repository and head commit")
    wanted = sum(1 for _ in annotations(report))
    batches = _batches(report)
    run = _CheckRun(api, f"/repos/{event.repository}", _output(report, wanted))
    try:
        run.create(name, event.head, report.conclusion, batches[0] if batches else [])
        for batch in batches[1:]:
            run.add(batch)
    except ApiTrouble as trouble:
        return Published(run.url, run.annotations, wanted, _problem(trouble, run, wanted))
    return Published(run.url, run.annotations, wanted)


def _problem(trouble: ApiTrouble, run: "_CheckRun", wanted: int) -> str:
    why = NO_PERMISSION if trouble.status in {401, 403} and "rate limit" not in trouble.reason else trouble.reason
    if run.url is None:
        return f"no check run: {why}"
    return f"the check run has {run.annotations} of {wanted} annotations: {why}"


def _output(report: Report, wanted: int) -> dict[str, Any]:
    from trainproof_ci.reports.markdown import render

    room = BATCH * MOST_BATCHES
    cut = f"\n\nshowing {room} of {wanted} annotations\n" if wanted > room else ""
    return {
        "title": plain(wording.totals(report))[:255],
        "summary": render(report, largest=LARGEST_SUMMARY - len(cut)) + cut,
    }


def _batches(report: Report) -> list[list[dict[str, Any]]]:
    every = annotations(report)
    return [batch for batch in (list(islice(every, BATCH)) for _ in range(MOST_BATCHES)) if batch]


def annotations(report: Report) -> Iterator[dict[str, Any]]:
    """An annotation for each shown place of each finding, most severe first."""
    for _, finding in report.findings:
        if finding.severity in LEVELS:
            for place in finding.places.shown:
                yield _annotation(finding, place)


def _annotation(finding: Finding, place: Location) -> dict[str, Any]:
    line = place.line or 1
    document: dict[str, Any] = {
        "path": place.path.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
        "start_line": line,
        "end_line": line,
        "annotation_level": LEVELS[finding.severity],
        "title": f"{finding.rule} {finding.severity.value}",
        "message": plain(message(finding))[:16_000],
    }
    if place.column and place.line:
        document |= {"start_column": place.column, "end_column": place.column}
    return document


class _CheckRun:
    """One check run being written. After a lost answer it asks what is there before it sends anything again."""

    def __init__(self, api: Api, repository: str, output: dict[str, Any]) -> None:
        self.api, self.repository, self.output = api, repository, output
        self.external_id = f"trainproof-ci/{secrets.token_hex(12)}"  # a matrix shares job and run; this it does not
        self.url: str | None = None
        self.number = 0
        self.annotations = 0

    def create(self, name: str, head: str, conclusion: str, batch: list[dict[str, Any]]) -> None:
        body = {
            "name": name,
            "head_sha": head,
            "external_id": self.external_id,
            "status": "completed",
            "conclusion": conclusion,
            "output": {**self.output, "annotations": batch},
        }
        where = f"{self.repository}/check-runs"
        created = self.api.call("POST", where, body, settled=lambda: self.find(head))
        self.number, self.url = _number(created), str(created.get("html_url") or "") or None
        self.url = self.url or f"{self.repository}/runs/{self.number}"
        self.annotations = len(batch)

    def find(self, head: str) -> dict[str, Any] | None:
        """The check run that a lost POST created after all: the newest 300 on the commit are looked through."""
        for page in range(1, 4):
            where = f"{self.repository}/commits/{head}/check-runs?filter=all&per_page=100&page={page}"
            listed = self.api.call("GET", where)
            runs = listed.get("check_runs") if isinstance(listed, dict) else None
            for run in runs if isinstance(runs, list) else ():
                if isinstance(run, dict) and run.get("external_id") == self.external_id:
                    return run
            if not isinstance(runs, list) or len(runs) < 100:
                break
        return None

    def add(self, batch: list[dict[str, Any]]) -> None:
        before = self.annotations

        def arrived() -> dict[str, Any] | None:
            run = self.api.call("GET", f"{self.repository}/check-runs/{self.number}")
            output = run.get("output") if isinstance(run, dict) else None
            count = output.get("annotations_count") if isinstance(output, dict) else None
            if not isinstance(count, int):
                raise ApiTrouble("GitHub's API does not say how many annotations there are")
            return run if count > before and isinstance(run, dict) else None

        body = {"output": {**self.output, "annotations": batch}}
        self.api.call("PATCH", f"{self.repository}/check-runs/{self.number}", body, settled=arrived)
        self.annotations += len(batch)


def _number(created: object) -> int:
    number = created.get("id") if isinstance(created, dict) else None
    if not isinstance(number, int):
        raise ApiTrouble("GitHub's API answered without the id of the check run")
    return number
