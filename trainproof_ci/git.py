"""Asking git, safely: nothing that a repository configures is run, and names are read as bytes."""

import os
from collections.abc import Generator, Iterator

from trainproof_ci.typed import IO

SAFE = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external=", "-c", "core.attributesFile=/dev/null",
    "--no-optional-locks",
)  # fmt: skip
PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--ignore-submodules=none")
"""A comparison that runs no program of the configuration or of `.gitattributes`."""
SECONDS = 60.0
LONGEST_PIECE = 1 << 16


def in_work_tree(folder: str = ".") -> bool:
    """Whether `folder` or a folder above it holds a `.git`; answered without starting git."""
    return _top(folder) is not None


def repository_prefix(folder: str = ".") -> str:
    """The path of `folder` from the root of the repository that holds it, with a final `/`; empty at the root."""
    top = _top(folder)
    below = os.path.relpath(os.path.realpath(folder), top).replace(os.sep, "/") if top is not None else "."
    return "" if below == "." else f"{below}/"


def _top(folder: str = ".") -> str | None:
    here = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(here, ".git")):
        here, last = os.path.dirname(here), here
        if here == last:
            return None
    return here


def _environment() -> dict[str, str]:
    return {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}


def git(*arguments: str) -> bytes | None:
    """The standard output of `git ARGUMENTS`, or None where git is missing, refuses or takes too long."""
    import subprocess

    environment = _environment()
    try:
        run = subprocess.run(  # noqa: S603 - fixed program, no shell
            ["git", *SAFE, *arguments],  # noqa: S607 - the git of the caller's PATH
            capture_output=True, check=False, timeout=SECONDS, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout if run.returncode == 0 else None


def lines(*arguments: str) -> Generator[bytes, None, None]:
    """The lines of `git ARGUMENTS` while it runs, the first 64 KiB of each; none where git is missing. Close them to end it."""
    import subprocess

    try:
        run = subprocess.Popen(  # noqa: S603 - fixed program, no shell
            ["git", *SAFE, *arguments],  # noqa: S607 - the git of the caller's PATH
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=_environment(),
        )  # fmt: skip
    except OSError:
        return
    with run:
        assert run.stdout is not None
        try:
            yield from _beginnings(run.stdout)
        finally:
            run.kill()


def _beginnings(stream: "IO[bytes]") -> Iterator[bytes]:
    whole = True
    while piece := stream.readline(LONGEST_PIECE):
        if whole:
            yield piece
        whole = piece.endswith(b"\n")


def show(commit: str, path: str) -> bytes | None:
    """The bytes of `path` (from the repository's root) at `commit`; empty where the commit has no such file.

    None where git does not have the commit.
    """
    if git("cat-file", "-e", f"{commit}^{{commit}}") is None:
        return None
    return git("cat-file", "blob", f"{commit}:{path}") or b""


def listed_files(folder: str) -> list[str] | None:
    """Tracked files and untracked ones that are not ignored below `folder`, relative to the working directory.

    None where git cannot say, or where the folder itself is ignored (named on purpose, it is walked as a plain tree).
    """
    output = git("--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder)
    if output is None or (not output and git("check-ignore", "-q", "--", f"./{folder}") is not None):
        return None
    return sorted({os.fsdecode(name) for name in output.split(b"\0") if name and os.path.lexists(name)})


def tracked_files(folder: str) -> frozenset[str]:
    """The tracked files below `folder`, relative to the working directory; none where git cannot say."""
    output = git("--literal-pathspecs", "ls-files", "-z", "--cached", "--", folder) or b""
    return frozenset(os.fsdecode(name) for name in output.split(b"\0") if name)


def missing_submodules() -> list[str]:
    """The submodules below the working directory whose files are not here; git is asked only where there are any."""
    top = _top()
    if top is None or not os.path.lexists(os.path.join(top, ".gitmodules")):
        return []
    entries = (git("ls-files", "--stage", "-z") or b"").split(b"\0")
    links = (os.fsdecode(entry.split(b"\t", 1)[1]) for entry in entries if entry.startswith(b"160000 "))
    return sorted({path for path in links if not os.path.isdir(path) or not os.listdir(path)})
