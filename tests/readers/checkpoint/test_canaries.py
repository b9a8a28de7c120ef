"""Nothing that a checkpoint asks for is run: malicious pickles, audited from inside the interpreter."""

import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

AUDITED = r"""
import json, os, sys
sys.path.insert(0, sys.argv[1])
seen = []
FORBIDDEN = ("pickle.", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "subprocess.", "socket.", "ctypes.", "shutil.", "webbrowser.", "marshal.load ")
HARMFUL = {"pty", "webbrowser", "runpy", "timeit", "pdb", "code", "bdb", "ftplib", "smtplib", "torch", "numpy", "antigravity", "evil"}
def hook(event, arguments):
    if event.startswith(FORBIDDEN) or (event == "import" and arguments[0].split(".")[0] in HARMFUL) or (event == "open" and str(arguments[0]).endswith("/sung")):
        seen.append(event)
    if event in ("exec", "compile") and "/sung" in repr(arguments):
        seen.append(event)
from trainproof_ci import cli, engine, discovery
sys.addaudithook(hook)
code = cli.main(["check", "--jobs", "1", "--format", "json", "--kind", "checkpoint", "--output", "report.json", "--", *sys.argv[2:]])
print(json.dumps({"seen": seen, "code": code}))
"""


class Reduced:
    """Pickles as a call of `function` with `arguments`."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def written(canary: str) -> dict[str, bytes]:
    """Thirteen pickles, each of which writes the canary when it is loaded."""
    import builtins
    import os
    import runpy

    shell, source = f"touch {canary}", f"open({canary!r}, 'w')"
    text = shell.encode()
    proto = b"\x80\x02"
    inner = pickle.dumps(Reduced(os.system, shell), 2)
    return {
        "reduce": pickle.dumps(Reduced(os.system, shell), 2),
        "eval": pickle.dumps(Reduced(builtins.eval, source), 2),
        "exec": pickle.dumps(Reduced(builtins.exec, source), 4),
        "open": pickle.dumps(Reduced(builtins.open, canary, "w"), 2),
        "popen": pickle.dumps(Reduced(subprocess.Popen, ["touch", canary]), 2),
        "run": pickle.dumps(Reduced(runpy.run_path, canary), 2),
        "nested": pickle.dumps(Reduced(pickle.loads, inner), 2),
        "protocol 0": pickle.dumps(Reduced(os.system, shell), 0),
        "instance": b"(S'" + text + b"'\nios\nsystem\n.",
        "object": b"(cos\nsystem\nS'" + text + b"'\no.",
        "stack global": b"\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x8c" + bytes([len(text)]) + text + b"\x85R.",
        "new object": proto + b"cos\nsystem\nX" + len(text).to_bytes(4, "little") + text + b"\x85\x81.",
        "state": proto + b"cevil\nThing\n)\x81}X\x01\x00\x00\x00aX" + len(text).to_bytes(4, "little") + text + b"sb.",
    }


@pytest.mark.parametrize("bare", [False, True])
def test_no_canary_runs(work: Path, bare: bool) -> None:
    pickles = written(str(work / "sung"))
    assert len(pickles) == 13
    (work / "evil.py").write_text(f"open({str(work / 'canary')!r}, 'w')\n")
    for name, data in pickles.items():
        path = work / f"{name.replace(' ', '_')}.pt"
        if bare:
            path.write_bytes(data)
            continue
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("archive/data.pkl", data)
            archive.writestr("archive/version", "3\n")
    names = sorted(path.name for path in work.glob("*.pt"))
    done = subprocess.run([sys.executable, "-c", AUDITED, str(ROOT), *names], capture_output=True, check=True, cwd=work)
    assert json.loads(done.stdout)["seen"] == []
    assert not (work / "sung").exists()
    report = json.loads((work / "report.json").read_text())
    verdicts = {target["path"]: target["verdict"] for target in report["targets"]}
    assert set(verdicts) == set(names)
    assert "PASS" not in verdicts.values(), verdicts


def test_the_canaries_sing_when_they_are_loaded(work: Path) -> None:
    for name in ("reduce", "instance", "object"):
        canary = work / f"{name}-sung"
        pickle.loads(written(str(canary))[name])
        assert canary.exists()
