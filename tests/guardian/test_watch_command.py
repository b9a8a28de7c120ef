"""`watch` around a real process: verdict, exit code and forwarded output in every way a command can end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import ROOT

TRAINING = str(Path(__file__).parent / "training.py")
MAIN = [sys.executable, "-I", str(ROOT / "trainproof_ci" / "__main__.py"), "watch"]
GRACE = ("--grace", "0.3", "0.3")


class Watched(NamedTuple):
    code: int
    out: bytes
    err: bytes
    report: dict[str, Any]

    @property
    def rules(self) -> set[str]:
        return {f["rule"] for t in self.report["targets"] for f in t["findings"]}


def arguments(*options: str, ending: str = "0", kind: str = "healthy") -> list[str]:
    return [
        *MAIN,
        *options,
        "--format",
        "json",
        "--output",
        "report.json",
        "--",
        sys.executable,
        TRAINING,
        ending,
        kind,
    ]


def watched(work: Path, *options: str, ending: str = "0", kind: str = "healthy") -> Watched:
    done = subprocess.run(
        arguments(*options, ending=ending, kind=kind), cwd=work, capture_output=True, timeout=60, check=False
    )
    return Watched(done.returncode, done.stdout, done.stderr, json.loads((work / "report.json").read_text()))


def test_a_healthy_command_passes_and_its_output_is_untouched(work: Path) -> None:
    seen = watched(work)
    assert (seen.code, seen.report["verdict"]) == (0, "PASS")
    assert seen.out == b"begin\r\xff\xfe 50%\r\nend\n"
    assert seen.err == b"to the error stream\n"


@pytest.mark.parametrize(("own", "told"), [(3, 3), (1, 71), (2, 71), (64, 71)])
def test_the_commands_own_failure_is_told_from_ours(work: Path, own: int, told: int) -> None:
    seen = watched(work, ending=str(own))
    assert seen.code == told
    assert f"the command exited with {own}" in seen.report["notes"]


def test_a_fail_is_only_warned_about_by_default(work: Path) -> None:
    seen = watched(work, kind="nan")
    assert (seen.code, seen.report["verdict"]) == (1, "FAIL")
    assert seen.out.endswith(b"end\n"), "the command ran to its end"
    assert "the command exited with 0" in seen.report["notes"]


def test_a_fail_stops_the_command_when_asked_to(work: Path) -> None:
    seen = watched(work, "--stop-on-fail", ending="hang", kind="nan")
    assert (seen.code, seen.report["verdict"]) == (1, "FAIL")
    assert "TP-NAN" in seen.rules
    assert any(note.startswith("stopped with SIGINT after TP-NAN") for note in seen.report["notes"])


def test_a_command_that_hears_no_signal_is_killed(work: Path) -> None:
    seen = watched(work, "--stop-on-fail", *GRACE, ending="deaf", kind="nan")
    assert seen.code == 1
    assert any(note.startswith("stopped with SIGKILL") for note in seen.report["notes"])


def test_a_healthy_command_is_not_stopped(work: Path) -> None:
    seen = watched(work, "--stop-on-fail")
    assert (seen.code, seen.report["verdict"]) == (0, "PASS")


def test_a_killed_command_says_by_what(work: Path) -> None:
    seen = watched(work, ending="killed")
    assert seen.code == 128 + signal.SIGKILL
    assert "the command was killed by SIGKILL" in seen.report["notes"]


def ended_by(work: Path, number: int) -> int:
    """What a watch ends with that gets a signal while its command hangs."""
    with subprocess.Popen(
        arguments(ending="hang"), cwd=work, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != b"waiting\n":
            pass
        os.kill(process.pid, number)
        return process.wait(timeout=30)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_reaches_the_command_and_the_report_is_still_written(work: Path, number: int) -> None:
    assert ended_by(work, number) == 128 + number
    report = json.loads((work / "report.json").read_text())
    assert f"interrupted by the user with {signal.Signals(number).name}" in report["notes"]


def test_a_stall_is_a_warning(work: Path) -> None:
    with subprocess.Popen(arguments("--stall", "0.2", ending="hang"), cwd=work, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while b"TP-STALL" not in process.stderr.readline():
            pass
        os.kill(process.pid, signal.SIGINT)
        process.wait(timeout=30)
    report = json.loads((work / "report.json").read_text())
    assert report["verdict"] == "WARN"
    assert "TP-STALL" in {f["rule"] for t in report["targets"] for f in t["findings"]}


@pytest.mark.parametrize(("name", "code"), [("no-such-program", 127), (".", 126)])
def test_a_command_that_cannot_start(work: Path, name: str, code: int) -> None:
    done = subprocess.run([*MAIN, "--", name], cwd=work, capture_output=True, timeout=60, check=False)
    assert done.returncode == code


@pytest.mark.parametrize("words", [[], ["--"], ["python", "train.py"]])
def test_what_to_watch_must_be_said(work: Path, words: list[str]) -> None:
    assert subprocess.run([*MAIN, *words], cwd=work, capture_output=True, timeout=60, check=False).returncode == 64


def test_a_command_without_a_log_is_not_checked(work: Path) -> None:
    done = subprocess.run([*MAIN, "--", sys.executable, "-c", ""], cwd=work, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"no training log was written" in done.stderr


def test_in_a_github_job_the_summary_and_annotations_are_written(work: Path) -> None:
    environment = {**os.environ, "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(work / "summary.md")}
    done = subprocess.run(
        arguments(kind="nan"), cwd=work, capture_output=True, env=environment, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "TP-NAN" in (work / "summary.md").read_text()
    assert b"::error file=run_log.jsonl,line=6" in done.stderr
    assert b"::error" not in done.stdout


def followed(work: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*MAIN, *words], cwd=work, capture_output=True, timeout=60, check=False)


def write_log(work: Path, losses: list[float]) -> None:
    rows = [json.dumps({"step": step, "loss": loss}) + "\n" for step, loss in enumerate(losses)]
    (work / "log.jsonl").write_text("".join(rows))


def test_a_log_is_followed_until_it_stalls(work: Path) -> None:
    write_log(work, [3.0 / (1 + step) for step in range(20)])
    done = followed(work, "log.jsonl", "--stall", "0.1")
    assert done.returncode == 0
    assert b"log.jsonl:20: WARN TP-STALL" in done.stdout


def test_a_log_that_fails_ends_the_watch_when_asked_to(work: Path) -> None:
    write_log(work, [3.0] + [float("nan")] * 19)
    done = followed(work, "--stop-on-fail", "log.jsonl")
    assert done.returncode == 1
    assert b"FAIL TP-NAN" in done.stdout


def test_a_log_that_never_comes_is_not_checked(work: Path) -> None:
    done = followed(work, "missing.jsonl", "--stall", "0.1")
    assert done.returncode == 2
    assert b"TP-FILE-NOT-FOUND: there is no such file" in done.stdout


def test_a_log_that_is_named_and_never_comes_is_a_log(work: Path) -> None:
    seen = watched(work, "--log", "missing.txt")
    assert seen.code == 2
    assert [target["kind"] for target in seen.report["targets"] if target["path"] == "missing.txt"] == ["run"]


def test_a_folder_is_no_log(work: Path) -> None:
    done = followed(work, ".")
    assert done.returncode == 64
    assert b"--log" in done.stderr


@pytest.mark.parametrize("options", [("--stall", "nan"), ("--stall", "-1"), ("--stall", "x"), ("--grace", "-1", "0")])
def test_seconds_must_be_seconds(work: Path, options: tuple[str, ...]) -> None:
    assert followed(work, *options, "--", "true").returncode == 64


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_what_ends_the_watch_ends_the_command(work: Path, number: int) -> None:
    assert ended_by(work, number) == 128 + number


def test_a_signal_that_is_switched_off_stays_so(work: Path) -> None:
    """As under `nohup`: the closed terminal ends neither us nor the command."""
    without = ["/bin/sh", "-c", 'trap "" HUP; exec "$@"', "sh", *arguments(ending="hang")]
    with subprocess.Popen(without, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        while process.stdout.readline() != b"waiting\n":
            pass
        os.kill(process.pid, signal.SIGHUP)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) == 128 + signal.SIGINT


def comes_to(process: int, *, stopped: bool) -> bool:
    """Whether the process stops, or goes on, within ten seconds; the kernel's word for stopped is T."""
    limit = time.monotonic() + 10
    while time.monotonic() < limit:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        if (state == "T") is stopped:
            return True
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see what a process does")
def test_ctrl_z_suspends_the_command_and_continues_it(work: Path) -> None:
    with subprocess.Popen(
        arguments(ending="hang"), cwd=work, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        while process.stdout.readline() != b"waiting\n":
            pass
        child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
        os.kill(process.pid, signal.SIGTSTP)
        suspended = comes_to(child, stopped=True) and comes_to(process.pid, stopped=True)
        os.kill(process.pid, signal.SIGCONT)
        continued = comes_to(process.pid, stopped=False) and comes_to(child, stopped=False)
        os.kill(process.pid, signal.SIGINT)
        try:
            assert process.wait(timeout=30) == 128 + signal.SIGINT
        finally:
            process.kill()
        assert suspended
        assert continued


def test_output_without_an_end_of_line_and_in_any_bytes_passes(work: Path) -> None:
    code = "import os; os.write(1, bytes(range(256)) * 999); os.write(2, b'loss: 0.5')"
    done = subprocess.run(
        [*MAIN, "--output", "report.txt", "--", sys.executable, "-c", code],
        cwd=work, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.stdout == bytes(range(256)) * 999
    assert done.stderr.startswith(b"loss: 0.5")


def test_a_reader_that_goes_away_ends_neither_the_watch_nor_its_report(work: Path) -> None:
    code = "import sys\nfor i in range(200_000): print(i)"
    with subprocess.Popen(
        [*MAIN, "--output", "report.txt", "--", sys.executable, "-c", code], cwd=work, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) not in {0, 70}
    assert (work / "report.txt").exists()
