"""Trains one small task with many frameworks, each logging the same run in every format that it writes.

    python evidence/frameworks/make.py                   all of them; a few minutes
    python evidence/frameworks/make.py keras pytorch     these only
    python evidence/frameworks/make.py --output FOLDER   somewhere else

What a framework needs stands in its module (`with_*.py`); one that is not installed is said and left as it is. The
versions used are in each `run.json`.
"""

import argparse
import importlib
import importlib.metadata
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from forks import forked  # noqa: E402 - shared by the folders of runs
NAMES = (
    "huggingface", "lightning", "pytorch", "tqdm", "accelerate", "keras", "coqui", "stablebaselines",
    "lightgbm", "xgboost", "catboost", "spacy", "ultralytics",
)  # fmt: skip
CONSOLE = "console.txt"
FAILED = "; what it printed stands in its console.txt"
KEPT = frozenset({"verdict.json"})


def main() -> int:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("names", nargs="*", metavar="FRAMEWORK", help=f"of {', '.join(NAMES)} (default: all)")
    cli.add_argument("--output", type=pathlib.Path, default=HERE, help="where the runs go (default: beside this script)")
    given = cli.parse_args()
    if unknown := set(given.names) - set(NAMES):
        cli.error(f"unknown: {', '.join(sorted(unknown))}")
    missing = []
    for name in given.names or NAMES:
        began = time.monotonic()
        module = importlib.import_module(f"with_{name}")
        if absent := [package for package in module.PACKAGES if version(package) is None]:
            missing.append(f"{name} (needs {', '.join(absent)})")
            continue
        for fault in module.FAULTS:
            forked(lambda fault=fault: make_run(name, fault, given.output.resolve() / "runs" / f"{name}-{fault}"), FAILED)
        print(f"{name}: {len(module.FAULTS)} runs, {time.monotonic() - began:.0f} s", flush=True)
    if missing:
        print(f"not installed, left as they are: {'; '.join(missing)}")
    return 1 if missing else 0


def make_run(name: str, fault: str, folder: pathlib.Path) -> None:
    """Train once and keep what was written, under names without time, host and process."""
    warnings.simplefilter("ignore")
    os.environ |= {"CUDA_VISIBLE_DEVICES": "", "COLUMNS": "120", "PYTHONHASHSEED": "0"}
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in KEPT:
            old.unlink()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        console = os.open(folder / CONSOLE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(console, 1)
        os.dup2(console, 2)
        import task
        import torch

        torch.set_num_threads(1)
        module = importlib.import_module(f"with_{name}")
        module.run(folder, task.FAULTS[fault])
        sys.stdout.flush()
        sys.stderr.flush()
        told = (folder / CONSOLE).read_text(encoding="utf-8", errors="surrogateescape")
        told = told.replace(scratch, "/scratch").replace(os.uname().nodename, "host")
        (folder / CONSOLE).write_text(told, encoding="utf-8", errors="surrogateescape")
        if module.CONSOLE_IS_LOG is not True and fault not in module.CONSOLE_IS_LOG:
            (folder / CONSOLE).unlink()
        os.chdir(HERE)
    (folder / "run.json").write_text(json.dumps(about(name, fault, module), indent=1) + "\n")


def about(name: str, fault: str, module: object) -> dict[str, object]:
    import task

    return {
        "command": f"python evidence/frameworks/make.py {name}",
        "what": module.__doc__.split("\n")[0], "fault": task.FAULTS[fault].what,
        "data": getattr(module, "DATA", "512 rows of four random numbers and their weighted sum (task.py)"),
        "seed": task.SEED,
        "versions": {"python": sys.version.split()[0], **{package: version(package) for package in module.PACKAGES}},
    }  # fmt: skip


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def event_file(source: pathlib.Path, folder: pathlib.Path, number: int = 1) -> None:
    """Keep the one event file below `source`."""
    (events,) = source.rglob("*tfevents*")
    shutil.copyfile(events, folder / f"events.out.tfevents.{number}.host.1.0")


if __name__ == "__main__":
    sys.exit(main())
