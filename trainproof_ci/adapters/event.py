"""What GitHub says about the run: environment variables and the event's payload, checked before anything relies on them."""

import json
import os
import re
from collections.abc import Mapping

from trainproof_ci.typed import Any, NamedTuple

LARGEST_PAYLOAD = 32 << 20
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}\Z")
_BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+-]{0,200}\Z")
BASE_RIGHTS = frozenset({"pull_request_target", "workflow_run"})
"""Events that run with the base repository's rights and secrets whoever wrote the code that is checked out."""


class Event(NamedTuple):
    """One run. `head` is the commit a check run belongs to, `base` the one the change is measured against,
    `trusted` the commit whose configuration counts; each is a full hash or None.
    """

    name: str
    repository: str | None
    api: str
    head: str | None
    base: str | None
    trusted: str | None
    number: int | None
    job: str
    default_branch: str | None = None

    @property
    def base_rights(self) -> bool:
        """Whether a fork's files must not decide what is checked."""
        return self.name in BASE_RIGHTS

    @property
    def selects_a_change(self) -> bool:
        """Whether the event is about a change rather than about the whole repository."""
        return self.name in {"pull_request", "pull_request_target", "merge_group"}


def event(environment: Mapping[str, str]) -> Event:
    """The event of this run; what is missing or malformed is None."""
    name = environment.get("GITHUB_EVENT_NAME", "")
    payload = _payload(environment.get("GITHUB_EVENT_PATH", ""))
    commit = _sha(environment.get("GITHUB_SHA"))
    repository = environment.get("GITHUB_REPOSITORY", "")
    number = _at(payload, "pull_request", "number")
    return Event(
        name=name,
        repository=repository if _REPOSITORY.match(repository) else None,
        api=environment.get("GITHUB_API_URL", "https://api.github.com").rstrip("/"),
        head=_head(name, payload) or commit,
        base=_base(name, payload),
        trusted=commit if name in BASE_RIGHTS else None,
        number=number if isinstance(number, int) else None,
        job=environment.get("GITHUB_JOB", ""),
        default_branch=_branch(_at(payload, "repository", "default_branch")),
    )


def _head(name: str, payload: Mapping[str, Any]) -> str | None:
    """The head of the pull request: on `pull_request` GITHUB_SHA is a merge commit that nobody looks at."""
    if name in {"pull_request", "pull_request_target"}:
        return _sha(_at(payload, "pull_request", "head", "sha"))
    if name == "merge_group":
        return _sha(_at(payload, "merge_group", "head_sha"))
    if name == "workflow_run":
        return _sha(_at(payload, "workflow_run", "head_sha"))
    return None


def _base(name: str, payload: Mapping[str, Any]) -> str | None:
    if name in {"pull_request", "pull_request_target"}:
        return _sha(_at(payload, "pull_request", "base", "sha"))
    if name == "merge_group":
        return _sha(_at(payload, "merge_group", "base_sha"))
    before = _sha(payload.get("before")) if name == "push" else None
    return before if before and before.strip("0") else None


def _sha(value: object) -> str | None:
    return value if isinstance(value, str) and _SHA.match(value) else None


def _branch(value: object) -> str | None:
    return value if isinstance(value, str) and _BRANCH.match(value) and ".." not in value else None


def _at(payload: Mapping[str, Any], *keys: str) -> object:
    value: object = payload
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _payload(path: str) -> Mapping[str, Any]:
    if not path or not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        data = file.read(LARGEST_PAYLOAD)
    try:
        payload = json.loads(data)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}
