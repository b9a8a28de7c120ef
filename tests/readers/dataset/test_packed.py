"""Compressed JSON Lines and Parquet: judged as what they hold, within bounds, and cut ones told."""

import gzip
import io
import struct
import sys
from pathlib import Path
from typing import Any

import makers
import pytest
from conftest import needs_module
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, find
from trainproof_ci.engine import check
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Report, Severity
from trainproof_ci.readers.dataset import compressed, read, sound

ROWS = makers.rows(300)
BROKEN = makers.rows(5) + b'{"prompt": "cut\n' + makers.rows(3, '{{"prompt": "other {i}", "completion": "c {i}"}}')


def judged(name: str) -> Report:
    return check(find([name], Settings()), Settings())


def rules(report: Report) -> set[str]:
    return {finding.rule for _, finding in report.findings}


def pack(form: str, data: bytes) -> bytes:
    if form == "gz":
        return gzip.compress(data)
    packed: bytes = needs_module("zstandard").ZstdCompressor(write_checksum=True).compress(data)
    return packed


@pytest.mark.parametrize("form", ["gz", "zst"])
class TestCompressed:
    def test_judged_as_what_it_holds(self, work: Path, form: str) -> None:
        (work / f"a.jsonl.{form}").write_bytes(pack(form, ROWS))
        report = judged(f"a.jsonl.{form}")
        assert report.verdict is Severity.PASS
        assert report.targets[0].facts["records"] == 300
        (work / f"b.jsonl.{form}").write_bytes(pack(form, BROKEN))
        report = judged(f"b.jsonl.{form}")
        (finding,) = (finding for _, finding in report.findings if finding.severity is Severity.FAIL)
        assert (finding.rule, finding.location.line) == ("TP-JSON-SYNTAX", 6)

    def test_a_name_that_says_only_json_is_decided_by_what_comes_out(self, work: Path, form: str) -> None:
        rows = ROWS.splitlines()
        (work / f"lines.json.{form}").write_bytes(pack(form, ROWS))
        (work / f"array.json.{form}").write_bytes(pack(form, b"[\n" + b",\n".join(rows) + b"\n]\n"))
        (work / f"broken.json.{form}").write_bytes(
            pack(form, b"[\n" + b",\n".join([*rows, b'{"prompt": ""}']) + b"\n]\n")
        )
        (work / f"service.json.{form}").write_bytes(pack(form, b'{\n  "version": "2.0",\n  "metadata": {}\n}\n'))
        (work / f"regions.json.{form}").write_bytes(pack(form, b'["a", "b", {"c": 1}]'))
        report = judged(".")
        kept = [(target.path, target.verdict) for target in report.targets]
        assert kept == [
            (f"array.json.{form}", Severity.PASS), (f"broken.json.{form}", Severity.FAIL), (f"lines.json.{form}", Severity.PASS)
        ]  # fmt: skip
        assert {finding.location.line for _, finding in report.findings} == {302}
        assert judged(f"service.json.{form}").verdict is Severity.NOT_CHECKED

    def test_several_parts_one_after_the_other(self, work: Path, form: str) -> None:
        (work / f"a.jsonl.{form}").write_bytes(pack(form, ROWS[:5000]) + pack(form, ROWS[5000:]))
        report = judged(f"a.jsonl.{form}")
        assert report.verdict is Severity.PASS
        assert report.targets[0].facts["records"] == 300

    @pytest.mark.parametrize("keep", [0.3, 0.9, 0.999])
    def test_cut(self, work: Path, form: str, keep: float) -> None:
        whole = pack(form, ROWS * 40)
        (work / f"a.jsonl.{form}").write_bytes(whole[: int(len(whole) * keep)])
        report = judged(f"a.jsonl.{form}")
        assert rules(report) == {"TP-FILE-NOT-DATA"}
        assert "too early" in report.targets[0].findings[0].message

    def test_damaged(self, work: Path, form: str) -> None:
        whole = bytearray(pack(form, ROWS))
        whole[len(whole) // 2 : len(whole) // 2 + 8] = b"\xff" * 8
        (work / f"a.jsonl.{form}").write_bytes(bytes(whole))
        assert judged(f"a.jsonl.{form}").verdict is Severity.FAIL

    def test_a_bomb_is_not_followed(self, work: Path, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(compressed, "FREE", 1 << 20)
        line = b'{"prompt": "a", "completion": "b"}\n'
        (work / f"a.jsonl.{form}").write_bytes(pack(form, line * (3 << 20 >> 5)))
        report = judged(f"a.jsonl.{form}")
        assert report.verdict is Severity.NOT_CHECKED
        assert "without measure" in report.targets[0].findings[0].message

    def test_copies_are_proved_in_what_comes_out(self, work: Path, form: str) -> None:
        (work / f"a.jsonl.{form}").write_bytes(pack(form, ROWS + ROWS[:51]))
        report = judged(f"a.jsonl.{form}")
        assert rules(report) == {"TP-DUP-RECORD"}


@given(
    st.binary(max_size=120),
    st.sampled_from([b"\x1f\x8b\x08\0\0\0\0\0\0\0", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\x04"]),
)
def test_any_packed_bytes_give_facts_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, start: bytes
) -> None:
    path = tmp_path_factory.mktemp("packed") / ("a.jsonl.gz" if start[0] == 0x1F else "a.jsonl.zst")
    path.write_bytes(start + data)
    try:
        read(Target(str(path), "dataset", "jsonl-gzip"), Settings(), ())
    except Unreadable:
        return


def parquet(rows: list[dict[str, Any]]) -> bytes:
    arrow = needs_module("pyarrow")
    out = io.BytesIO()
    needs_module("pyarrow.parquet").write_table(arrow.Table.from_pylist(rows), out)
    return out.getvalue()


GOOD = [{"prompt": f"question {i}", "completion": f"answer {i}"} for i in range(20)]


class TestParquet:
    def test_the_same_record_rules(self, work: Path) -> None:
        (work / "a.parquet").write_bytes(parquet(GOOD))
        report = judged("a.parquet")
        assert report.verdict is Severity.PASS
        assert report.targets[0].facts["records"] == 20
        assert report.targets[0].facts["shape"] == "prompt-completion"
        (work / "a.parquet").write_bytes(parquet([*GOOD, {"prompt": "q", "completion": ""}, GOOD[3]]))
        report = judged("a.parquet")
        assert rules(report) == {"TP-SCHEMA-EMPTY", "TP-DUP-RECORD"}
        for _, finding in report.findings:
            assert finding.location.line is None
            assert finding.location.record in {21, 22}

    @pytest.mark.parametrize("keep", [4, 5, 200, -1, -9])
    def test_cut(self, work: Path, keep: int) -> None:
        (work / "a.parquet").write_bytes(parquet(GOOD)[:keep])
        report = judged("a.parquet")
        assert report.verdict is Severity.FAIL
        assert rules(report) == {"TP-FILE-NOT-DATA"}

    def test_a_page_under_the_name(self, work: Path) -> None:
        (work / "a.parquet").write_bytes(b"<!DOCTYPE html><html>sign in</html>")
        assert rules(judged("a.parquet")) == {"TP-FILE-NOT-DATA"}

    @pytest.mark.parametrize("length", [0, 50, 2**32 - 1])
    def test_a_footer_that_lies(self, work: Path, length: int) -> None:
        (work / "a.parquet").write_bytes(b"PAR1" + bytes(100) + struct.pack("<I", length) + b"PAR1")
        assert rules(judged("a.parquet")) == {"TP-FILE-UNREADABLE"}

    def test_damaged_inside(self, work: Path) -> None:
        whole = parquet(GOOD)
        (work / "a.parquet").write_bytes(whole[:30] + whole[90:])
        assert rules(judged("a.parquet")) == {"TP-FILE-NOT-DATA"}

    def test_a_text_in_another_encoding(self, work: Path) -> None:
        arrow = needs_module("pyarrow")
        texts = arrow.array([b"caf\xe9 au lait"] * 3).view(arrow.string())
        needs_module("pyarrow.parquet").write_table(arrow.table({"text": texts}), work / "a.parquet")
        assert rules(judged("a.parquet")) == {"TP-ENC-UTF8"}

    def test_more_than_pyarrow_reads_is_no_damage(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(stream: object) -> None:
            del stream
            raise OSError("Couldn't deserialize thrift: TProtocolException: Exceeded size limit")

        (work / "a.parquet").write_bytes(parquet(GOOD))
        monkeypatch.setattr(needs_module("pyarrow.parquet"), "ParquetFile", refuse)
        assert judged("a.parquet").verdict is Severity.NOT_CHECKED

    def test_the_other_suffix(self, work: Path) -> None:
        (work / "a.pq").write_bytes(parquet(GOOD))
        assert judged("a.pq").verdict is Severity.PASS

    @pytest.mark.parametrize("training", [b"", b"PAR1 and no more", b"<!DOCTYPE html><html>sign in</html>", None])
    def test_a_training_file_that_cannot_be_read_spares_the_split(self, work: Path, training: bytes | None) -> None:
        pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 9\n"
        (work / "train.parquet").write_bytes(pointer if training is None else training)
        (work / "test.parquet").write_bytes(parquet(GOOD))
        (target,) = judged("test.parquet").targets
        assert target.verdict is Severity.PASS
        assert "train.parquet, which is trained on, could not be read" in target.checks.skipped["TP-DUP-LEAK"]

    def test_without_the_extra_it_says_what_to_install(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (work / "a.parquet").write_bytes(parquet(GOOD))
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        report = judged("a.parquet")
        assert rules(report) == {"TP-FILE-UNSUPPORTED"}
        assert "trainproof-ci[parquet]" in report.targets[0].findings[0].message


def test_zstd_without_the_extra_says_what_to_install(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "a.jsonl.zst").write_bytes(pack("zst", ROWS))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    report = judged("a.jsonl.zst")
    assert report.verdict is Severity.NOT_CHECKED
    assert "trainproof-ci[zstd]" in report.targets[0].findings[0].message


@pytest.mark.parametrize(
    ("data", "length"),
    [
        (makers.wav(1.5), 1.5),
        (makers.wav(0.25, rate=16000), 0.25),
        (makers.wav(1.0).replace(struct.pack("<I", 16000), b"\xff" * 4, 2)[:16044], None),
        (b"RIFF\0\0\0\0WAVELIST\x04\0\0\0abcd" + makers.wav(1.0)[12:], 1.0),
        (b"RIFF\0\0\0\0WAVELIST" + struct.pack("<I", 3000) + bytes(3000) + makers.wav(1.0)[12:], 1.0),
        (b"fLaC\0\0\0\x22" + bytes(10) + ((8000 << 44) | 12000).to_bytes(8, "big") + bytes(16), 1.5),
        (b"RIFF\0\0\0\0WAVE", None),
        (b"RIFF\0\0\0\0WAVELIST" + struct.pack("<I", 3000) + bytes(3000), None),
        (b"ID3\4 mp3", None),
        (b"", None),
    ],
)
def test_the_length_of_a_sound(work: Path, data: bytes, length: float | None) -> None:
    (work / "a.wav").write_bytes(data)
    found = sound.look("a.wav").seconds
    assert found == length if length is not None else found is None or found > 0


@given(st.binary(max_size=120))
def test_any_sound_has_a_length_or_none(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("sound") / "a.wav"
    path.write_bytes(b"RIFF\0\0\0\0WAVE" + data)
    length = sound.look(str(path)).seconds
    assert length is None or length >= 0
