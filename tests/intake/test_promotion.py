"""Promotion to a local place: verified where it arrived, and old or new whenever it is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import makers
import pytest
from conftest import ROOT, Command

from trainproof_ci.config import Settings
from trainproof_ci.intake import local_store, promotion
from trainproof_ci.model import Policy, Severity, TargetReport

NEW = makers.rows(2000)
OLD = makers.rows(10)


def promote(source: str = "new.jsonl", destination: str = "store/train.jsonl", **policy: str) -> list[TargetReport]:
    return promotion.promote(source, destination, None, Settings(policy=Policy(**policy)))


@pytest.fixture
def store(work: Path) -> Path:
    """A folder with an older file in it, and a newer file beside the folder."""
    (work / "store").mkdir()
    (work / "store" / "train.jsonl").write_bytes(OLD)
    (work / "new.jsonl").write_bytes(NEW)
    return work / "store"


def left(store: Path) -> dict[str, bytes]:
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*") if path.is_file()}


def test_a_sound_file_takes_its_place(store: Path) -> None:
    promoted, copy = promote()
    assert promoted.verdict is Severity.PASS
    assert (copy.path, copy.kind) == ("store/train.jsonl", "dataset")
    assert left(store) == {"train.jsonl": NEW}
    assert os.listdir(store) == ["train.jsonl"]


def test_a_folder_takes_the_name_of_the_file(store: Path) -> None:
    promote(destination="store/")
    assert left(store) == {"train.jsonl": OLD, "new.jsonl": NEW}


def test_a_broken_file_does_not(store: Path) -> None:
    Path("new.jsonl").write_bytes(NEW + b'{"prompt": "cut')
    promoted, copy = promote()
    assert [finding.rule for finding in promoted.findings] == ["TP-PROMOTE-INVALID"]
    assert promoted.verdict is copy.verdict is Severity.FAIL
    assert all(finding.location.path == "store/train.jsonl" for finding in copy.findings)
    assert left(store) == {"train.jsonl": OLD}


def test_what_cannot_be_judged_does_not_unless_it_is_wanted(store: Path) -> None:
    Path("new.jsonl").write_bytes(makers.lfs_pointer("elsewhere"))
    assert promote()[0].verdict is Severity.NOT_CHECKED
    assert left(store) == {"train.jsonl": OLD}
    promote(not_checked="pass")
    assert left(store) == {"train.jsonl": makers.lfs_pointer("elsewhere")}


def test_a_file_of_no_kind_is_verified_by_size_and_digest_alone(store: Path) -> None:
    Path("note.txt").write_bytes(b"a note\n")
    (report,) = promote("note.txt", "store/note.txt")
    assert report.verdict is Severity.PASS
    assert "only its size and digest" in report.checks.skipped["TP-PROMOTE-INVALID"]
    assert left(store)["note.txt"] == b"a note\n"


@pytest.mark.parametrize(
    ("fault", "rule", "words"),
    [
        (lambda data: data[:50_000], "TP-PROMOTE-SIZE", "cut short: 50000 of"),
        (lambda data: data + data, "TP-PROMOTE-SIZE", "bytes appended"),
        (lambda data: b"x" * 60_000, "TP-PROMOTE-SIZE", "with other content"),
        (lambda data: data[:50_000] + b"#" + data[50_001:], "TP-PROMOTE-DIGEST", "damaged or edited in place"),
        (lambda data: data[::-1], "TP-PROMOTE-DIGEST", "changed: the same size"),
    ],
)
def test_a_copy_that_arrives_wrong_is_told_and_removed(
    store: Path, monkeypatch: pytest.MonkeyPatch, fault: object, rule: str, words: str
) -> None:
    """A disk that lies: what is read back is not what was written."""
    real = local_store.os.fsync

    def lying(handle: int) -> None:
        real(handle)
        copy = store / ".promoting-train.jsonl" / "train.jsonl"
        if copy.exists():
            copy.write_bytes(fault(NEW))  # type: ignore[operator]

    monkeypatch.setattr(local_store.os, "fsync", lying)
    promoted = promote()[0]
    assert [finding.rule for finding in promoted.findings] == [rule]
    assert words in promoted.findings[0].message
    assert left(store) == {"train.jsonl": OLD}
    assert os.listdir(store) == ["train.jsonl"]


def test_a_source_that_changes_on_the_way_is_not_promoted(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = promotion.measure

    def growing(*arguments: object) -> object:
        with open("new.jsonl", "ab") as file:
            file.write(b"{}\n")
        return real(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(promotion, "measure", growing)
    assert [finding.rule for finding in promote()[0].findings] == ["TP-FILE-CHANGED-WHILE-READ"]
    assert left(store) == {"train.jsonl": OLD}


def test_against_the_manifest(store: Path, command: Command) -> None:
    assert command("manifest", "write", "new.jsonl").code == 0
    Path("new.jsonl").write_bytes(NEW[:50_000])
    answer = command("promote", "new.jsonl", "store/train.jsonl", "--manifest", "manifest.json", "--format", "json")
    assert answer.code == 1
    assert answer.rules == {"TP-PROMOTE-SIZE"}
    assert "cut short: 50000 of" in answer.out
    Path("new.jsonl").write_bytes(NEW[:-3] + b"!!\n")
    answer = command("promote", "new.jsonl", "store/train.jsonl", "--manifest", "manifest.json", "--format", "json")
    assert answer.rules == {"TP-PROMOTE-DIGEST"}
    assert left(store) == {"train.jsonl": OLD}


def test_a_rejected_file_is_never_used_again(store: Path, command: Command) -> None:
    Path("new.jsonl").write_bytes(NEW + b'{"prompt": "cut')
    assert command("manifest", "write", "new.jsonl").code == 1
    answer = command("promote", "new.jsonl", "store/train.jsonl", "--manifest", "manifest.json", "--format", "json")
    assert (answer.code, answer.rules) == (1, {"TP-PROMOTE-INVALID"})
    assert left(store) == {"train.jsonl": OLD}


@pytest.mark.parametrize(
    "arguments", [("gone.jsonl", "x"), ("store", "x"), ("new.jsonl", "new.jsonl"), ("new.jsonl", "gone/x.jsonl")]
)
def test_what_cannot_be_meant_is_a_usage_error(store: Path, command: Command, arguments: tuple[str, str]) -> None:
    assert command("promote", *arguments).code == 64
    assert left(store) == {"train.jsonl": OLD}


@pytest.mark.parametrize("destination", ["gone/x.jsonl", "gone/", "./gone/x.jsonl"])
def test_a_folder_that_is_not_there_is_named(store: Path, command: Command, destination: str) -> None:
    answer = command("promote", "new.jsonl", destination)
    assert answer.code == 64
    assert "gone of the destination is not there; make it first (mkdir -p)" in answer.err


def test_two_promotions_at_once_are_kept_apart(store: Path, command: Command) -> None:
    with local_store.LocalPlace("store/train.jsonl").opened():
        answer = command("promote", "new.jsonl", "store/train.jsonl")
    assert answer.code == 64
    assert "another promotion" in answer.err
    assert left(store) == {"train.jsonl": OLD}


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from trainproof_ci.cli import main
left = int(sys.argv[2])
def count(event, arguments):
    global left
    if event == "fcntl.flock" or (arguments and ("store" in str(arguments[0]) or "new.jsonl" in str(arguments[0]))):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(count)
sys.exit(main(["promote", "new.jsonl", "store/train.jsonl"]))
"""


def test_killed_at_any_step_the_destination_is_old_or_new(store: Path) -> None:
    """SIGKILL before every step that touches the file system, one after the other, and a retry after each."""
    seen: set[bytes] = set()
    for step in range(1, 100):
        (store / "train.jsonl").write_bytes(OLD)
        done = subprocess.run(
            [sys.executable, "-I", "-c", KILLED, str(ROOT), str(step)], capture_output=True, check=False
        )
        content = (store / "train.jsonl").read_bytes()
        assert content in {OLD, NEW}
        seen.add(content)
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0
    assert seen == {OLD, NEW}
    assert step > 8
    promote()
    assert left(store) == {"train.jsonl": NEW}


def test_killed_while_bytes_are_written(store: Path) -> None:
    """A leftover of any length is overwritten by the retry, never appended to."""
    leftover = store / ".promoting-train.jsonl" / "train.jsonl"
    leftover.parent.mkdir()
    leftover.write_bytes(NEW[:12345])
    promote()
    assert left(store) == {"train.jsonl": NEW}
