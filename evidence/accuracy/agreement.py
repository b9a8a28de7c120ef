"""Writes AGREEMENT.md: how often the verdict is the expected one, beside the `trainproof` command on the same files.

    python evidence/accuracy/agreement.py        a few minutes; `trainproof` is asked where it is installed

The files are every log under `evidence/` and every rule case about a run in which a rule must fire.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "rules")]

import verdicts  # noqa: E402

from trainproof_ci.config import Settings, load_settings  # noqa: E402
from trainproof_ci.discovery import find  # noqa: E402
from trainproof_ci.engine import check  # noqa: E402

ARGUED = {
    "labels-shuffled": "a loss that falls is not evidence of learning: the single log is healthy in every respect, "
    "and only the healthy run beside it shows what was to be reached",
    "stablebaselines-rate-x1000": "the loss of a reinforcement run does not say whether it learns, and its reward stays where "
    "it was, which is not broken by itself; it is not judged, and says so",
}
"""Disagreements that are ours, with the argument."""


class Row(NamedTuple):
    """One file: what is expected, what we say, what the other tool says (None: it was not asked)."""

    group: str
    name: str
    expected: str
    ours: str
    theirs: str | None


def theirs(path: pathlib.Path) -> str | None:
    """The verdict of `trainproof doctor`, "not read" where it judged nothing."""
    program = shutil.which("trainproof", path=os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]]))
    if program is None:
        return None
    done = subprocess.run([program, "doctor", str(path), "--json"], capture_output=True, check=False, timeout=120)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        return "not read"
    reports = document.get("reports") or []
    return str(document.get("worst_verdict") or reports[0]["verdict"]) if reports else "not read"


def evidence_rows() -> list[Row]:
    rows, paths = [], []
    for folder in verdicts.run_folders():
        lock = json.loads((folder / verdicts.LOCK).read_text())
        for log, found in lock["files"].items():
            group = f"evidence/{folder.parent.parent.name}"
            rows.append(Row(group, f"{folder.name}/{log}", lock["expected"], found["verdict"], None))
            paths.append(folder / log)
    return with_theirs(rows, paths)


def case_rows() -> list[Row]:
    """The rule cases in which a rule of runs must fire: the severity is the expected verdict of the file."""
    from test_cases import lay_out

    rows, paths = [], []
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted((ROOT / "tests" / "rules" / "cases" / "run").glob("*.yml")):
            for case in yaml.safe_load(path.read_text(encoding="utf-8")):
                if case["expect"] != "fires" or case["severity"] not in {"FAIL", "WARN"} or "config" in case:
                    continue
                folder = pathlib.Path(scratch) / str(len(rows))
                folder.mkdir()
                os.chdir(folder)
                lay_out(folder, case)
                report = check(find(["."], load_settings(None)), Settings())
                rows.append(Row("tests/rules/cases/run", f"{path.stem}: {case['name']}", case["severity"], report.verdict.value, None))
                paths.append(folder / next(iter(case["files"])))
        os.chdir(here)
        return with_theirs(rows, paths)


def with_theirs(rows: list[Row], paths: list[pathlib.Path]) -> list[Row]:
    with ThreadPoolExecutor(8) as pool:
        return [row._replace(theirs=said) for row, said in zip(rows, pool.map(theirs, paths))]


def agrees(expected: str, said: str | None) -> bool:
    return said == expected


def totals(rows: list[Row]) -> list[str]:
    lines = ["| files | number | trainproof-ci | trainproof |", "|---|---|---|---|"]
    for group in dict.fromkeys(row.group for row in rows):
        mine = [row for row in rows if row.group == group]
        ours = sum(agrees(row.expected, row.ours) for row in mine)
        asked = [row for row in mine if row.theirs is not None]
        other = f"{sum(agrees(row.expected, row.theirs) for row in asked)} of {len(asked)}" if asked else "not installed"
        lines.append(f"| {group} | {len(mine)} | {ours} of {len(mine)} | {other} |")
    healthy = [row for row in rows if row.expected == "PASS"]
    lines.append(f"| false FAIL on healthy runs | {len(healthy)} | {false_fails(healthy, 'ours')} | {false_fails(healthy, 'theirs')} |")
    return lines


def false_fails(rows: list[Row], who: str) -> int:
    return sum(getattr(row, who) == "FAIL" for row in rows)


def disagreements(rows: list[Row]) -> list[str]:
    lines = []
    for row in rows:
        if not agrees(row.expected, row.ours):
            why = next((text for key, text in ARGUED.items() if row.name.startswith(key)), "ours may be the wrong one")
            lines.append(f"- {row.name}: expected {row.expected}, we say {row.ours}; {why}.")
    return lines or ["None."]


def injected_table() -> list[str]:
    lines = ["| run | expected | single run | rules of `trainer_state.json` | compare | caught by |", "|---|---|---|---|---|---|"]
    for folder in verdicts.run_folders():
        lock = json.loads((folder / verdicts.LOCK).read_text())
        if folder.parent.parent.name != "injected":
            continue
        found = lock["files"]["trainer_state.json"]
        beside = lock.get("compare")
        compared = f"{beside['verdict']} {' '.join(beside['rules'])}" if beside else "-"
        lines.append(
            f"| {folder.name} | {lock['expected']} | {found['verdict']} | {' '.join(found['rules']) or '-'} | {compared} | {lock['caught_by']} |"
        )
    return lines


def main() -> None:
    os.chdir(ROOT)
    rows = [*evidence_rows(), *case_rows()]
    others = [f"- {row.name}: expected {row.expected}, trainproof says {row.theirs}." for row in rows if row.theirs not in {None, row.expected}]
    text = [
        "# Agreement with the expected verdicts", "",
        "Generated by `python evidence/accuracy/agreement.py`; the locks are held by `evidence/accuracy/verdicts.py` and a test.",
        "", *totals(rows), "", "## Where we disagree", "", *disagreements(rows), "",
        "## Where trainproof disagrees", "", *(others or ["None, or it is not installed."]), "",
        "## The injected faults", "", *injected_table(), "",
        "A loss that falls is not evidence of learning: with shuffled labels it falls too, to the entropy of the letters.",
        "The healthy run beside it tells (`compare`), and the dataset does, to whoever reads it.", "",
    ]  # fmt: skip
    (HERE / "AGREEMENT.md").write_text("\n".join(text), encoding="utf-8")
    print("\n".join(totals(rows)))


if __name__ == "__main__":
    main()
