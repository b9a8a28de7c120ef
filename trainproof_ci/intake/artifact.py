"""Measuring an artifact: its bytes, its digests, and in what way it differs from the one that was recorded."""

import hashlib
import zlib
from collections.abc import Iterable, Mapping

from trainproof_ci.typed import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from hashlib import _Hash

BLOCKS = 16
"""A recorded file is cut into this many blocks, each with a CRC-32: enough to tell a cut file from another one."""
CHUNK = 1 << 20
DIGEST_SHOWN = 12
"""Hexadecimal digits of a digest that a message quotes; whole digests are compared."""


class Readable(Protocol):
    """An open file, or something that is read like one."""

    def read(self, length: int, /) -> bytes:
        """The next bytes, at most `length`; none at the end."""


class Artifact(NamedTuple):
    """The measurements of some bytes. `digests` are lower-case hexadecimal by algorithm, `blocks` CRC-32s in hex."""

    bytes: int
    digests: Mapping[str, str]
    blocks: tuple[str, ...] = ()
    ends_line: bool = True
    """Whether the last byte ends a line (true for no bytes at all)."""

    @property
    def sha256(self) -> str:
        """The SHA-256 in hexadecimal; empty when it was not asked for."""
        return self.digests.get("sha256", "")


def block_bytes(size: int) -> int:
    """The length in bytes of a block of a file of `size` bytes; the last block may be shorter."""
    return max(1, -(-size // BLOCKS))


def measure(file: Readable, block: int, algorithms: Iterable[str] = ("sha256",)) -> Artifact:
    """Read `file` to its end once: all digests, and the CRC-32 of the first sixteen blocks of `block` bytes."""
    hashes = {name: hashlib.new(name, usedforsecurity=False) for name in algorithms}
    blocks: list[str] = []
    total, last = 0, b"\n"
    while len(blocks) < BLOCKS:
        crc, got, last = _block(file, block, hashes, last)
        if not got:
            break
        blocks.append(f"{crc:08x}")
        total += got
    while chunk := file.read(CHUNK):
        total += len(chunk)
        last = chunk[-1:]
        for each in hashes.values():
            each.update(chunk)
    return Artifact(total, {name: each.hexdigest() for name, each in hashes.items()}, tuple(blocks), last == b"\n")


def _block(file: Readable, length: int, hashes: "Mapping[str, _Hash]", last: bytes) -> tuple[int, int, bytes]:
    """The CRC-32 of the next `length` bytes, how many there were, and the last of them."""
    crc = got = 0
    while got < length and (chunk := file.read(min(CHUNK, length - got))):
        crc = zlib.crc32(chunk, crc)
        got += len(chunk)
        last = chunk[-1:]
        for each in hashes.values():
            each.update(chunk)
    return crc, got, last


def difference(size: int | None, blocks: tuple[str, ...], now: Artifact) -> str:
    """In words, how `now` differs from a recorded file of `size` bytes with these `blocks`: cut, damaged or another."""
    if size is None:
        return "other content than recorded"
    if now.bytes == size:
        return _in_place(size, blocks, now)
    if now.bytes < size:
        return _shorter(size, blocks, now)
    if blocks and now.blocks[: len(blocks) - 1] == blocks[:-1] and _last_block_kept(size, blocks, now):
        return f"the recorded file with {now.bytes - size} bytes appended"
    return f"changed: {now.bytes - size} bytes longer than recorded" + (", with other content" if blocks else "")


def _last_block_kept(size: int, blocks: tuple[str, ...], now: Artifact) -> bool:
    """A shorter last block has no counterpart in the longer file; the others have decided then."""
    return size % block_bytes(size) != 0 or now.blocks[: len(blocks)] == blocks


def _shorter(size: int, blocks: tuple[str, ...], now: Artifact) -> str:
    whole = now.bytes // block_bytes(size)
    if now.bytes == 0:
        return f"cut short: none of {size} bytes is there"
    if blocks and whole:
        if now.blocks[:whole] == blocks[:whole]:
            return f"cut short: {now.bytes} of {size} bytes, which begin as recorded"
        return f"changed: {size - now.bytes} bytes shorter than recorded, with other content"
    if not now.ends_line:
        return f"cut short: {now.bytes} of {size} bytes, ending inside a line"
    return f"{now.bytes} of {size} bytes: cut short, or records were removed"


def _in_place(size: int, blocks: tuple[str, ...], now: Artifact) -> str:
    differing = [at for at, (was, is_) in enumerate(zip(blocks, now.blocks, strict=False)) if was != is_]
    if not differing:
        return "the same size with other content: damaged, or edited in place"
    if len(differing) * 2 > len(blocks) > 1:
        return f"changed: the same size, but {len(differing)} of {len(blocks)} blocks differ"
    block = block_bytes(size)
    return (
        f"damaged or edited in place: the same size, {len(differing)} of {len(blocks)} blocks differ, "
        f"the first at bytes {differing[0] * block} to {min(size, (differing[0] + 1) * block) - 1}"
    )


def short(digest: str) -> str:
    """A digest as messages quote it."""
    return digest[:DIGEST_SHOWN]
