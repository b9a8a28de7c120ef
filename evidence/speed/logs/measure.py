#!/usr/bin/env python3
"""Measure `trainproof-ci check FILE` beside `trainproof doctor FILE`, each a process of its own, taking turns; write `RESULTS.md`.

usage: measure.py FOLDER [--rounds 3]          FOLDER holds what generate.py wrote
"""

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.path.dirname(sys.executable)
OURS, OTHER = [os.path.join(BIN, "trainproof-ci"), "check"], [os.path.join(BIN, "trainproof"), "doctor"]
SECONDS, MEGABYTES = 1.0, 150
YES = ("no", "yes")

Measured = tuple[float, float, float, bool]
"""Wall seconds, processor seconds of user and system, peak megabytes, and whether the log was judged."""


def run(command: "list[str]") -> Measured:
    """One whole process, start and imports included."""
    begun = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        usage = os.wait4(process.pid, 0)[2]
        taken = time.perf_counter() - begun
        said.seek(0)
        text = said.read()
    judged = b"NOT judged" not in text and b"NOT-CHECKED" not in text
    return taken, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, judged


def yardstick() -> float:
    """Processor seconds of ten million additions: what the machine is worth at this moment."""
    begun, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return time.process_time() - begun


def middle(runs: "list[Measured]") -> "list[float]":
    return [statistics.median(values) for values in zip(*runs)]


def row(name: str, runs: "dict[str, list[Measured]]") -> str:
    """The medians of one log."""
    wall, busy, memory, judged = middle(runs["ours"])
    other_wall, other_busy, other_memory, other_judged = middle(runs["other"])
    least = min(one[1] for one in runs["ours"])
    met = "yes" if busy <= SECONDS and memory <= MEGABYTES else "no"
    return (
        f"| {name} | {os.path.getsize(name) / 1e6:.1f} | {busy:.2f} | {least:.2f} | {wall:.2f} | {memory:.0f} | {YES[judged == 1]} | {other_busy:.2f} | {other_wall:.2f} "
        f"| {other_memory:.0f} | {YES[other_judged == 1]} | {other_busy / busy:.2f} | {met} |"
    )


def main() -> None:
    """Measure and write."""
    cli = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    cli.add_argument("folder")
    cli.add_argument("--rounds", type=int, default=3)
    chosen = cli.parse_args()
    os.chdir(chosen.folder)
    names = sorted(os.path.join(folder, file)[2:] for folder, _, files in os.walk(".") for file in files)
    taken: dict[str, dict[str, list[Measured]]] = {name: {"ours": [], "other": []} for name in names}
    loads, pace = [os.getloadavg()[0]], [yardstick()]
    for _ in range(chosen.rounds):
        for name in names:
            taken[name]["ours"].append(run([*OURS, name]))
            taken[name]["other"].append(run([*OTHER, name]))
        loads.append(os.getloadavg()[0])
        pace.append(yardstick())
    lines = [
        "# Logs of 125,000 steps", "",
        f"CPython {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors shared with other work: load {min(loads):.1f} to {max(loads):.1f}; ten million",
        f"additions took {min(pace):.2f} to {max(pace):.2f} processor seconds meanwhile. {chosen.rounds} rounds in which both commands take turns; medians of whole processes,",
        "imports included (and the least of ours, since other work on the machine only adds). The event file in `events_loss` holds the",
        "loss alone, 125,000 events; that in `events` four tags, 500,000 events.",
        f"Met: at most {SECONDS:g} processor second and {MEGABYTES} MB. Made by `generate.py FOLDER` and `measure.py FOLDER`.", "",
        "| log | MB | trainproof-ci: CPU s | least | wall s | peak MB | judged | trainproof doctor: CPU s | wall s | peak MB | judged | × | met |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
        *(row(name, taken[name]) for name in names), "",
    ]  # fmt: skip
    with open(os.path.join(HERE, "RESULTS.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
