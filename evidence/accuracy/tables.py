"""Writes what the locks and runs say into the README.md files of the evidence: tables between two marks, nothing else.

    python evidence/accuracy/tables.py            writes them; some seconds
    python evidence/accuracy/tables.py --check    exit 1 when one of them says something else
"""

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import verdicts  # noqa: E402

MARK = re.compile(r"(<!-- made by tables\.py: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
READMES = ("README.md", "injected/README.md", "frameworks/README.md")


def injected() -> str:
    """Seven ways, three seeds: what each log says, what the comparison says, what catches the fault."""
    lines = ["| run | expected | each log says | rules | compare with the healthy run | caught by |", "|---|---|---|---|---|---|"]
    for folder, lock in locks("injected"):
        compared = f"{lock['compare']['verdict']} {' '.join(lock['compare']['rules'])}" if "compare" in lock else "-"
        lines.append(f"| {folder.name} | {lock['expected']} | {said(lock)} | {rules(lock)} | {compared} | {lock['caught_by']} |")
    return "\n".join(lines) + "\n"


def frameworks() -> str:
    """Every run with its logs and what all of them say."""
    lines = ["| run | logs | expected | each log says | rules | caught by |", "|---|---|---|---|---|---|"]
    for folder, lock in locks("frameworks"):
        names = ", ".join("event file" if "tfevents" in name else f"`{name}`" for name in lock["files"])
        lines.append(f"| {folder.name} | {names} | {lock['expected']} | {said(lock)} | {rules(lock)} | {lock['caught_by']} |")
    return "\n".join(lines) + "\n"


def versions() -> str:
    """What the runs of each framework were made with."""
    lines = ["| framework | what is logged | versions |", "|---|---|---|"]
    seen = {}
    for folder, _ in locks("frameworks"):
        about = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        seen.setdefault(folder.name.split("-", 1)[0], (about["what"], about["versions"]))
    for name, (what, made_with) in sorted(seen.items()):
        lines.append(f"| `{name}` | {what} | {', '.join(f'{package} {number}' for package, number in made_with.items())} |")
    return "\n".join(lines) + "\n"


def check() -> str:
    """The last line of `trainproof-ci check evidence`."""
    done = subprocess.run(
        [sys.executable, "-I", str(verdicts.ROOT / "trainproof_ci" / "__main__.py"), "check", "evidence"],
        cwd=verdicts.ROOT, capture_output=True, check=False, text=True, encoding="utf-8",
    )  # fmt: skip
    return f"```console\n$ trainproof-ci check evidence | tail -n 1\n{done.stdout.rstrip().rsplit(chr(10), 1)[-1]}\n```\n"


TABLES: dict[str, Callable[[], str]] = {"injected": injected, "frameworks": frameworks, "versions": versions, "check": check}


def locks(group: str) -> list[tuple[pathlib.Path, dict]]:
    folders = [folder for folder in verdicts.run_folders() if folder.parent.parent.name == group]
    return [(folder, json.loads((folder / verdicts.LOCK).read_text(encoding="utf-8"))) for folder in folders]


def said(lock: dict) -> str:
    return " or ".join(sorted({entry["verdict"] for entry in lock["files"].values()}))


def rules(lock: dict) -> str:
    """The rules of all logs; throughput is a note that only some formats carry."""
    found = {rule for entry in lock["files"].values() for rule in entry["rules"]} - {"TP-THROUGHPUT"}
    return " ".join(sorted(found)) or "-"


def rewritten(text: str) -> str:
    """The text with its tables made anew."""
    return MARK.sub(lambda found: found[1] + TABLES[found[2]]() + found[3], text)


def main() -> int:
    os.chdir(verdicts.ROOT)
    differing = 0
    for name in READMES:
        path = verdicts.EVIDENCE / name
        before = path.read_text(encoding="utf-8")
        after = rewritten(before)
        differing += after != before
        if "--check" not in sys.argv[1:]:
            path.write_text(after, encoding="utf-8")
    print(f"{len(READMES)} files, {differing} {'differ' if '--check' in sys.argv[1:] else 'changed'}")
    return 1 if differing and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
