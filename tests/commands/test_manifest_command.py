"""`manifest write|verify`: the record of what goes into a run."""

import hashlib
import json
from pathlib import Path

import makers
import pytest
from conftest import Command

TRAIN = makers.rows(30)


@pytest.fixture
def data(work: Path) -> Path:
    """A folder with two datasets, one of them broken, and a text."""
    (work / "data").mkdir()
    (work / "data" / "train.jsonl").write_bytes(TRAIN)
    (work / "data" / "broken.jsonl").write_bytes(TRAIN + b'{"prompt": "cut')
    (work / "data" / "README.md").write_text("about\n")
    return work / "data"


def written(data: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads((data / "manifest.json").read_text())
    return document


def test_a_manifest_says_what_was_checked_and_for_which_run(data: Path, command: Command) -> None:
    (data / "broken.jsonl").unlink()
    Path("run.yaml").write_text("seed: 1\n")
    answer = command(
        "manifest",
        "write",
        "data",
        "--run",
        "run-7",
        "--run-config",
        "run.yaml",
        "--command",
        "python",
        "train.py",
        "--lr",
        "1",
    )
    assert answer.code == 0, answer.err
    document = written(data)
    assert document["run"] == "run-7"
    assert document["command"] == ["python", "train.py", "--lr", "1"]
    assert document["configuration"] == {"path": "run.yaml", "sha256": hashlib.sha256(b"seed: 1\n").hexdigest()}
    (entry,) = document["files"]  # type: ignore[misc]
    blocks = entry.pop("blocks")
    assert len(blocks) == 128
    assert entry == {
        "path": "train.jsonl", "bytes": len(TRAIN), "sha256": hashlib.sha256(TRAIN).hexdigest(),
        "records": 30, "encoding": "utf-8", "shape": "prompt-completion", "split": "train",
    }  # fmt: skip
    assert command("manifest", "verify", "data").code == 0


def test_one_file_a_line_sorted_and_the_same_every_time(data: Path, command: Command) -> None:
    (data / "broken.jsonl").write_bytes(makers.rows(5))
    (data / "a.jsonl").write_bytes(makers.rows(4))
    command("manifest", "write", "data")
    first = (data / "manifest.json").read_bytes()
    lines = [line for line in first.decode().split("\n") if '"path"' in line]
    assert [json.loads(line.strip(" ,"))["path"] for line in lines] == ["a.jsonl", "broken.jsonl", "train.jsonl"]
    command("manifest", "write", "data", "--jobs", "1")
    assert (data / "manifest.json").read_bytes() == first


def test_what_fails_is_listed_as_rejected_and_stays_so(data: Path, command: Command) -> None:
    assert command("manifest", "write", "data").code == 1
    document = written(data)
    assert [entry["path"] for entry in document["files"]] == ["train.jsonl"]  # type: ignore[attr-defined]
    (rejected,) = document["rejected"]  # type: ignore[misc]
    assert rejected["path"] == "broken.jsonl"
    assert rejected["bytes"] == (data / "broken.jsonl").stat().st_size
    assert rejected["reason"].startswith("TP-")
    answer = command("manifest", "verify", "data", "--format", "json")
    assert (answer.code, answer.rules) == (1, {"TP-MANIFEST-REJECTED"})
    (finding,) = (finding for target in answer.report["targets"] for finding in target["findings"])
    places = [(place["path"], place["note"]) for place in finding["related"]]
    assert places == [("data/broken.jsonl", "the file"), ("data/manifest.json", "rejected here")]
    (data / "broken.jsonl").write_bytes(makers.rows(31))
    assert command("manifest", "write", "data").code == 0
    assert written(data)["rejected"] == [rejected]
    assert command("manifest", "verify", "data").code == 0


def test_a_rejected_file_is_not_accepted_under_another_configuration(data: Path, command: Command) -> None:
    command("manifest", "write", "data")
    (data / "train.jsonl").write_bytes((data / "broken.jsonl").read_bytes())
    (data / "broken.jsonl").unlink()
    Path("lax.yml").write_text(
        "version: 1\nrules: {TP-LINE-TRUNCATED: {severity: warn}, TP-JSON-SYNTAX: {severity: warn}, TP-LINE-NO-EOL: {severity: warn}}\n"
    )
    answer = command("manifest", "write", "data", "--config", "lax.yml", "--format", "json")
    assert answer.code == 1
    assert "TP-MANIFEST-REJECTED" in answer.rules
    assert written(data)["files"] == []


def test_a_pointer_is_recorded_by_what_it_promises(data: Path, command: Command) -> None:
    (data / "broken.jsonl").write_bytes(makers.lfs_pointer("elsewhere"))
    assert command("manifest", "write", "data").code == 2
    entry = written(data)["files"][0]  # type: ignore[index]
    assert entry == {"path": "broken.jsonl", "bytes": 9, "sha256": hashlib.sha256(b"elsewhere").hexdigest()}
    assert command("manifest", "verify", "data").code == 0


@pytest.mark.parametrize(
    ("after", "rule", "words"),
    [
        (TRAIN[:700], "TP-MANIFEST-BYTES", "cut short"),
        (TRAIN + TRAIN, "TP-MANIFEST-BYTES", "bytes appended"),
        (makers.rows(40, '{{"prompt": "p {i}", "completion": "c"}}'), "TP-MANIFEST-BYTES", "changed"),
        (TRAIN.replace(b"question 7", b"question 8"), "TP-MANIFEST-DIGEST", "damaged or edited in place"),
    ],
)
def test_verify_tells_in_which_way_a_file_differs(
    data: Path, command: Command, after: bytes, rule: str, words: str
) -> None:
    command("manifest", "write", "data/train.jsonl")
    (data / "train.jsonl").write_bytes(after)
    answer = command("manifest", "verify", "data/manifest.json", "--format", "json")
    findings = [f for target in answer.report["targets"] for f in target["findings"] if f["severity"] == "FAIL"]
    assert [f["rule"] for f in findings] == [rule]
    assert words in findings[0]["message"]
    assert findings[0]["locations"][0]["path"] == "data/manifest.json"


def test_files_above_the_manifest_cannot_be_listed(data: Path, command: Command) -> None:
    assert command("manifest", "write", "data/train.jsonl", "--manifest", "elsewhere.json").code == 0
    (data / "below").mkdir()
    assert command("manifest", "write", "data/train.jsonl", "--manifest", "data/below/m.json").code == 64


def test_a_manifest_that_cannot_be_read_is_not_replaced(data: Path, command: Command) -> None:
    (data / "manifest.json").write_text("<<<<<<< ours\n")
    assert command("manifest", "write", "data").code == 64
    assert (data / "manifest.json").read_text() == "<<<<<<< ours\n"


def test_verify_of_nothing_is_not_checked(work: Path, command: Command) -> None:
    assert command("manifest", "verify").code == 2
