"""The hooks: the examples through each hook's own entry, and real `pre-commit` on a repository with the same faults."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import outside
import pytest
import yaml
from act_runner import git, repository

HOOKS = outside.ROOT / "hooks"
MANIFEST: list[dict[str, Any]] = yaml.safe_load((outside.ROOT / ".pre-commit-hooks.yaml").read_text())
IDS = [hook["id"] for hook in MANIFEST]


def entry(hook: dict[str, Any], folder: Path, files: list[str]) -> subprocess.CompletedProcess[bytes]:
    """Run the manifest's entry as pre-commit would, with this interpreter's console script."""
    words = shlex.split(hook["entry"])
    assert words[0] == "trainproof-ci"
    command = [sys.executable, "-I", str(outside.ROOT / "trainproof_ci/__main__.py"), *words[1:]]
    handed = files if hook.get("pass_filenames", True) else []
    return subprocess.run(
        [*command, *handed], cwd=folder, capture_output=True, check=False, env=outside.clean_environment(PRE_COMMIT="1")
    )


@pytest.mark.parametrize("hook", MANIFEST, ids=IDS)
def test_passing_examples(hook: dict[str, Any]) -> None:
    folder = HOOKS / hook["id"] / "pass"
    done = entry(hook, folder, sorted(os.listdir(folder)))
    assert done.returncode == 0, done.stdout.decode()


@pytest.mark.parametrize("hook", MANIFEST, ids=IDS)
def test_failing_examples(hook: dict[str, Any]) -> None:
    folder = HOOKS / hook["id"]
    done = entry(hook, folder / "fail", sorted(os.listdir(folder / "fail")))
    assert done.returncode == 1
    lines = done.stdout.decode().splitlines()
    for expected in (folder / "expected.txt").read_text().splitlines():
        place, severity, rule = expected.removeprefix("fail/").split(" ")
        assert any(line.startswith(place) and f" {severity} {rule}:" in line for line in lines), (expected, lines)
    named = {line.split(":")[0] for line in (folder / "expected.txt").read_text().splitlines()}
    assert named == {f"fail/{name}" for name in os.listdir(folder / "fail")}


def test_the_readme_has_a_section_per_hook() -> None:
    sections = [line[3:] for line in (HOOKS / "README.md").read_text().splitlines() if line.startswith("## ")]
    assert sections == [*IDS, "pre-commit"]


def test_the_manifest_is_valid() -> None:
    program = outside.program("pre-commit")
    subprocess.run([program, "validate-manifest", str(outside.ROOT / ".pre-commit-hooks.yaml")], check=True)


def try_repo(repo: Path, hook: str, scratch: Path) -> subprocess.CompletedProcess[str]:
    source = scratch / "source"
    if not source.exists():
        source.mkdir(parents=True)
        for name in subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", "trainproof_ci", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"],
            cwd=outside.ROOT, capture_output=True, check=True, text=True,
        ).stdout.split("\0"):  # fmt: skip
            if name and (outside.ROOT / name).exists():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_bytes((outside.ROOT / name).read_bytes())
        repository(source, {})
    return subprocess.run(
        [outside.program("pre-commit"), "try-repo", str(source), hook, "--all-files", "-v"],
        cwd=repo, capture_output=True, check=False, text=True, encoding="utf-8",
        env=outside.clean_environment(PRE_COMMIT_HOME=str(scratch / "home"), GIT_CONFIG_COUNT="2", GIT_CONFIG_KEY_0="user.name", GIT_CONFIG_VALUE_0="a", GIT_CONFIG_KEY_1="user.email", GIT_CONFIG_VALUE_1="a@example.org"),
    )  # fmt: skip


def test_pre_commit_blocks_with_file_and_line(tmp_path: Path) -> None:
    files = {f"data/{p.name}": p.read_bytes() for p in (HOOKS / "trainproof-datasets/fail").iterdir()}
    repo = repository(tmp_path / "repo", {**files, "package.csv": "name\nx\n"})
    done = try_repo(repo, "trainproof-datasets", tmp_path / "scratch")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "data/nan.jsonl:2" in done.stdout
    assert "data/utf16.jsonl:1: FAIL TP-ENC-UTF16" in done.stdout  # the type filter let it through
    only = repository(tmp_path / "pointer", {"data/pointer.jsonl": files["data/pointer.jsonl"]})
    done = try_repo(only, "trainproof-datasets", tmp_path / "scratch")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "- exit code: 2" in done.stdout
    assert "args: [--not-checked, pass]" in done.stdout
    clean = repository(
        tmp_path / "clean", {"data/a.jsonl": (HOOKS / "trainproof-datasets/pass/chat.jsonl").read_bytes()}
    )
    done = try_repo(clean, "trainproof", tmp_path / "scratch")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_native_hook_blocks(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", {"README": "x"})
    binaries = tmp_path / "bin"
    binaries.mkdir()
    script = binaries / "trainproof-ci"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{outside.ROOT}/trainproof_ci/__main__.py" "$@"\n')
    script.chmod(0o755)
    (repo / ".git/hooks").mkdir(exist_ok=True)
    (repo / ".git/hooks/pre-commit").write_bytes((HOOKS / "pre-commit").read_bytes())
    (repo / ".git/hooks/pre-commit").chmod(0o755)
    (repo / "-bad name.jsonl").write_bytes((HOOKS / "trainproof-datasets/fail/nan.jsonl").read_bytes())
    git(repo, "add", "-A")
    environment = outside.clean_environment(PATH=f"{binaries}:{os.environ['PATH']}")
    commit = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "x"]
    done = subprocess.run(commit, cwd=repo, capture_output=True, check=False, text=True, env=environment)
    assert done.returncode != 0
    assert "-bad name.jsonl:2" in done.stdout + done.stderr
    (repo / "-bad name.jsonl").write_bytes((HOOKS / "trainproof-datasets/pass/chat.jsonl").read_bytes())
    git(repo, "add", "-A")
    assert subprocess.run(commit, cwd=repo, capture_output=True, check=False, env=environment).returncode == 0
