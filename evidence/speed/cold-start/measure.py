"""Cold start of the Action: its one step, with a configuration to read, beside the `pip install --target` inside it.

    python evidence/speed/cold-start/measure.py [RUNS] > evidence/speed/cold-start/result.json

The script of the step is taken from action.yml and run as the runner runs it; both are measured alternately.
"""

import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[3]
RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
STEP = next(step for step in yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"] if step.get("id") == "judge")


def step(folder: pathlib.Path) -> float:
    """Seconds of the whole step on a repository of one dataset and a configuration."""
    work, temporary = folder / "work", folder / "temporary"
    work.mkdir()
    temporary.mkdir()
    (work / "train.jsonl").write_text("".join(f'{{"prompt": "question {i}", "completion": "answer {i}"}}\n' for i in range(200)))
    (work / ".trainproof.yml").write_text("version: 1\n")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("GITHUB_", "TRAINPROOF_"))}
    given = {
        "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_WORKSPACE": str(work), "GITHUB_EVENT_NAME": "push", "RUNNER_TEMP": str(temporary),
        "GITHUB_OUTPUT": str(temporary / "output"), "GITHUB_STEP_SUMMARY": str(temporary / "summary"),
    }  # fmt: skip
    begin = time.perf_counter()
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEP["run"]], cwd=work, env={**kept, **given}, check=True, stdout=subprocess.PIPE
    )
    seconds = time.perf_counter() - begin
    assert b"1 judged" in done.stdout
    return seconds


def install(folder: pathlib.Path) -> float:
    """Seconds of the installation alone."""
    begin = time.perf_counter()
    subprocess.run(
        ["python3", "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps", "--no-compile",
         "--require-hashes", "--only-binary", ":all:", "--target", str(folder / "target"), "--requirement", str(ROOT / "trainproof_ci/adapters/requirements.txt")],
        check=True, capture_output=True,
    )  # fmt: skip
    return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    measured: dict[str, list[float]] = {"step": [], "install": []}
    for _ in range(RUNS):
        for name, measure in (("step", step), ("install", install)):
            with tempfile.TemporaryDirectory() as folder:
                measured[name].append(measure(pathlib.Path(folder)))
    beyond = sorted(a - b for a, b in zip(measured["step"], measured["install"], strict=True))
    seconds = {name: {"min": round(min(v), 2), "median": round(statistics.median(v), 2)} for name, v in measured.items()}
    about = {"runs": RUNS, "python": platform.python_version(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}
    print(json.dumps({**about, **seconds, "beyond_the_install": {"median": round(statistics.median(beyond), 2)}}, indent=1))


if __name__ == "__main__":
    main()
