"""The event: which commit a check run belongs to, and whose configuration counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.adapters.event import event

A, B, C, D = "a" * 40, "b" * 40, "c" * 40, "d" * 40
PULL = {"pull_request": {"number": 7, "head": {"sha": A}, "base": {"sha": B}}}


@pytest.mark.parametrize(
    ("name", "payload", "head", "base", "trusted"),
    [
        ("pull_request", PULL, A, B, None),
        ("pull_request_target", PULL, A, B, D),
        ("merge_group", {"merge_group": {"head_sha": A, "base_sha": B}}, A, B, None),
        ("workflow_run", {"workflow_run": {"head_sha": C}}, C, None, D),
        ("push", {"before": B, "after": D}, D, B, None),
        ("push", {"before": "0" * 40}, D, None, None),
        ("schedule", {}, D, None, None),
        ("workflow_dispatch", {"inputs": {}}, D, None, None),
    ],
)
def test_the_commits_of_an_event(
    tmp_path: Path, name: str, payload: dict[str, Any], head: str, base: str | None, trusted: str | None
) -> None:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(payload))
    found = event(
        {"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(path), "GITHUB_SHA": D, "GITHUB_REPOSITORY": "o/r"}
    )
    assert (found.head, found.base, found.trusted) == (head, base, trusted)
    assert found.base_rights is (trusted is not None)


@pytest.mark.parametrize(
    "data", ["", "[]", "nonsense", '{"pull_request": {"head": {"sha": "; rm -rf"}, "number": "7"}}', "\x00"]
)
def test_a_payload_that_says_nothing(tmp_path: Path, data: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(data)
    found = event(
        {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_EVENT_PATH": str(path), "GITHUB_REPOSITORY": "o/r/../x"}
    )
    assert (found.head, found.base, found.number, found.repository) == (None, None, None, None)
