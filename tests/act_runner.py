"""Run a workflow under the real runner `act`, in host mode, with a loopback API and stand-ins for nested actions."""

import atexit
import json
import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import outside

ACTION = "trainproof-ci/trainproof-ci@v0.1.0"
UPLOAD = "github/codeql-action@8aad20d150bbac5944a9f9d289da16a4b0d87c1e"
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1"
HEAD = "1" * 40
STAND_INS = {
    "github/codeql-action@8aad20d150bbac5944a9f9d289da16a4b0d87c1e": "upload-sarif/action.yml",
    "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f": "action.yml",
    "actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093": "action.yml",
}
COPY = """\
name: stand-in
inputs: {sarif_file: {}, category: {}, path: {}, name: {}, pattern: {}, merge-multiple: {}, if-no-files-found: {}}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        FROM: ${{ inputs.sarif_file }}${{ inputs.path }}
        NAME: ${{ inputs.name }}
        PATTERN: ${{ inputs.pattern }}
      run: |
        if [ -n "$PATTERN" ]; then mkdir -p "$FROM" && cp -r "$STAND_IN"/. "$FROM"/; exit; fi
        mkdir -p "$STAND_IN/$NAME" && cp -r "$FROM" "$STAND_IN/$NAME/"
"""


class Ran(NamedTuple):
    """What a workflow run did."""

    code: int
    entries: list[dict[str, Any]]
    kept: Path
    """What nested actions were handed."""

    @property
    def log(self) -> str:
        return "\n".join(str(entry.get("msg", "")) for entry in self.entries)

    @property
    def commands(self) -> list[str]:
        """The annotation commands, as they were printed."""
        return re.findall(
            r"(?m)^\s*(::(?:error|warning|notice) .*)$", "\n".join(str(e.get("raw", "")) for e in self.entries)
        ) or [str(e["raw"]).strip() for e in self.entries if e.get("command") in {"error", "warning", "notice"}]

    @property
    def summary(self) -> str:
        return "\n".join(str(e.get("content", "")) for e in self.entries if e.get("command") == "summary")

    def job(self, name: str) -> str:
        """`success` or `failure` of one job."""
        results = [e["jobResult"] for e in self.entries if "jobResult" in e and name in str(e.get("job", ""))]
        return str(results[-1]) if results else "none"


def repository(folder: Path, files: dict[str, bytes | str]) -> Path:
    """A git repository of one commit that holds `files`."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A", "-f")
    git(folder, "commit", "-q", "-m", "all")
    return folder


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", *arguments],
        cwd=folder, check=True, capture_output=True, text=True, env=outside.clean_environment(),
    )  # fmt: skip
    return done.stdout.strip()


def workflow(steps: str, on: str = "pull_request") -> str:
    """A workflow of one job whose steps, after the checkout, are `steps`."""
    body = "\n".join("      " + line for line in steps.strip("\n").split("\n"))
    return f"""\
name: w
on: {on}
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: {CHECKOUT}
{body}
"""


def run(
    repo: Path,
    api: str,
    *,
    scratch: Path,
    event: str = "pull_request",
    payload: dict[str, Any] | None = None,
    file: str = ".github/workflows/w.yml",
) -> Ran:
    """Run the workflow `file` of `repo` for `event`; the API is at `api`."""
    act = outside.program("act")
    scratch.mkdir(parents=True, exist_ok=True)
    kept = scratch / "kept"
    kept.mkdir(exist_ok=True)
    stand_in = scratch / "stand-in"
    locals_: list[str] = ["--local-repository", f"{ACTION}={action_alone()}"]
    for name, path in STAND_INS.items():
        home = stand_in / name.split("@")[0].replace("/", "-")
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(COPY)
        locals_ += ["--local-repository", f"{name}={home}"]
    told = scratch / "event.json"
    told.write_text(json.dumps(payload if payload is not None else pull_request()))
    done = subprocess.run(
        [
            act, event, "-W", file, "-e", str(told), "-P", "ubuntu-latest=-self-hosted", "--env", f"GITHUB_API_URL={api}",
            "--env", "GITHUB_REPOSITORY=o/r", "--env", f"STAND_IN={kept}", "-s", "GITHUB_TOKEN=dummy-token-of-a-test",
            *locals_, "--no-cache-server", "--json", "--action-cache-path", str(scratch / "cache"),
        ],
        cwd=repo, capture_output=True, check=False, timeout=300,
        env=outside.clean_environment(HOME=str(scratch), XDG_CACHE_HOME=str(scratch / "xdg"), **pip_settings()),
    )  # fmt: skip
    entries = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")]
    entries += [{"msg": line} for line in done.stderr.decode("utf-8", "replace").splitlines()]
    return Ran(done.returncode, entries, kept)


@lru_cache(maxsize=1)
def action_alone() -> Path:
    """What the Action runs, without the evidence beside it: the runner copies all of it every time."""
    home = Path(tempfile.mkdtemp(prefix="trainproof-action-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    shutil.copy(outside.ROOT / "action.yml", home / "action.yml")
    shutil.copytree(outside.ROOT / "trainproof_ci", home / "trainproof_ci")
    return home


def pip_settings() -> dict[str, str]:
    """What pip of the machine needs to reach its index although HOME is another."""
    home = Path(os.path.expanduser("~"))
    file = home / ".config" / "pip" / "pip.conf"
    return {"PIP_CONFIG_FILE": str(file)} if file.exists() and "PIP_CONFIG_FILE" not in os.environ else {}


def pull_request(**more: Any) -> dict[str, Any]:
    return {"number": 7, "pull_request": {"number": 7, "head": {"sha": HEAD}, "base": {"sha": "2" * 40}}, **more}
