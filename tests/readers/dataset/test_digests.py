"""The sha256 of a file: the same with a thread and without, and a small file is not worth one."""

import hashlib
import threading
from pathlib import Path

import pytest

from trainproof_ci.readers.dataset.digests import BUFFER, SMALL, Digest
from trainproof_ci.readers.source import Head


@pytest.mark.parametrize("size", [0, 1, SMALL - 1, SMALL, BUFFER, BUFFER + 1])
def test_the_digest_of_the_whole_file(work: Path, size: int) -> None:
    data = bytes(range(256)) * (size // 256 + 1)
    (work / "a").write_bytes(data[:size])
    with Digest(Head.of("a")) as digest:
        digest.start()
        assert digest.hexdigest() == hashlib.sha256(data[:size]).hexdigest()


def test_a_small_file_starts_no_thread(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "a").write_bytes(b"x")
    monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a thread was started"))
    with Digest(Head.of("a")) as digest:
        assert digest.hexdigest() == hashlib.sha256(b"x").hexdigest()


def test_a_file_that_is_not_wanted_any_more(work: Path) -> None:
    (work / "a").write_bytes(bytes(4 * SMALL))
    with Digest(Head.of("a")) as digest:
        digest.start()
