"""Times every way to read an event file of a million scalars, in one run, and writes the table RESULTS.md beside it.

Each reading is a process of its own; the ways take turns, and the best of the rounds counts. Seconds are CPU time of
the process, imports included, so that other work on the machine blurs them little.

usage: benchmark.py [EVENTS] [ROUNDS]
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
SAID = {
    "bytes": "the bytes alone",
    "framing": "trainproof-ci, framing checksums, content checksums of what findings rest on (no accelerator, file > 2 MB)",
    "accelerator": "trainproof-ci, framing and every content checksum, with google-crc32c",
    "table": "trainproof-ci, framing and every content checksum, without accelerator",
    "trainproof": "trainproof (checks no checksum)",
    "EventAccumulator": "TensorBoard's EventAccumulator (checks every checksum)",
}


def one(path: str, way: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, str(HERE / "read.py"), path, way], check=True, capture_output=True, text=True
    )
    found: dict[str, float] = json.loads(done.stdout.strip().split("\n")[-1])
    return found


def main() -> None:
    events = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    lines = [
        f"# {events:,} scalar events over ten tags",
        "",
        f"CPU seconds, best of {rounds} rounds in one run, CPython {platform.python_version()}, {platform.machine()}, "
        f"{os.cpu_count()} cores. `python evidence/speed/tfevents/benchmark.py` makes the files and this table.",
    ]
    with tempfile.TemporaryDirectory() as folder:
        for style in ("simple", "tensor"):
            path = f"{folder}/events.out.tfevents.{style}"
            subprocess.run([sys.executable, str(HERE / "write.py"), path, str(events), style], check=True)
            best: dict[str, dict[str, float]] = {}
            for _ in range(rounds):
                for way in SAID:
                    found = one(path, way)
                    if way not in best or found["seconds"] < best[way]["seconds"]:
                        best[way] = found
            assert {found["values"] for way, found in best.items() if way != "bytes"} == {events}
            lines += ["", f"## {style} values, {os.path.getsize(path) / 1e6:.0f} MB", "", *table(best)]
    text = "\n".join(lines) + "\n"
    (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
    print(text)


def table(best: dict[str, dict[str, float]]) -> list[str]:
    rows = ["| reader | s | MB | × EventAccumulator | × trainproof |", "|---|---|---|---|---|"]
    slow, other = best["EventAccumulator"]["seconds"], best["trainproof"]["seconds"]
    for way, said in SAID.items():
        seconds = best[way]["seconds"]
        ratios = f"{slow / seconds:.1f} | {other / seconds:.1f}" if way != "bytes" else "- | -"
        rows.append(f"| {said} | {seconds:.2f} | {best[way]['mb']:.0f} | {ratios} |")
    return rows


if __name__ == "__main__":
    main()
