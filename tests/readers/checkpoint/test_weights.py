"""Counting by bytes equals counting by floats."""

import math
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.readers.checkpoint.crc_parts import joined
from trainproof_ci.readers.checkpoint.weights import LAYOUTS, all_zero, count, zeros

CODES = {"float64": "d", "float32": "f", "float16": "e"}


@pytest.mark.parametrize("dtype", CODES)
@pytest.mark.parametrize("big_endian", [False, True])
@given(data=st.data())
@settings(max_examples=60)
def test_counts_equal_those_of_floats(dtype: str, big_endian: bool, data: st.DataObject) -> None:
    width = LAYOUTS[dtype].width
    raw = data.draw(
        st.lists(st.binary(min_size=width, max_size=width) | st.sampled_from(special(dtype, big_endian)), max_size=40)
    )
    block = b"".join(raw)
    values = struct.unpack(f"{'>' if big_endian else '<'}{len(raw)}{CODES[dtype]}", block)
    found = count(block, LAYOUTS[dtype], big_endian=big_endian)
    assert (found.nan, found.infinite) == (sum(map(math.isnan, values)), sum(map(math.isinf, values)))
    assert all_zero(block, LAYOUTS[dtype], big_endian=big_endian) == all(value == 0 for value in values)
    assert zeros(block, LAYOUTS[dtype]) == raw.count(bytes(width))


def special(dtype: str, big_endian: bool) -> list[bytes]:
    form = f"{'>' if big_endian else '<'}{CODES[dtype]}"
    return [struct.pack(form, value) for value in (0.0, -0.0, math.inf, -math.inf, math.nan, 1.0)]


def test_bfloat16_and_eight_bits() -> None:
    assert count(bytes.fromhex("807f80ffc07f803f"), LAYOUTS["bfloat16"]) == (1, 2)
    assert count(bytes.fromhex("7c7dfcfe3c00"), LAYOUTS["float8_e5m2"]) == (2, 2)
    assert count(bytes.fromhex("7fff7e0038"), LAYOUTS["float8_e4m3fn"]) == (2, 0)


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_joined_checksums(first: bytes, second: bytes) -> None:
    assert joined(zlib.crc32(first), zlib.crc32(second), len(second)) == zlib.crc32(first + second)


def test_eight_bits_with_a_single_nan() -> None:
    for dtype, nan in (("float8_e4m3fnuz", 0x80), ("float8_e5m2fnuz", 0x80), ("float8_e8m0fnu", 0xFF)):
        assert count(bytes([nan, 0x7F, nan, 0]), LAYOUTS[dtype]) == (2, 0)
        assert not all_zero(bytes([0, nan]), LAYOUTS[dtype])
    assert all_zero(bytes(4), LAYOUTS["float8_e4m3fnuz"])
    assert not all_zero(bytes(4), LAYOUTS["float8_e8m0fnu"])  # it has no 0: that is the smallest power of two
