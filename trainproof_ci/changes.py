"""What a change touched: files and line ranges, from git, else from the pull request's API, else everything."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from trainproof_ci import git

if TYPE_CHECKING:
    from trainproof_ci.adapters.api import Api
    from trainproof_ci.adapters.event import Event

Ranges = tuple[tuple[int, int], ...]
WHOLE: Ranges = ((0, 1 << 62),)
"""Every line: of a new or binary file, or where nobody says which lines."""
MOST_API_FILES = 3000
"""GitHub lists no more files of a pull request than these."""
MOST_COMPARED = 300
"""Files that GitHub lists of a comparison of two commits."""
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Changes(NamedTuple):
    """A selection: `files` maps a path from the working directory to its changed (first, last) line ranges,
    `gone` are paths that were removed or renamed away, `how` says how it was found out.
    """

    files: Mapping[str, Ranges]
    gone: tuple[str, ...]
    how: str
    total: int
    """Changed files anywhere in the repository, removed ones too."""
    tracked: frozenset[str]
    """The files that git tracks: any other was made here, and counts as changed."""

    def lines(self, path: str) -> Ranges:
        """The changed lines of the file at `path`, all of them where git does not track it."""
        return self.files.get(path, ()) if path in self.tracked else WHOLE


def against(reference: str | None, prefix: str) -> Changes | str:
    """What the work tree changed since it left `reference` (default: the remote's main branch, else HEAD).

    `prefix` is the path of the working directory in the repository. Where git cannot say: why not.
    """
    chosen = reference or _upstream()
    commit = _commit(chosen)
    if commit is None:
        return f"git does not know {chosen}"
    base = git.git("merge-base", commit, "HEAD")
    if base is None:
        return f"git finds no common ancestor of {chosen} and HEAD (a shallow clone?)"
    return _between(base.decode().strip(), prefix)


def of_event(event: "Event", prefix: str, api: "Api | None") -> Changes | str:
    """What the event's change touched; the sentence that says why everything is judged where nobody can say."""
    base = _event_base(event)
    found = _between(base, prefix) if base is not None else "the history is not in this clone"
    if not isinstance(found, str) and found.total:
        return found
    asked = _asked(event, prefix, api)
    if not isinstance(asked, str) and asked.total:
        return asked
    by_git = found if isinstance(found, str) else "git finds no changed file"
    return f"{by_git}, and {asked if isinstance(asked, str) else 'GitHub lists no changed file'}"


def _upstream() -> str:
    """The branch that a laptop's change is measured against."""
    head = git.git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    return head.decode().strip() if head else "HEAD"


def _commit(reference: str) -> str | None:
    found = git.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    return found.decode().strip() if found else None


def _event_base(event: "Event") -> str | None:
    """The commit to compare with: the first parent of the merge commit that GitHub checks out, else the merge base."""
    head = git.git("rev-list", "--parents", "-n1", "HEAD")
    commits = head.decode().split() if head else []
    if event.name == "pull_request" and len(commits) == 3:
        return commits[1]
    if event.base is None or not commits or event.base == commits[0]:
        return None
    base = git.git("merge-base", event.base, "HEAD")
    return base.decode().strip() if base else None


def _between(base: str, prefix: str) -> Changes | str:
    listed = git.git("diff", *git.PLAIN_DIFF, "--raw", "-z", "-M", "--abbrev=40", base)
    if listed is None:
        return f"git cannot compare with {base[:12]}"
    entries = list(_raw(listed))
    files: dict[str, Ranges] = {}
    ranges = _changed_lines(base, entries)
    for entry, lines in zip(entries, ranges, strict=True):
        files.setdefault(entry.path, lines)
    gone = [entry.old for entry in entries if entry.old is not None]
    for path in gone:
        files.pop(path, None)
    total = len(files) + sum(entry.status == "D" for entry in entries)
    return _relative(files, gone, prefix, f"git compared the work tree with {base[:12]}", total)


class _Entry(NamedTuple):
    status: str
    path: str
    old: str | None


def _raw(listed: bytes) -> Iterator[_Entry]:
    """The entries of `git diff --raw -z`: `:modes hashes status` NUL path NUL, two paths for a rename."""
    fields = iter(listed.split(b"\0"))
    for head in fields:
        if not head.startswith(b":"):
            continue
        status = head.rsplit(b" ", 1)[-1][:1].decode()
        first = os.fsdecode(next(fields))
        if status == "R":
            yield _Entry(status, os.fsdecode(next(fields)), first)
        elif status == "C":
            yield _Entry(status, os.fsdecode(next(fields)), None)
        else:
            yield _Entry(status, first, first if status == "D" else None)


def _changed_lines(base: str, entries: list[_Entry]) -> list[Ranges]:
    """The changed lines of each entry. Patches come in the order of the raw list, so that no name need be parsed."""
    sections: list[list[tuple[int, int]] | None] = []
    with git.reading("diff", *git.PLAIN_DIFF, "-U0", "-M", base) as lines:
        for line in _outside_hunks(lines, sections):
            if line.startswith(b"diff --git "):
                sections.append([])
            elif line.startswith((b"Binary files ", b"GIT binary", b"new file ")) and sections:
                sections[-1] = None
    wanted = [1 + (entry.status == "T") for entry in entries]  # a file that became a link is two patches
    if sum(wanted) != len(sections):
        return [WHOLE] * len(entries)
    told = iter(sections)
    found: list[Ranges] = []
    for count in wanted:
        section = [next(told) for _ in range(count)][-1]
        found.append(WHOLE if section is None or count > 1 else tuple(section))
    return found


def _outside_hunks(lines: Iterable[bytes], sections: list[list[tuple[int, int]] | None]) -> Iterator[bytes]:
    """The header lines; what a hunk holds is skipped by its own count, so that no content reads as a header."""
    left = 0
    for line in lines:
        if left > 0 and line[:1] in {b"+", b"-"}:
            left -= 1
        elif (hunk := _HUNK.match(line)) is not None:
            removed, first, added = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            left = removed + added
            if sections and (section := sections[-1]) is not None:
                section.append((first, max(first, first + added - 1)))
        else:
            yield line


def _relative(files: Mapping[str, Ranges], gone: Iterable[str], prefix: str, how: str, total: int) -> Changes | str:
    tracked = git.git("ls-files", "-z", "--cached")
    if tracked is None:
        return "git cannot tell the files of the checkout from those made beside them"
    inside = {path[len(prefix) :]: lines for path, lines in files.items() if path.startswith(prefix)}
    removed = tuple(path[len(prefix) :] for path in gone if path.startswith(prefix))
    names = frozenset(os.fsdecode(name) for name in tracked.split(b"\0") if name)
    return Changes(inside, removed, how, total, names)


def _asked(event: "Event", prefix: str, api: "Api | None") -> Changes | str:
    """The same from GitHub's API, page by page; only a list known to be whole counts."""
    from trainproof_ci.adapters.api import ApiTrouble

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


def _pages(api: "Api", where: str, limit: int) -> Iterator[object]:
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
    return _relative(files, gone, prefix, "GitHub's API listed the files of the change", total)


def _patched(patch: object, status: object) -> Ranges:
    """The changed lines of a patch with context: the added lines, and the line before a removal."""
    if not isinstance(patch, str) or status == "added":
        return WHOLE
    found: list[tuple[int, int]] = []
    at = 0
    for line in patch.encode("utf-8", "surrogatepass").split(b"\n"):
        if (hunk := _HUNK.match(line)) is not None:
            at = int(hunk[2])
        elif line.startswith(b"+"):
            found.append((at, at))
            at += 1
        elif line.startswith(b"-"):
            found.append((max(1, at - 1), at))
        elif not line.startswith(b"\\"):
            at += 1
    return tuple(found)
