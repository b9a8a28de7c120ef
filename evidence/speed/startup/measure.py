"""Start-up of `trainproof-ci check` on one small file, beside the existing `trainproof doctor`, measured interleaved.

    python evidence/speed/startup/measure.py [RUNS] > evidence/speed/startup/result.json

Both commands must be on the PATH, installed in the same Python. Wall time and processor time of the whole process.
"""

import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def small_log(folder: str) -> str:
    """A trainer_state.json of 200 entries."""
    history = [{"step": 10 * i, "loss": round(2.5 / i + 0.3, 4), "grad_norm": 1.1, "learning_rate": 1e-4} for i in range(1, 201)]
    path = pathlib.Path(folder, "trainer_state.json")
    path.write_text(json.dumps({"log_history": history, "global_step": 2000}, indent=1))
    return str(path)


def once(command: list[str], folder: str) -> tuple[float, float]:
    """Seconds of wall and of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.basename(small_log(folder))
        commands = {"trainproof doctor": ["trainproof", "doctor", name], "trainproof-ci check": ["trainproof-ci", "check", name]}
        commands = {label: [shutil.which(words[0]) or words[0], *words[1:]] for label, words in commands.items()}
        for words in commands.values():
            once(words, folder)
        measured: dict[str, list[tuple[float, float]]] = {label: [] for label in commands}
        for _ in range(RUNS):
            for label, words in commands.items():
                measured[label].append(once(words, folder))
    result = {
        label: {
            f"{which}_ms": {"min": round(1000 * min(values)), "median": round(1000 * statistics.median(values))}
            for which, values in (("wall", [w for w, _ in runs]), ("cpu", [c for _, c in runs]))
        }
        for label, runs in measured.items()
    }
    about = {"runs": RUNS, "python": platform.python_version(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    print(json.dumps({**about, **result}, indent=1))


if __name__ == "__main__":
    main()
