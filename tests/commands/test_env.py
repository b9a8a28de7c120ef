"""The machine and the entry point: how an import ends is told apart, and what cannot be measured is no pass.

Shows TP-ENV-IMPORT-FAIL, TP-ENV-IMPORT-CRASH, TP-ENV-IMPORT-TIMEOUT, TP-ENV-IMPORT-EXITED, TP-ENV-MEM, TP-ENV-DISK,
TP-ENV-STRUCTURE and TP-ENV-UNKNOWN.
"""

import argparse
import os
import sys
from pathlib import Path

import pytest
from checkpoint_files import checkpoint, safetensors
from conftest import Command

from trainproof_ci.commands.env import amount
from trainproof_ci.readers import environment
from trainproof_ci.readers.environment import machine
from trainproof_ci.readers.environment.probe import Outcome, probe

ENDINGS = {
    "fine": ("import json\n", None, None),
    "missing module": ("import json\nimport no_such_module_here\n", "TP-ENV-IMPORT-FAIL", 2),
    "error of several lines": ('x = 1\nraise ValueError("one\\ntwo\\nthree")\n', "TP-ENV-IMPORT-FAIL", 2),
    "no Python": ("x = 1\ndef f(:\n", "TP-ENV-IMPORT-FAIL", 2),
    "interrupt": ("raise KeyboardInterrupt\n", "TP-ENV-IMPORT-FAIL", 1),
    "exit": ("import sys\nsys.exit(3)\n", "TP-ENV-IMPORT-EXITED", 1),
    "exit without a word": ("import os\nos._exit(0)\n", "TP-ENV-IMPORT-EXITED", 1),
    "crash": ("import os\nos.abort()\n", "TP-ENV-IMPORT-CRASH", 1),
    "guarded": ('if __name__ == "__main__":\n    raise ValueError\n', None, None),
    "talks": ('import sys\nprint("x" * 1000000)\nprint("y" * 1000000, file=sys.stderr)\n', None, None),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_end_of_an_import_is_told_apart(work: Path, command: Command, ending: str) -> None:
    source, rule, line = ENDINGS[ending]
    (work / "train.py").write_text(source)
    answer = command("env", "--import", "train.py", "--python", sys.executable, "--format", "json")
    assert answer.rules == ({rule} if rule else set())
    assert answer.code == (1 if rule else 0)
    if rule:
        assert answer.report["targets"][0]["findings"][0]["locations"][0]["line"] == line
        assert "three" not in answer.out


def test_an_import_that_hangs_is_ended(work: Path) -> None:
    (work / "train.py").write_text("import threading\nthreading.Event().wait()\n")
    assert probe("train.py", 1.0, sys.executable).how == "hung"


def test_siblings_are_importable_as_they_are_when_the_file_is_run(work: Path) -> None:
    (work / "code").mkdir()
    (work / "code" / "train.py").write_text("import beside\n")
    (work / "code" / "beside.py").write_text("")
    assert probe("code/train.py", 60, sys.executable).how == "imported"


@pytest.mark.parametrize("event", ["pull_request_target", "workflow_run"])
def test_nothing_is_imported_with_the_rights_of_the_base(work: Path, command: Command, event: str) -> None:
    (work / "train.py").write_text('open("canary", "w").close()\n')
    answer = command("env", "--import", "train.py", "--format", "json", environment={"GITHUB_EVENT_NAME": event})
    assert answer.code == 2
    assert answer.rules == {"TP-ENV-UNKNOWN"}
    assert not (work / "canary").exists()


def test_a_file_or_an_interpreter_that_is_not_there(work: Path) -> None:
    (work / "train.py").write_text("")
    assert probe("gone.py", 5, None) == Outcome("gone.py", "missing")
    assert probe("train.py", 5, str(work / "no-python")).how == "missing"


def test_memory_and_disk_against_what_is_declared(work: Path, command: Command) -> None:
    del work
    short = command("env", "--memory", "1PiB", "--disk", "100PiB", "--format", "json")
    assert short.code == 1
    assert short.rules == {"TP-ENV-MEM", "TP-ENV-DISK"}
    assert command("env", "--memory", "1MiB", "--disk", "1KiB").code == 0


def test_what_cannot_be_measured_survives_a_pass_elsewhere(
    work: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    from trainproof_ci.cli import main

    del work
    monkeypatch.setattr(environment, "memory", lambda: None)
    assert main(["env", "--memory", "1MiB", "--disk", "1KiB"]) == 2
    assert b"TP-ENV-UNKNOWN" in capfdbinary.readouterr().out


def test_a_checkpoint_is_judged_with_the_machine(work: Path, command: Command) -> None:
    (work / "cut.pt").write_bytes(checkpoint(keep=0.5))
    answer = command("env", "--checkpoint", "cut.pt", "--memory", "1MiB", "--format", "json")
    assert answer.code == 1
    assert answer.rules == {"TP-CKPT-TRUNCATED"}
    gone = command("env", "--checkpoint", "gone.pt", "--format", "json")
    assert (gone.code, gone.rules) == (1, {"TP-CKPT-MISSING"})


def test_whether_a_checkpoint_fits_a_model(work: Path, command: Command) -> None:
    (work / "a.pt").write_bytes(checkpoint({"module.w": {"shape": [4, 4]}}))
    (work / "same.safetensors").write_bytes(safetensors({"w": {"shape": [4, 4]}}))
    (work / "wider.safetensors").write_bytes(safetensors({"w": {"shape": [4, 5]}, "b": {"shape": [5]}}))
    assert command("env", "--checkpoint", "a.pt", "--into", "same.safetensors").code == 0
    other = command("env", "--checkpoint", "a.pt", "--into", "wider.safetensors", "--format", "json")
    assert (other.code, other.rules) == (1, {"TP-ENV-STRUCTURE"})
    (work / "none.pt").write_bytes(checkpoint({}))
    assert command("env", "--checkpoint", "a.pt", "--into", "none.pt", "--format", "json").rules == {"TP-ENV-UNKNOWN"}


def test_sizes() -> None:
    assert amount("16GiB") == 16 << 30
    assert amount("1.5 GB") == 1_500_000_000
    assert amount("1024") == 1024
    for wrong in ("", "GiB", "1XB", "-1GB", "1e9"):
        with pytest.raises(argparse.ArgumentTypeError):
            amount(wrong)


def test_a_declaration_of_nothing_is_a_usage_error(command: Command) -> None:
    assert command("env").code == 64
    assert command("env", "--into", "x.pt", "--memory", "1GiB").code == 64


def test_the_machine_says_what_it_has() -> None:
    found = machine.memory()
    if os.name == "posix":
        assert found is not None
        assert found.available > 1 << 20
    assert machine.free_disk(".")
    assert machine.free_disk("/no/such/folder") is None
