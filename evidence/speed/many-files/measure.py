"""Many small files and many findings: how long a check and the Action's whole step take, how large what they write is.

    python evidence/speed/many-files/measure.py [ROUNDS] > evidence/speed/many-files/RESULTS.md

Makes its files in a temporary folder (300 MB with what is written): 20,000 data sets of 12 records in 200 folders, the
same in one folder, and 20,000 in which 100,000 findings and more are to be made. `trainproof-ci` must be on the PATH.
The step is run as `action.yml` runs it: report, SARIF, upload, summary, annotations and outputs at once; and again
with a token and an API on this machine, which takes the check run.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from typing import NamedTuple

FILES, RECORDS, FOLDERS = 20_000, 12, 200
WORDS = ("the", "a", "of", "to", "and", "in", "river", "stone", "garden", "window", "market", "engine", "letter")
FAULTS = (
    '{"prompt": "x", "completion": NaN}', "", '{"prompt": "x", "prompt": "y", "completion": "z"}',
    '{"prompt": "", "completion": "z"}', '{"prompt": "w"}',
)  # fmt: skip
LIMITS = {"many files": 30, "many findings": 60}
"""Seconds of wall on two free processors that are promised."""


class Cost(NamedTuple):
    """Seconds of wall and of processors, and the peak of the largest process in MB."""

    wall: float
    cpu: float
    peak: float


def clean(number: int, chance: Random) -> str:
    """A file in which nothing is wrong."""
    said = (" ".join(chance.choices(WORDS, k=6)) for _ in range(2 * RECORDS))
    return "".join(
        f'{{"prompt": "q {number} {row} {next(said)}", "completion": "a {number} {row} {next(said)}"}}\n'
        for row in range(RECORDS)
    )


def faulty(number: int, chance: Random) -> str:
    """A file with six findings."""
    del chance
    good = [f'{{"prompt": "q {number} {row}", "completion": "a {number} {row}"}}' for row in range(7)]
    return "\n".join((*good, *FAULTS)) + "\n"


def make(root: Path, text: Callable[[int, Random], str], folders: int) -> Path:
    """The files below `root`."""
    chance = Random(7)
    for folder in range(folders):
        (root / f"d{folder:03d}").mkdir(parents=True)
    for number in range(FILES):
        (root / f"d{number % folders:03d}" / f"f{number:05d}.jsonl").write_text(text(number, chance))
    return root


def once(command: list[str], folder: Path, environment: dict[str, str]) -> Cost:
    """What one run of a command costs, its processes included."""
    begin = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        run = subprocess.Popen(command, cwd=folder, stdout=nowhere, stderr=nowhere, env={**os.environ, **environment})
        _, _, used = os.wait4(run.pid, 0)
        run.returncode = 0
    return Cost(time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def step(root: Path, scratch: Path, api: str) -> dict[str, str]:
    """The environment of the Action's step."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    token = {"TRAINPROOF_TOKEN": "t", "GITHUB_API_URL": api} if api else {}
    return {
        "GITHUB_OUTPUT": str(scratch / "output"), "GITHUB_STEP_SUMMARY": str(scratch / "summary.md"), "RUNNER_TEMP": str(scratch),
        "GITHUB_WORKSPACE": str(root), "GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_NAME": "push", "GITHUB_SHA": "c" * 40,
        "GITHUB_JOB": "lint", "TRAINPROOF_UPLOAD_SARIF": "true", **token,
    }  # fmt: skip


class Checks(BaseHTTPRequestHandler):
    """Takes a check run and its annotations."""

    protocol_version = "HTTP/1.1"
    requests = annotations = 0

    def answer(self) -> None:
        """Count, and say that it is done."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Checks.requests += 1
        Checks.annotations += len(body["output"]["annotations"])
        told = b'{"id": 1, "html_url": "https://example.com/1"}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_POST = do_PATCH = answer  # noqa: N815 - the names that http.server calls

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The address of an API that takes check runs."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Checks)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def written(scratch: Path) -> Iterator[str]:
    """The sizes of what the step wrote."""
    for path in sorted(path for path in scratch.rglob("*") if path.is_file()):
        yield f"{path.name} {path.stat().st_size / 1e6:.2f} MB"


def main() -> None:
    """Make, measure, tell."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    load = os.getloadavg()[0]
    program = shutil.which("trainproof-ci") or "trainproof-ci"
    with tempfile.TemporaryDirectory() as top, served() as api:
        small = make(Path(top, "small"), clean, FOLDERS)
        flat = make(Path(top, "flat"), clean, 1)
        found = make(Path(top, "found"), faulty, FOLDERS)
        scratch, report = Path(top, "scratch"), str(Path(top, "report"))
        check = [program, "check", "--format", "json", "--output", report]
        runs = [
            ("many files", f"{FILES:,} files, check, 1 process", small, [*check, "--jobs", "1", "."], None),
            ("many files", f"{FILES:,} files, check, 2 processes", small, [*check, "--jobs", "2", "."], None),
            ("many files", "the same in one folder, 2 processes", flat, [*check, "--jobs", "2", "."], None),
            ("many findings", "120,000 findings, the whole step", found, [program, "action"], ""),
            ("many findings", "the same with a check run", found, [program, "action"], api),
        ]
        costs: dict[str, list[Cost]] = {name: [] for _, name, *_ in runs}
        for _ in range(rounds):
            for _, name, root, command, url in runs:
                environment = {} if url is None else step(root, scratch, url)
                costs[name].append(once(command, root, environment))
        sizes = ", ".join(written(scratch))
    print("# Many small files, many findings\n")
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} processors, load {load:.1f} at the start; medians of {rounds} rounds."
    )
    print("Made by `measure.py`, which says what it measures.\n")
    print("| run | wall s | promised | processor s | peak MB |\n|---|---:|---:|---:|---:|")
    for promise, name, *_ in runs:
        wall, cpu, peak = (statistics.median(values) for values in zip(*costs[name], strict=True))
        print(f"| {name} | {wall:.1f} | {LIMITS[promise]} | {cpu:.1f} | {peak:.0f} |")
    print(f"\nThe step wrote: {sizes}.")
    print(
        f"Of the check run it made {Checks.requests // rounds} requests with {Checks.annotations // rounds:,} annotations."
    )


if __name__ == "__main__":
    main()
