"""The locked verdict of every run under `evidence/`: one `verdict.json` beside the logs, the complete set of rule ids.

    python evidence/accuracy/verdicts.py             compare every run with its lock; exit 1 when one differs
    python evidence/accuracy/verdicts.py --update    write the locks anew; the change needs an entry in CHANGELOG.md

A lock also holds what was meant to happen (`expected`, by the fault that was put in) and by what the fault is caught.
"""

import argparse
import hashlib
import json
import os
import pathlib
import sys

EVIDENCE = pathlib.Path(__file__).resolve().parent.parent
ROOT = EVIDENCE.parent
sys.path.insert(0, str(ROOT))

from trainproof_ci.comparison import compare  # noqa: E402
from trainproof_ci.config import Settings  # noqa: E402
from trainproof_ci.discovery import find  # noqa: E402
from trainproof_ci.engine import check  # noqa: E402
from trainproof_ci.model import Severity  # noqa: E402

LOCK = "verdict.json"
SUFFIXES = frozenset({".txt", ".csv", ".tsv", ".json", ".jsonl", ".log"})
ABOUT = frozenset({LOCK, "run.json"})
"""What lies beside the logs of a run and is none."""
EXPECTED = {
    "healthy": "PASS", "lr-x100": "FAIL", "lr-zero": "FAIL", "fp16-overflow": "FAIL", "labels-shuffled": "FAIL",
    "few-samples": "WARN", "gradients-cut": "FAIL",
    "no-rate": "FAIL", "nan": "FAIL", "diverges": "FAIL", "zero": "FAIL", "rate-x1000": "FAIL",
}  # fmt: skip
"""What somebody who knows the fault expects of the run."""


def run_folders() -> list[pathlib.Path]:
    """Every run: a folder that holds logs, of the injected faults first."""
    groups = (EVIDENCE / "injected" / "runs", EVIDENCE / "frameworks" / "runs")
    return [folder for group in groups if group.is_dir() for folder in sorted(group.iterdir()) if logs(folder)]


def logs(folder: pathlib.Path) -> list[str]:
    """The logs of a run, as paths from the repository's root."""
    found = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name not in ABOUT and _is_log(path.name)]
    return [path.relative_to(ROOT).as_posix() for path in found]


def _is_log(name: str) -> bool:
    return "tfevents" in name or pathlib.PurePath(name).suffix in SUFFIXES


def fault(folder: pathlib.Path) -> str:
    """The name of the fault: `lr-zero-2` -> `lr-zero`, `lightning-nan` -> `nan`."""
    name = folder.name
    return next(key for key in EXPECTED if name.rsplit("-", 1)[0] == key or name.split("-", 1)[-1] == key)


def judged(folder: pathlib.Path) -> dict[str, object]:
    """The verdict of each log, and of the comparison with the healthy run of the same seed."""
    report = check(find(logs(folder), Settings()), Settings())
    files = {}
    for target in report.targets:
        rules = sorted({finding.rule for finding in target.findings})
        files[target.path.rsplit("/", 1)[-1]] = {"verdict": target.verdict.value, "rules": rules}
    found: dict[str, object] = {"expected": EXPECTED[fault(folder)], "files": files}
    baseline = folder.parent / f"healthy-{folder.name.rsplit('-', 1)[-1]}"
    if baseline.is_dir() and baseline != folder:
        found["compare"] = compared(baseline, folder)
    found["caught_by"] = caught_by(found)
    return found


def compared(baseline: pathlib.Path, folder: pathlib.Path) -> dict[str, object]:
    names = [(f / "trainer_state.json").relative_to(ROOT).as_posix() for f in (baseline, folder)]
    report = compare(names[0], [names[1]], Settings())
    findings = [f for t in report.targets if t.kind == "comparison" for f in t.findings]
    verdict = "FAIL" if any(f.severity is Severity.FAIL for f in findings) else "WARN" if findings else "PASS"
    return {"baseline": names[0], "verdict": verdict, "rules": sorted({f.rule for f in findings})}


def caught_by(found: dict[str, object]) -> str:
    """Which look catches the fault: the run alone, only the comparison, or none."""
    if found["expected"] == "PASS":
        return "nothing to catch"
    files = found["files"].values()
    if all(entry["verdict"] in {"FAIL", found["expected"]} for entry in files):
        return "the single run"
    if all(entry["verdict"] == "NOT-CHECKED" for entry in files):
        return "nothing: not judged, and said so"
    return "compare only" if found.get("compare", {}).get("verdict") == "FAIL" else "missed"


def written(found: dict[str, object]) -> str:
    return json.dumps(found, indent=1, ensure_ascii=True) + "\n"


def digest() -> str:
    """Twelve hex digits of all locks: CHANGELOG.md names them, so that no verdict changes unannounced."""
    everything = b"".join((folder / LOCK).read_bytes() for folder in run_folders())
    return hashlib.sha256(everything).hexdigest()[:12]


def main() -> int:
    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("--update", action="store_true", help="write the locks anew")
    update = cli.parse_args().update
    os.chdir(ROOT)
    differing = 0
    for folder in run_folders():
        now = written(judged(folder))
        lock = folder / LOCK
        before = lock.read_text() if lock.exists() else ""
        if now != before:
            differing += 1
            print(f"{folder.relative_to(ROOT)}: {'written' if update else 'differs from its lock'}")
        if update:
            lock.write_text(now)
    print(f"{len(run_folders())} runs, {differing} {'written' if update else 'differ'}; golden verdicts {digest()}")
    return 1 if differing and not update else 0


if __name__ == "__main__":
    sys.exit(main())
