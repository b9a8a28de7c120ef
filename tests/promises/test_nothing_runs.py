"""What a checkout holds is never executed: no import, no pickle, no program but git, and git runs nothing of it."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import outside
from act_runner import git, repository

WATCHED = """
import json, os, sys
log = open({log!r}, "a")
root = os.path.realpath({root!r})
def hook(event, args):
    if event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "pickle.find_class", "ctypes.dlopen", "socket.connect"):
        print(event, args[:1], file=log, flush=True)
    elif event == "subprocess.Popen" and os.path.basename(str(args[0])) != "git":
        print(event, args[0], file=log, flush=True)
    elif event == "import" and args[1] and os.path.realpath(str(args[1])).startswith(root):
        print(event, args[1], file=log, flush=True)
    elif event == "exec" and not getattr(args[0], "co_filename", "<").startswith("<") and os.path.realpath(getattr(args[0], "co_filename", "")).startswith(root):
        print(event, args[0].co_filename, file=log, flush=True)
sys.addaudithook(hook)
sys.path.insert(0, {package!r})
sys.argv = ["trainproof-ci", *{arguments!r}]
from trainproof_ci.cli import main
sys.exit(main())
"""


class Evil:
    def __init__(self, canary: str) -> None:
        self.canary = canary

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.canary}",)


def test_a_hostile_checkout(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    planted = f"open({str(canary)!r}, 'w').close()\n"
    names = (
        "json",
        "yaml",
        "re",
        "enum",
        "sitecustomize",
        "usercustomize",
        "encodings",
        "conftest",
        "zipfile",
        "trainproof_ci",
    )
    rows = "".join(json.dumps({"prompt": f"q {i}", "completion": f"a {i}"}) + "\n" for i in range(20))
    repo = repository(tmp_path / "repo", {
        **{f"{name}.py": planted for name in names},
        "train.jsonl": rows,
        "model.pt": pickle.dumps(Evil(str(canary))),
        "model.bin": pickle.dumps(Evil(str(canary)), protocol=0),
        "data.jsonl": f"$(touch {canary})\n`touch {canary}`\n",
        ".gitattributes": "*.jsonl diff=evil filter=evil\n",
        "tokenizer_config.json": json.dumps({"auto_map": {"AutoTokenizer": ["yaml.Evil", None]}, "eos_token": "</s>"}),
    })  # fmt: skip
    git(repo, "config", "diff.evil.textconv", f"touch {canary};cat")
    git(repo, "config", "core.fsmonitor", f"touch {canary}")
    git(repo, "config", "core.pager", f"touch {canary}")
    (repo / ".git/hooks/post-index-change").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (repo / ".git/hooks/post-index-change").chmod(0o755)
    (repo / "train.jsonl").write_text(rows + rows[:5])
    (repo / ".trainproof.yml").write_text("version: 1\n")
    log = tmp_path / "log"
    log.touch()
    for arguments in (["check", "--format", "json"], ["check", "--changed", "HEAD"]):
        script = WATCHED.format(log=str(log), root=str(repo), package=str(outside.ROOT), arguments=arguments)
        done = subprocess.run(
            [sys.executable, "-I", "-c", script],
            cwd=repo,
            capture_output=True,
            check=False,
            env=outside.clean_environment(),
        )
        assert done.returncode in {1, 2}, done.stderr.decode()
    assert log.read_text() == ""
    assert not canary.exists()
