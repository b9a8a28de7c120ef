"""Shared by all tests: a clean working directory, and the rule that a tool missing in CI is a failure."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("loaded", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded")  # a slow moment of the machine is no finding

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))


class Answer(NamedTuple):
    """What one run of the command said."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def rules(self) -> set[str]:
        return {finding["rule"] for target in self.report["targets"] for finding in target["findings"]}


Command = Callable[..., Answer]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory that is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(work: Path) -> Command:
    """Run `trainproof-ci ARGUMENTS` as a process in the working directory."""

    def run(*arguments: str, environment: Mapping[str, str] | None = None) -> Answer:
        done = subprocess.run(
            [sys.executable, "-I", str(ROOT / "trainproof_ci" / "__main__.py"), *arguments],
            cwd=work, capture_output=True, check=False, env={**os.environ, **(environment or {})}, timeout=120,
        )  # fmt: skip
        return Answer(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8", "replace"))

    return run


def needs(name: str, *, available: bool) -> None:
    """Skip a test whose tool is not on this machine; in CI that is a failure."""
    if not available:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is missing; in CI every tool must be there")
        pytest.skip(f"{name} is not installed here")


def needs_program(name: str) -> str:
    """The path of a program that the test needs: beside this Python, or on the PATH."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    needs(name, available=found is not None)
    assert found is not None
    return found


def needs_module(name: str) -> Any:
    """The imported module that the test needs."""
    try:
        return __import__(name, fromlist=["_"])
    except ImportError:
        needs(name, available=False)
        raise
