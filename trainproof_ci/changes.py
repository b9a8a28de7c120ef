"""What a change touched: files and line ranges, as git tells them."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing

from trainproof_ci import git
from trainproof_ci.typed import NamedTuple

Ranges = tuple[tuple[int, int], ...]
WHOLE: Ranges = ((0, 1 << 62),)
"""Every line: of a new or binary file, or where nobody says which lines."""
HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
"""The head of a hunk: how many lines were removed, where the added ones begin and how many they are."""


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
    return between(base.decode().strip(), prefix)


def _upstream() -> str:
    """The branch that a laptop's change is measured against."""
    head = git.git("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    return head.decode().strip() if head else "HEAD"


def _commit(reference: str) -> str | None:
    found = git.git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}")
    return found.decode().strip() if found else None


def between(base: str, prefix: str) -> Changes | str:
    """What the work tree changed since the commit `base`. Where git cannot say: why not."""
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
    return selection(files, gone, prefix, f"git compared the work tree with {base[:12]}", total)


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
    with closing(git.lines("diff", *git.PLAIN_DIFF, "-U0", "-M", base)) as lines:
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
        elif (hunk := HUNK.match(line)) is not None:
            removed, first, added = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            left = removed + added
            if sections and (section := sections[-1]) is not None:
                section.append((first, max(first, first + added - 1)))
        else:
            yield line


def selection(files: Mapping[str, Ranges], gone: Iterable[str], prefix: str, how: str, total: int) -> Changes | str:
    """The selection of paths from the repository's root, those below `prefix` counted from there."""
    tracked = git.git("ls-files", "-z", "--cached")
    if tracked is None:
        return "git cannot tell the files of the checkout from those made beside them"
    inside = {path[len(prefix) :]: lines for path, lines in files.items() if path.startswith(prefix)}
    removed = tuple(path[len(prefix) :] for path in gone if path.startswith(prefix))
    names = frozenset(os.fsdecode(name) for name in tracked.split(b"\0") if name)
    return Changes(inside, removed, how, total, names)
