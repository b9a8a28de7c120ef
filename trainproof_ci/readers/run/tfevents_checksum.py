"""CRC-32C as TensorBoard's record files use it: rotated and offset, so that a checksum of checksums stays one."""

from collections.abc import Callable
from functools import lru_cache

WORTH_AN_IMPORT = 64 << 10
"""Bytes; below, the table is done before the accelerator is imported (5 ms)."""
_POLYNOMIAL = 0x82F63B78


@lru_cache(maxsize=1)
def _table() -> tuple[int, ...]:
    entries = []
    for entry in range(256):
        value = entry
        for _ in range(8):
            value = (value >> 1) ^ (_POLYNOMIAL if value & 1 else 0)
        entries.append(value)
    return tuple(entries)


def crc32c(data: bytes) -> int:
    """The CRC-32C (Castagnoli) of `data`, a byte at a time."""
    value, table = 0xFFFFFFFF, _table()
    for byte in data:
        value = table[(value ^ byte) & 0xFF] ^ (value >> 8)
    return value ^ 0xFFFFFFFF


def masked(value: int) -> int:
    """A CRC as it stands in the file."""
    return (((value >> 15) | (value << 17)) + 0xA282EAD8) & 0xFFFFFFFF


@lru_cache(maxsize=1)
def accelerator() -> Callable[[bytes], int] | None:
    """The compiled CRC-32C of google-crc32c, where it is installed and not its own slow fallback."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import google_crc32c
    except ImportError:
        return None
    return google_crc32c.value if google_crc32c.implementation == "c" else None
