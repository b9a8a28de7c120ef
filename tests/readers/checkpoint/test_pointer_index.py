"""An index of shards that is only a Git LFS pointer says nothing about the shards."""

from pathlib import Path

from checkpoint_files import safetensors

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Severity

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"b" * 64 + b"\nsize 12345\n"


def test_a_pointer_in_place_of_the_index_is_not_checked(work: Path) -> None:
    folder = work / "model"
    folder.mkdir()
    (folder / "model.safetensors.index.json").write_bytes(POINTER)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "model-00001-of-00002.safetensors").write_bytes(POINTER)
    report = check(find(["."], Settings()), Settings())
    assert report.verdict is Severity.NOT_CHECKED


def test_the_shards_beside_it_are_judged(work: Path) -> None:
    (work / "model.safetensors.index.json").write_bytes(POINTER)
    (work / "model-00001-of-00002.safetensors").write_bytes(safetensors(keep=0.9))
    report = check(find(["."], Settings()), Settings())
    assert {finding.rule for _, finding in report.findings} == {"TP-CKPT-LFS-POINTER", "TP-CKPT-TRUNCATED"}
