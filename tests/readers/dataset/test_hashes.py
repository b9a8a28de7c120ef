"""Hashes that stand in arrays twice: the same are found in one set, in parts and by numpy."""

import json
import subprocess
import sys
from array import array
from collections import Counter
from pathlib import Path

import pytest
from conftest import needs_module
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.cli import main
from trainproof_ci.readers.dataset import hashes

ROOT = Path(__file__).parents[3]
VALUE = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-20, 20)
WAYS = ("few", "parted", "sorted")


def way(monkeypatch: pytest.MonkeyPatch, name: str, at_a_time: int = 1 << 22) -> None:
    """Find repeated hashes in this way, whatever is installed and however few there are."""
    if name == "sorted":
        needs_module("numpy")
    monkeypatch.setattr(hashes, "FEW", -1 if name != "few" else 1 << 62)
    monkeypatch.setattr(hashes, "WORTH_NUMPY", 0 if name == "sorted" else 1 << 62)
    monkeypatch.setattr(hashes, "MOST_PARTED", at_a_time)
    monkeypatch.setattr(hashes, "PIECE", 7)


@pytest.mark.parametrize("name", WAYS)
@given(values=st.lists(st.lists(VALUE, max_size=40), min_size=1, max_size=4), at_a_time=st.integers(1, 50))
def test_what_stands_twice_is_found_in_every_way(name: str, values: list[list[int]], at_a_time: int) -> None:
    counted = Counter(value for part in values for value in part)
    with pytest.MonkeyPatch.context() as monkeypatch:
        way(monkeypatch, name, at_a_time)
        found = hashes.repeated_in([array("q", part) for part in values])
    assert found == {value for value, times in counted.items() if times > 1}


def test_numpy_is_not_loaded_for_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashes, "_numpy", lambda: pytest.fail("loaded"))
    assert hashes.repeated_in([array("q", [*range(hashes.FEW), 3])]) == {3}


def test_without_numpy_they_are_parted(monkeypatch: pytest.MonkeyPatch) -> None:
    way(monkeypatch, "parted")
    monkeypatch.setattr(hashes, "WORTH_NUMPY", 0)
    monkeypatch.setitem(sys.modules, "numpy", None)
    assert hashes.repeated_in([array("q", [5, -5, 5]), array("q", [-5, 6])]) == {5, -5}


def test_a_report_does_not_depend_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [{"prompt": f"Name town {row % 90}.", "completion": f"Town {row % 89}."} for row in range(300)]
    Path("train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*rows, *rows[:7]]))
    reports = set()
    for name in WAYS:
        with monkeypatch.context() as patch:
            way(patch, name, 64)
            main(["check", "train.jsonl", "--format", "json", "--output", f"{name}.json", "--jobs", "1"])
        reports.add(Path(f"{name}.json").read_bytes())
    assert len(reports) == 1
    assert b"TP-DUP" in reports.pop()


def test_numpy_is_not_loaded_where_memory_is_limited(tmp_path: Path) -> None:
    """Its linear algebra would end the process, with an exit code that reads as a verdict."""
    needs_module("numpy")
    script = (
        "import resource, sys; sys.path.insert(0, sys.argv[1]); from trainproof_ci.readers.dataset import hashes; "
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31)); assert hashes._numpy() is None"
    )
    subprocess.run([sys.executable, "-c", script, str(ROOT)], cwd=tmp_path, check=True)


def test_numpy_starts_no_thread(tmp_path: Path) -> None:
    needs_module("numpy")
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from trainproof_ci.readers.dataset import hashes; "
        "assert hashes._numpy() is not None; print(len(os.listdir('/proc/self/task')), os.environ.get(hashes.THREADS))"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, str(ROOT)], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert told.stdout.split() == ["1", "None"]
