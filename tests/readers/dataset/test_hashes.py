"""Hashes that stand in arrays twice: the same are found in one set, in parts and by numpy."""

import json
from array import array
from collections import Counter
from pathlib import Path

import pytest
from conftest import needs_module
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.cli import main
from trainproof_ci.readers.dataset import hashes

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
    monkeypatch.setitem(__import__("sys").modules, "numpy", None)
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
