"""What an event's change touched: from git, else from the pull request's API, else everything."""

from collections.abc import Iterable, Iterator

from trainproof_ci import git
from trainproof_ci.adapters.api import Api, ApiTrouble
from trainproof_ci.adapters.event import Event
from trainproof_ci.changes import HUNK, WHOLE, Changes, Ranges, between, selection

MOST_API_FILES = 3000
"""GitHub lists no more files of a pull request than these."""
MOST_COMPARED = 300
"""Files that GitHub lists of a comparison of two commits."""


def of_event(event: Event, prefix: str, api: Api | None) -> Changes | str:
    """What the event's change touched; the sentence that says why everything is judged where nobody can say."""
    base = _event_base(event)
    found = between(base, prefix) if base is not None else "the history is not in this clone"
    if not isinstance(found, str) and found.total:
        return found
    asked = _asked(event, prefix, api)
    if not isinstance(asked, str) and asked.total:
        return asked
    by_git = found if isinstance(found, str) else "git finds no changed file"
    return f"{by_git}, and {asked if isinstance(asked, str) else 'GitHub lists no changed file'}"


def _event_base(event: Event) -> str | None:
    """The commit to compare with: the first parent of the merge commit that GitHub checks out, else the merge base."""
    head = git.git("rev-list", "--parents", "-n1", "HEAD")
    commits = head.decode().split() if head else []
    if event.name == "pull_request" and len(commits) == 3:
        return commits[1]
    if event.base is None or not commits or event.base == commits[0]:
        return None
    base = git.git("merge-base", event.base, "HEAD")
    return base.decode().strip() if base else None


def _asked(event: Event, prefix: str, api: Api | None) -> Changes | str:
    """The same from GitHub's API, page by page; only a list known to be whole counts."""
    if api is None or event.repository is None:
        return "there is no token to ask GitHub with"
    try:
        if event.number is not None:
            where, limit = f"/repos/{event.repository}/pulls/{event.number}/files", MOST_API_FILES
            listed = list(_pages(api, where, limit))
        elif event.base is not None and event.head is not None:
            where, limit = f"/repos/{event.repository}/compare/{event.base}...{event.head}", MOST_COMPARED
            answer = api.call("GET", where)
            listed = answer.get("files", []) if isinstance(answer, dict) else []
        else:
            return "the event is about no change"
    except ApiTrouble as trouble:
        return trouble.reason
    if len(listed) >= limit:
        return f"GitHub lists no more than {limit} changed files"
    return _listed(listed, prefix)


def _pages(api: Api, where: str, limit: int) -> Iterator[object]:
    for page in range(1, limit // 100 + 1):
        answer = api.call("GET", f"{where}?per_page=100&page={page}")
        entries = answer if isinstance(answer, list) else []
        yield from entries
        if len(entries) < 100:
            return


def _listed(listed: Iterable[object], prefix: str) -> Changes | str:
    files: dict[str, Ranges] = {}
    gone: list[str] = []
    total = 0
    for entry in listed:
        if not isinstance(entry, dict) or not isinstance(entry.get("filename"), str):
            continue
        total += 1
        if entry.get("status") == "removed":
            gone.append(entry["filename"])
            continue
        if isinstance(entry.get("previous_filename"), str) and entry.get("status") == "renamed":
            gone.append(entry["previous_filename"])
        files[entry["filename"]] = _patched(entry.get("patch"), entry.get("status"))
    return selection(files, gone, prefix, "GitHub's API listed the files of the change", total)


def _patched(patch: object, status: object) -> Ranges:
    """The changed lines of a patch with context: the added lines, and the line before a removal."""
    if not isinstance(patch, str) or status == "added":
        return WHOLE
    found: list[tuple[int, int]] = []
    at = 0
    for line in patch.encode("utf-8", "surrogatepass").split(b"\n"):
        if (hunk := HUNK.match(line)) is not None:
            at = int(hunk[2])
        elif line.startswith(b"+"):
            found.append((at, at))
            at += 1
        elif line.startswith(b"-"):
            found.append((max(1, at - 1), at))
        elif not line.startswith(b"\\"):
            at += 1
    return tuple(found)
