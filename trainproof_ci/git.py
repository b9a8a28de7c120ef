"""Asking git, safely: nothing that a repository configures is run, and names are read as bytes."""

import os

SAFE = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external=", "-c", "core.attributesFile=/dev/null",
    "--no-optional-locks", "--literal-pathspecs",
)  # fmt: skip
SECONDS = 60.0


def in_work_tree(folder: str = ".") -> bool:
    """Whether `folder` or a folder above it holds a `.git`; answered without starting git."""
    here = os.path.abspath(folder)
    while not os.path.lexists(os.path.join(here, ".git")):
        here, last = os.path.dirname(here), here
        if here == last:
            return False
    return True


def git(*arguments: str) -> bytes | None:
    """The standard output of `git ARGUMENTS`, or None where git is missing, refuses or takes too long."""
    import subprocess

    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}
    try:
        run = subprocess.run(  # noqa: S603 - fixed program, no shell
            ["git", *SAFE, *arguments],  # noqa: S607 - the git of the caller's PATH
            capture_output=True, check=False, timeout=SECONDS, env=environment, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    return run.stdout if run.returncode == 0 else None


def listed_files(folder: str) -> list[str] | None:
    """Tracked files and untracked ones that are not ignored below `folder`, relative to the working directory.

    None where git cannot say, or where the folder itself is ignored (named on purpose, it is walked as a plain tree).
    """
    output = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder)
    if output is None or (not output and git("check-ignore", "-q", "--", folder) is not None):
        return None
    return sorted({os.fsdecode(name) for name in output.split(b"\0") if name})
