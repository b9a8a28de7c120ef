"""What differs between a file and its record: cut, grown, damaged or another."""

import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.intake.artifact import BLOCKS, Artifact, block_bytes, difference, measure

RECORDED = b"".join(b'{"prompt": "question %d", "completion": "answer"}\n' % i for i in range(40))
SIZE = len(RECORDED)


def measured(data: bytes, size: int = SIZE) -> Artifact:
    return measure(io.BytesIO(data), block_bytes(size))


def told(data: bytes, *, blocks: bool = True) -> str:
    return difference(SIZE, measured(RECORDED).blocks if blocks else (), measured(data))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (RECORDED[:900], "cut short: 900 of 1990 bytes, which begin as recorded"),
        (b"", "cut short: none of 1990 bytes is there"),
        (RECORDED + RECORDED[:50], "the recorded file with 50 bytes appended"),
        (b"x" * 2500, "changed: 510 bytes longer than recorded, with other content"),
        (b"x" * 1000, "changed: 990 bytes shorter than recorded, with other content"),
        (RECORDED[:700] + b"#" + RECORDED[701:], "the same size, 1 of 16 blocks differ, the first at bytes 625 to 749"),
        (RECORDED[::-1], "changed: the same size, but 16 of 16 blocks differ"),
    ],
)
def test_words_with_blocks(data: bytes, words: str) -> None:
    assert words in told(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (RECORDED[:900], "cut short: 900 of 1990 bytes, ending inside a line"),
        (RECORDED[: RECORDED.rindex(b"\n", 0, -1) + 1], "cut short, or records were removed"),
        (RECORDED + b"\n", "changed: 1 bytes longer than recorded"),
        (RECORDED[::-1], "damaged, or edited in place"),
    ],
)
def test_words_without_blocks(data: bytes, words: str) -> None:
    assert words in told(data, blocks=False)


def test_without_a_size_only_the_content_is_known_to_differ() -> None:
    assert difference(None, (), measured(b"x")) == "other content than recorded"


@given(st.binary(max_size=400), st.integers(1, 500))
def test_a_measurement_is_about_all_bytes(data: bytes, size: int) -> None:
    found = measure(io.BytesIO(data), block_bytes(size), ("sha256", "md5"))
    assert found.bytes == len(data)
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert found.digests["md5"] == hashlib.md5(data).hexdigest()
    assert len(found.blocks) <= BLOCKS


@given(st.binary(min_size=1, max_size=400), st.data())
def test_a_cut_file_is_never_called_changed(data: bytes, draw: st.DataObject) -> None:
    cut = data[: draw.draw(st.integers(0, len(data) - 1))]
    words = difference(len(data), measured(data, len(data)).blocks, measured(cut, len(data)))
    assert "changed" not in words


@given(st.binary(min_size=1, max_size=400), st.binary(min_size=1, max_size=50))
def test_a_grown_file_is_called_grown(data: bytes, more: bytes) -> None:
    words = difference(len(data), measured(data, len(data)).blocks, measured(data + more, len(data)))
    assert f"{len(more)} bytes appended" in words
