"""What docs/guardian.md says, held against the code."""

import re
import signal
from pathlib import Path

import pytest
from conftest import ROOT

from trainproof_ci.guardian import command, firmness, sessions
from trainproof_ci.rules.guardian.stall import log_stalled

TEXT = (ROOT / "docs" / "guardian.md").read_text(encoding="utf-8")


def test_the_loop_runs_as_it_stands(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (loop,) = re.findall(r"```python\n(from trainproof_ci\.guardian\.inside.*?)```", TEXT, re.DOTALL)
    exec(compile(loop, "docs/guardian.md", "exec"), {})
    assert capsys.readouterr().out.endswith("PASS\n")
    assert (work / "out" / "trainproof" / "report.json").exists()


def test_numbers_are_those_of_the_code() -> None:
    first, second = sessions.GRACE
    assert f"after {first:.0f} seconds\nSIGTERM, after {second:.0f} more SIGKILL" in TEXT
    assert firmness.HOLDS_FOR == 5, "the page says five points"
    assert "held over five points" in TEXT
    assert f"written for {log_stalled.limits['seconds'] / 60:.0f} minutes" in TEXT
    assert f"{command.MOST_KEPT >> 20} MiB of the console" in TEXT
    assert f"its own; {sessions.COMMAND_FAILED} where" in TEXT
    assert f"{command.NOT_FOUND} not found, {command.NOT_EXECUTABLE} not executable" in TEXT


def test_every_signal_that_is_passed_on_is_named() -> None:
    assert all(signal.Signals(number).name in TEXT for number in sessions.PASSED_ON)
