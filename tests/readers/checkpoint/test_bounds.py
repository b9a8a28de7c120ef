"""Whatever the bytes are, a reader ends with facts or a reason, within its bounds."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from checkpoint_files import bomb, checkpoint, safetensors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.checkpoint import zip_crc
from trainproof_ci.readers.checkpoint.facts import CheckpointFile
from trainproof_ci.readers.checkpoint.files import read_file
from trainproof_ci.readers.checkpoint.pickle_ops import Endless, Malformed
from trainproof_ci.readers.checkpoint.pickle_walk import walk
from trainproof_ci.readers.checkpoint.sightings import Seen

SEEDS = (
    checkpoint(),
    checkpoint(method=8, plain={"epoch": 1}),
    safetensors(),
    checkpoint(imports="os.system", crc=False),
)


def facts(data: bytes, folder: Path, name: str = "m.pt") -> CheckpointFile:
    path = folder / name
    path.write_bytes(data)
    return read_file(str(path), deep=True, deadline=time.monotonic() + 60)


@given(seed=st.sampled_from(SEEDS), cut=st.integers(0, 4096), place=st.integers(0, 4096), put=st.binary(max_size=12))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_become_facts(tmp_path: Path, seed: bytes, cut: int, place: int, put: bytes) -> None:
    data = seed[: place % len(seed)] + put + seed[place % len(seed) + len(put) :]
    for name in ("m.pt", "m.safetensors", "m.bin"):
        assert isinstance(facts(data[: len(data) - cut % 97], tmp_path, name), CheckpointFile)


@given(st.binary(max_size=60))
@settings(max_examples=300)
def test_any_bytes_walk_or_are_no_pickle(data: bytes) -> None:
    for head in (b"", b"\x80\x02", b"\x80\x02}(X\x01\x00\x00\x00a"):
        with suppress(Malformed):
            walk(head + data + b".")


def test_a_pickle_of_endless_containers_is_left_alone() -> None:
    with pytest.raises(Endless):
        walk(b"\x80\x02" + b"}" * 700_000 + b".")


def test_no_more_is_inflated_than_the_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_crc, "MOST_INFLATED", 1 << 20)
    found = facts(bomb(megabytes=2), tmp_path)
    assert [seen.what for seen in found.sightings] == [Seen.TOO_LARGE]
    assert found.checksums == "2 of 3 members verified"


def test_a_deadline_ends_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "m.pt"
    path.write_bytes(checkpoint())
    with pytest.raises(Unreadable, match="deadline"):
        read_file(str(path), deep=False, deadline=time.monotonic() - 1)


def test_parts_of_a_long_member_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_crc, "PART", 16)
    monkeypatch.setattr(zip_crc, "ALONE_BELOW", 0)
    assert not facts(checkpoint(), tmp_path).sightings
    damaged = facts(checkpoint(flip="data/0"), tmp_path)
    assert [seen.what for seen in damaged.sightings] == [Seen.CHECKSUM_DIFFERS]
