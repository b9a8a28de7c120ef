"""Held against safetensors itself: what it refuses is FAIL or NOT-CHECKED, what it loads is none."""

import json
import struct
import time
from pathlib import Path
from typing import Any

import pytest
from checkpoint_files import safetensors
from conftest import needs_module
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainproof_ci.readers.checkpoint.files import read_file

GOOD = {
    "w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    "v": {"dtype": "F16", "shape": [], "data_offsets": [8, 10]},
}


def file_of(header: Any, body: bytes = bytes(10)) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def changed(**entry: Any) -> bytes:
    return file_of({**GOOD, "w": {**GOOD["w"], **entry}})


CASES = {
    "good": file_of(GOOD), "padded": file_of(json.dumps(GOOD).encode() + b"   "), "metadata": file_of({**GOOD, "__metadata__": {"format": "pt"}}),
    "no tensors": file_of({}, b""), "metadata number": file_of({**GOOD, "__metadata__": {"epoch": 3}}), "metadata null": file_of({**GOOD, "__metadata__": None}),
    "unknown field": changed(extra=[1]), "float shape": changed(shape=[2.0]), "negative": changed(shape=[-2]), "bool": changed(shape=[True]),
    "three offsets": changed(data_offsets=[0, 8, 8]), "text offsets": changed(data_offsets=["0", "8"]), "unknown type": changed(dtype="F31"),
    "lower case": changed(dtype="f32"), "hole": file_of({"w": {"dtype": "F32", "shape": [2], "data_offsets": [2, 10]}}), "trailing": file_of(GOOD, bytes(11)),
    "short": file_of(GOOD, bytes(9)), "list": file_of([GOOD]), "blank": file_of(b"  "), "nan": file_of(b'{"w": NaN}'), "surrogate": file_of(b'{"\\ud800": {"dtype": "U8", "shape": [10], "data_offsets": [0, 10]}}'),
    "no utf-8": file_of(b'{"\xff": {"dtype": "U8", "shape": [10], "data_offsets": [0, 10]}}'), "overflow": changed(shape=[1 << 40, 1 << 40]),
    "leading blank": file_of(b"  " + json.dumps(GOOD).encode()), "zero": file_of({"w": {"dtype": "F32", "shape": [0, 3], "data_offsets": [0, 0]}}, b""),
    "u64": changed(shape=[1 << 64]), "byte order mark": file_of(b"\xef\xbb\xbf" + json.dumps(GOOD).encode()),
}  # fmt: skip


def disagreement(data: bytes, folder: Path) -> str:
    from safetensors import SafetensorError
    from safetensors import safe_open as open_

    path = folder / "m.safetensors"
    path.write_bytes(data)
    ours = [seen.what for seen in read_file(str(path), deep=True, deadline=time.monotonic() + 60).sightings]
    try:
        with open_(str(path), "np") as file:
            file.keys()
    except (SafetensorError, OSError, ValueError) as error:
        return "" if ours else f"PASS, safetensors: {error}"
    return f"{ours}, safetensors loads it" if ours else ""


@pytest.mark.parametrize("case", CASES)
def test_as_safetensors_itself(tmp_path: Path, case: str) -> None:
    needs_module("safetensors")
    assert not disagreement(CASES[case], tmp_path)


@given(place=st.integers(0, 400), put=st.binary(min_size=1, max_size=3), cut=st.integers(0, 3))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_change_as_safetensors_itself(tmp_path: Path, place: int, put: bytes, cut: int) -> None:
    needs_module("safetensors")
    whole = safetensors({"layer.weight": {"shape": [2, 3]}, "layer.bias": {"shape": [2]}})
    place %= len(whole)
    data = whole[:place] + put + whole[place + len(put) :]
    assert not disagreement(data[: len(data) - cut], tmp_path)
