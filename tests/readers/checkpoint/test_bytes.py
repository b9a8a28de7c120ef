"""How many bytes elements take: packed types share a byte, and a storage of them counts bytes."""

import pytest

from trainproof_ci.readers.checkpoint.dtypes import bytes_of, bytes_of_storage

SIZES = {"float32": (12, 12), "quint4x2": (2, 3), "quint2x4": (1, 3), "int4": (3, 3)}


@pytest.mark.parametrize("dtype", SIZES)
def test_three_elements(dtype: str) -> None:
    assert (bytes_of(dtype, 3), bytes_of_storage(dtype, 3)) == SIZES[dtype]
