"""Every reader survives some inputs found by coverage, the same in every run; before a release each gets ten minutes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import needs_module
from fuzz import READERS

SCRIPT = Path(__file__).with_name("fuzz.py")


@pytest.mark.parametrize("reader", sorted(READERS))
def test_any_bytes_give_facts_or_a_reason(tmp_path: Path, reader: str) -> None:
    needs_module("atheris")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), reader, "--inputs", "2000", "--found", str(tmp_path / "found")],
        cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert not list((tmp_path / "found").iterdir())
    executed = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    assert executed is not None
    assert int(executed[1]) >= 2000
