"""Outputs are whole or not there, never through a link, and an interrupt is answered at once with no half report."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import outside
import pytest

MAIN = [sys.executable, "-I", str(outside.ROOT / "trainproof_ci/__main__.py")]


def rows(count: int) -> str:
    return "".join(json.dumps({"prompt": f"question {i}", "completion": f"answer {i}"}) + "\n" for i in range(count))


def started(*arguments: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*MAIN, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=outside.clean_environment()
    )


def test_killed_at_any_time_leaves_no_half_file(work: Path) -> None:
    (work / "a.jsonl").write_text(rows(3000))
    chance = random.Random(4)
    for _ in range(8):
        run = started("check", "--format", "json", "--output", "report.json", "a.jsonl")
        time.sleep(chance.uniform(0.02, 0.5))
        run.kill()
        run.communicate()
        if (work / "report.json").exists():
            json.loads((work / "report.json").read_text())
            (work / "report.json").unlink()


def test_an_interrupt_is_answered_at_once(work: Path) -> None:
    (work / "a.jsonl").write_text(rows(400_000))
    run = started("check", "--jobs", "1", "--format", "json", "a.jsonl")
    time.sleep(0.6)
    run.send_signal(signal.SIGINT)
    begin = time.monotonic()
    out, err = run.communicate(timeout=30)
    if run.returncode != 0:  # a very fast machine may be done before
        assert run.returncode == 130
        assert out == b""
        assert b"interrupted" in err
        assert time.monotonic() - begin < 20


ENDLESS = """
import os, signal, sys, time
from trainproof_ci import cli, engine

signal.signal(signal.SIGINT, signal.default_int_handler)  # as at a terminal, whatever started the tests

def endless(target, settings):
    open(f"started-{os.getpid()}", "x").close()
    time.sleep(3600)

engine._judge = endless
sys.exit(cli.main(sys.argv[1:]))
"""
"""The command with work that would take an hour, and that says when it has begun."""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals of a process group")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("whole_group", [False, True], ids=["the process", "its group, as a terminal does"])
def test_an_interrupt_ends_endless_work(work: Path, jobs: int, whole_group: bool) -> None:
    for number in range(80):  # enough for worker processes
        (work / f"{number}.jsonl").write_text(rows(1))
    run = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, "check", "--jobs", str(jobs), "--deadline", "7200", "--output", "report.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**outside.clean_environment(), "PYTHONPATH": str(outside.ROOT)},
    )  # fmt: skip
    workers = [int(path.name.rpartition("-")[2]) for path in _appeared(work, "started-*", jobs)]
    if whole_group:
        os.killpg(run.pid, signal.SIGINT)
    else:
        run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)  # of the hour that the work would take
    assert (run.returncode, out) == (130, b"")
    assert err == b"trainproof-ci: interrupted; nothing was reported\n"
    assert list(work.glob("*report*")) + list(work.glob(".trainproof-*")) == []
    assert not any(_alive(worker) for worker in workers)


def _appeared(folder: Path, pattern: str, count: int) -> list[Path]:
    for _ in range(6000):
        found = list(folder.glob(pattern))
        if len(found) >= count:
            return found
        time.sleep(0.01)
    raise AssertionError("the work did not begin")


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_several_at_once_leave_one_whole_file(work: Path) -> None:
    (work / "a.jsonl").write_text(rows(200))
    runs = [started("check", "--format", "json", "--output", "report.json", "a.jsonl") for _ in range(8)]
    assert [run.wait() for run in runs] == [0] * 8
    for run in runs:
        run.communicate()
    assert json.loads((work / "report.json").read_text())["exit_code"] == 0
    assert [name for name in os.listdir(work) if name.startswith(".trainproof-")] == []


def test_a_link_is_replaced_not_followed(work: Path, command: Any) -> None:
    (work / "a.jsonl").write_text(rows(20))
    victim = work.parent / "victim"
    victim.write_text("untouched")
    (work / "report.json").symlink_to(victim)
    assert command("check", "--format", "json", "--output", "report.json", "a.jsonl").code == 0
    assert victim.read_text() == "untouched"
    assert not (work / "report.json").is_symlink()


@pytest.mark.parametrize("output", ["nowhere/report.json", "a.jsonl/report.json", "."])
def test_an_output_that_cannot_be_written_is_said(work: Path, command: Any, output: str) -> None:
    (work / "a.jsonl").write_text(rows(20) + "{\n")
    answer = command("check", "--format", "json", "--output", output, "a.jsonl")
    assert answer.code == 1
    assert "cannot write" in answer.err
    assert "FAIL" in answer.out + answer.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
@pytest.mark.parametrize(("content", "code"), [("{\n", 1), ("", 64)])
def test_a_full_disk_loses_no_verdict(work: Path, content: str, code: int) -> None:
    (work / "a.jsonl").write_text(rows(20) + content)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*MAIN, "check", "a.jsonl"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == code
    assert b"cannot write the output" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_closed_pipe_is_no_verdict(work: Path) -> None:
    (work / "a.jsonl").write_text(rows(20))
    run = subprocess.Popen(
        [*MAIN, "check", "--format", "json", "a.jsonl"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    run.stdout.close()
    run.wait()
    assert run.returncode in {70, 0}
    assert run.stderr is not None
    assert b"Traceback" not in run.stderr.read()
    run.stderr.close()
