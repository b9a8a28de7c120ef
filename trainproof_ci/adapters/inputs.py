"""The inputs of the Action: strings from the environment, each held against what it may be."""

import os
from collections.abc import Mapping

from trainproof_ci.errors import UsageError
from trainproof_ci.typed import NamedTuple

CHOICES: Mapping[str, tuple[str, ...]] = {
    "changed-only": ("auto", "true", "false"),
    "fail-on": ("fail", "warn", "changed", "never"),
    "not-checked": ("neutral", "fail", "pass"),
    "check-run": ("auto", "always", "never"),
    "upload-sarif": ("false", "true"),
    "annotations": ("true", "false"),
    "summary": ("true", "false"),
}
"""The words of each input, the default first."""
FREE = ("paths", "config", "check-name", "token", "sarif-file", "working-directory", "shard", "merge", "baseline")


class Inputs(NamedTuple):
    """What the workflow asked for."""

    paths: tuple[str, ...]
    config: str
    changed_only: str
    fail_on: str
    not_checked: str
    check_run: str
    check_name: str
    token: str
    sarif_file: str
    upload_sarif: bool
    annotations: bool
    summary: bool
    working_directory: str
    shard: str
    merge: str
    baseline: str


def variable(name: str) -> str:
    """The environment variable that carries the input `name`."""
    return "TRAINPROOF_" + name.upper().replace("-", "_")


def inputs(environment: Mapping[str, str]) -> Inputs:
    """The inputs; an empty one means its default. Raises `UsageError` for a word that an input does not know."""
    given = {name: environment.get(variable(name), "").strip("\r\n") for name in (*CHOICES, *FREE)}
    for name, words in CHOICES.items():
        given[name] = given[name].strip() or words[0]
        if given[name] not in words:
            raise UsageError(f"the input {name} takes {', '.join(words)}")
    paths = tuple(line.strip(" \t\r") for line in given["paths"].split("\n") if line.strip(" \t\r"))
    return Inputs(
        paths=paths or (".",),
        config=given["config"],
        changed_only=given["changed-only"],
        fail_on=given["fail-on"],
        not_checked=given["not-checked"],
        check_run=given["check-run"],
        check_name=given["check-name"].strip(),
        token=given["token"].strip(),
        sarif_file=given["sarif-file"],
        upload_sarif=given["upload-sarif"] == "true",
        annotations=given["annotations"] == "true",
        summary=given["summary"] == "true",
        working_directory=given["working-directory"].strip() or ".",
        shard=given["shard"].strip(),
        merge=given["merge"].strip(),
        baseline=_baseline(given),
    )


def _baseline(given: Mapping[str, str]) -> str:
    baseline = given["baseline"].strip()
    if baseline and (given["shard"].strip() or given["merge"].strip()):
        raise UsageError("the input baseline does not go with shard and merge: a comparison needs all runs in one job")
    return baseline


def inside(path: str, *roots: str) -> str:
    """`path`, if its links followed it lies in one of `roots` and not in a `.git`. Raises `UsageError`."""
    real = os.path.realpath(path)
    for root in (os.path.realpath(root) for root in roots if root):
        below = os.path.relpath(real, root) if os.path.splitdrive(real)[0] == os.path.splitdrive(root)[0] else ".."
        parts = below.split(os.sep)
        if parts[0] != ".." and ".git" not in parts:
            return path
    raise UsageError("a path of the inputs leads out of the workspace")
