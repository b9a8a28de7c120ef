"""Which files there are below a folder: those git knows of where there is a repository, else all but what tools put there."""

import os
from collections.abc import Iterable

from trainproof_ci import git

NEVER_WALKED = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache",
    }
)  # fmt: skip
"""Folders of environments, packages and caches."""


def walk(folder: str) -> list[str]:
    """Every file below `folder`, `/`-separated and relative to the working directory: git's list where there is one."""
    if git.in_work_tree(folder):
        listed = git.listed_files(folder)
        if listed is not None:
            return sorted(
                name
                for entry in _ours(listed, folder)
                for name in (_plain(entry) if _is_folder(entry) else (entry,))  # of a submodule git names the folder
            )
    return _plain(folder)


def _ours(listed: list[str], folder: str) -> Iterable[str]:
    """The files that are no environment, packages or caches: of those git tracks all, and of a folder that was named."""
    above = 0 if folder == "." else folder.count("/") + 1
    aside = frozenset(name for name in listed if not NEVER_WALKED.isdisjoint(name.split("/")[above:]))
    aside -= git.tracked_files(folder) if aside else aside
    return (name for name in listed if name not in aside)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _plain(folder: str) -> list[str]:
    """Every file below `folder`, without asking git."""
    found = []
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in NEVER_WALKED)
        found += [os.path.normpath(os.path.join(top, name)).replace(os.sep, "/") for name in names]
        found += [
            os.path.normpath(os.path.join(top, name)).replace(os.sep, "/")
            for name in folders
            if os.path.islink(os.path.join(top, name))
        ]
    return sorted(found)
