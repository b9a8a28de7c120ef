#!/usr/bin/env python3
"""Measure the dataset check against its peers, interleaved, and write the table `README.md` beside this file.

usage: measure.py FOLDER [--rounds 3]          FOLDER holds what generate.py wrote
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Everybody may keep compiled modules; the first round of each file is preceded by one run that is not counted."""
HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = sys.executable
PLAIN = (
    "import json,sys\n"
    "def once(pairs):\n"
    "    found = dict(pairs)\n"
    "    assert len(found) == len(pairs)\n"
    "    return found\n"
    "for line in open(sys.argv[1], encoding='utf-8'):\n"
    "    json.loads(line, object_pairs_hook=once)\n"
)
PLAINLY = "from trainproof_ci.process import run;run()"
WITHOUT_NUMPY = f"import sys;sys.modules['numpy']=None;{PLAINLY}"
DATASETS = "import sys,tempfile,datasets;datasets.disable_progress_bars();datasets.load_dataset('json',data_files=sys.argv[1],cache_dir=tempfile.mkdtemp())"
DUCKDB = "import sys,duckdb;duckdb.sql(f\"select count(*), count(distinct hash(j)) from read_json_auto('{sys.argv[1]}') j\").fetchall()"


OURS = "trainproof-ci, 1 process"
SMALL = 4_000_000
"""Bytes; a smaller file is measured five times as often, for there the start of a process is most of it."""


def rows(path: str) -> int:
    """The number of lines."""
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def has(module: str) -> bool:
    """Whether this Python has a module."""
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def contestants(name: str) -> "dict[str, list[str]]":
    """The commands by name, those that are installed; ours first."""
    check = ["check", "--kind", "dataset", "--format", "json", "--output", os.devnull, "--jobs"]
    alone, helped = [PYTHON, "-c", WITHOUT_NUMPY, *check], [PYTHON, "-c", PLAINLY, *check]
    found = {OURS: [*alone, "1"], "trainproof-ci, 2 processes": [*alone, "2"]}
    if has("numpy"):
        found |= {"trainproof-ci with numpy, 1 process": [*helped, "1"], "trainproof-ci with numpy, 2 processes": [*helped, "2"]}
    if name == "many.jsonl":
        return found
    if shutil.which("trainproof"):
        text = ["--text-field", "messages"] if name == "chat.jsonl" else []
        found["trainproof preflight"] = ["trainproof", "preflight", *text]
    found["json.loads a line, repeated keys refused"] = [PYTHON, "-c", PLAIN]
    if shutil.which("jq"):
        found["jq empty"] = ["jq", "empty"]
    for module, code in (("datasets", DATASETS), ("duckdb", DUCKDB)):
        if has(module):
            found[f"{module}: load" if module == "datasets" else "duckdb: count, distinct"] = [PYTHON, "-c", code]
    return found


def run(command: "list[str]", path: str) -> "tuple[float, float, float]":
    """Wall seconds, processor seconds and peak megabytes of one run."""
    begun = time.perf_counter()
    process = subprocess.Popen([*command, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


def table(name: str, path: str, rounds: int) -> "list[str]":
    """The table of one file: medians over the rounds, in each of which every contestant runs once."""
    commands = contestants(name)
    taken: dict[str, list[tuple[float, float, float]]] = {who: [] for who in commands}
    for command in commands.values() if os.path.getsize(path) < SMALL else [commands[OURS]]:
        run(command, path)
    for _ in range(rounds if os.path.getsize(path) >= SMALL else rounds * 5):
        for who, command in commands.items():
            taken[who].append(run(command, path))
    medians = {who: [statistics.median(values) for values in zip(*runs)] for who, runs in taken.items()}
    first = medians[OURS]
    lines = [f"### {name}, {os.path.getsize(path) / 1e6:.0f} MB, {rows(path):,} rows", "", "| command | wall s | ratio | processor s | ratio | peak MB |", "|---|---:|---:|---:|---:|---:|"]
    for who, (wall, busy, memory) in medians.items():
        lines.append(f"| {who} | {wall:.3g} | {wall / first[0]:.2f} | {busy:.3g} | {busy / first[1]:.2f} | {memory:.0f} |")
    return [*lines, ""]


ABOUT = """\
A ratio is against trainproof-ci with one process: above 1, trainproof-ci is faster. Start and end of every process are
included. All default rules are on: digest, strict JSON, repeated keys, fields, texts, duplicates, conflicts; nothing else
in the tables does as much. With other work on the machine the processor seconds say more than the wall.
The thread that computes the digest is part of ours and of no other command.

How it is done: the texts of a block of lines are cut out between the bytes that are the same in every line, and a few
searches in C (no control byte, no bare quote, no doubtful escape, UTF-8, nothing rare) prove them all at once. Only
lines in which a search finds something are parsed, and only what is wrong is explained. So a file that is odd in every
line takes the time of a parse on top.

The one accelerator is numpy, where it is installed: it sorts the hashes of half a million records and more, which are otherwise
parted into small sets. For fewer it is not loaded, so long rows gain nothing; nor does it decide anything, for what has equal
hashes is read again and compared. No other was found that earns its place. `msgspec` was tried on the same blocks, as
`decode_lines` into a struct that forbids unknown fields. It does not tell of repeated keys; with the search that proves
there are none, and the searches for rare characters that are needed all the same, it took 1.1 to 1.3 times as long as
the proof above on the long rows and 0.7 to 1.2 times on the short ones, where that proof is a third of the work. With
the fields left raw it takes half to three quarters on the long rows, but then neither UTF-8 nor repeated keys are proved,
and that costs what was gained.""".split("\n")


def main() -> None:
    """Measure and write."""
    cli = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    cli.add_argument("folder")
    cli.add_argument("--rounds", type=int, default=3)
    chosen = cli.parse_args()
    os.chdir(chosen.folder)
    load = os.getloadavg()[0]
    lines = [
        "# Speed of the dataset check", "",
        f"Python {platform.python_version()}, {os.cpu_count()} processors, load {load:.1f} at the start; {chosen.rounds} interleaved rounds, medians.",
        "Made by `generate.py FOLDER` and `measure.py FOLDER`, this text included.", "", *ABOUT, "",
    ]  # fmt: skip
    for name in ("long.jsonl", "short.jsonl", "chat.jsonl", "small.jsonl", "many.jsonl"):
        if os.path.exists(name):
            lines += table(name, name, chosen.rounds)
    with open(os.path.join(HERE, "README.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
