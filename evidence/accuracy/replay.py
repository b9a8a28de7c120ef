"""What the guardian would have said: prefixes of every run under `evidence/`, judged as it judges a log that grows.

    python evidence/accuracy/replay.py             writes PREFIXES.md and prints its totals; some minutes
    python evidence/accuracy/replay.py lr-zero-1   prints these runs only

The prefixes end after each of the first 45 entries, every twentieth after them, and the last one. An entry is one of
`log_history`, a line of a CSV or JSON Lines log, or a piece of console text. For each run: the step or entry at which
`stop_on_fail` ends it, how many prefixes were a FAIL although the finished log is none, and which rules failed on a
prefix and not on the finished log.
"""

import json
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

EVIDENCE = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(EVIDENCE.parent), str(pathlib.Path(__file__).resolve().parent)]

import verdicts  # noqa: E402

from trainproof_ci.config import Settings  # noqa: E402
from trainproof_ci.engine import judge  # noqa: E402
from trainproof_ci.guardian.firmness import firm_fail  # noqa: E402
from trainproof_ci.guardian.looking import target_of  # noqa: E402
from trainproof_ci.model import Severity  # noqa: E402

ALL_UP_TO, THEN_EVERY = 45, 20
PREFERRED = ("trainer_state.json", "metrics.csv", "progress.csv", "results.csv", "training.log", "log.jsonl", "log.csv", "console.txt")
TABLE = EVIDENCE / "accuracy" / "PREFIXES.md"
EXPLAINED = {
    "TP-DEAD-RUN": "a FAIL beside a learning rate or gradient of 0 while the loss has not moved; the noise of the batches "
    "lets some prefixes end 5 % below their beginning and others not. Each of these prefixes is a FAIL all the same, by the "
    "rule that names the cause",
    "TP-DIVERGE": "ten points may look like anything: the end of a prefix is three points, and lay above the beginning "
    "by the noise of the batches in a run at learning rate 0, which is a FAIL for that",
}
"""Why a rule that failed on a prefix need not fail on the finished log; the generator refuses a rule without an entry."""


class Replay(NamedTuple):
    """A run's prefixes. `stopped` is the entry of the stop (0: never) of `entries`; `step` is its step where one is known."""

    run: str
    log: str
    entries: int
    stopped: int
    step: float | None
    rule: str
    judged: int
    verdicts_taken_back: int
    rules_taken_back: dict[str, int]
    final: str


def prefixes(log: pathlib.Path) -> Iterator[tuple[bytes, int, float | None]]:
    """The log after some of its entries, how many those are, and the step of the last one where the entry says it."""
    whole = log.read_bytes()
    if log.name == "trainer_state.json":
        state = json.loads(whole)
        history = state["log_history"]
        for count in counts(len(history)):
            part = json.dumps({**state, "log_history": history[:count]}, indent=2)
            yield part.encode(), count, history[count - 1]["step"]
        return
    pieces = re.findall(rb"[^\r\n]*[\r\n]+|[^\r\n]+$", whole)
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    for count in counts(len(pieces)):
        yield whole[: ends[count]], count, None


def counts(size: int) -> list[int]:
    """After how many entries a prefix ends."""
    return [*range(1, min(ALL_UP_TO, size - 1) + 1), *range(ALL_UP_TO + THEN_EVERY, size, THEN_EVERY), size]


def replay(folder: pathlib.Path) -> Replay:
    """Judge the run after its entries; go on behind a stop, to see what is taken back."""
    log = next(folder / name for name in PREFERRED if (folder / name).exists())
    pathlib.Path(log.name).unlink(missing_ok=True)
    stopped, step, rule = 0, None, ""
    failing: list[set[str]] = []
    entries, final = 0, Severity.PASS
    for part, entries, at in prefixes(log):
        pathlib.Path(log.name).write_bytes(part)
        target = target_of(log.name)
        if target is None:
            continue
        report = judge(target, Settings(live=True))
        final = report.verdict
        failing.append({f.rule for f in report.findings if f.severity is Severity.FAIL})
        if not stopped and (firm := firm_fail(target, report, Settings())) is not None:
            stopped, step, rule = entries, at, firm.rule
    back: dict[str, int] = {}
    for rules in failing:
        for each in rules - failing[-1]:
            back[each] = back.get(each, 0) + 1
    taken_back = 0 if failing[-1] else sum(map(bool, failing))
    name = f"{folder.parent.parent.name}/{folder.name}"
    return Replay(name, log.name, entries, stopped, step, rule, len(failing), taken_back, dict(sorted(back.items())), final.value)


def replays(names: tuple[str, ...] = ()) -> list[Replay]:
    """The replay of every run, or of those that are named."""
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            return [replay(folder) for folder in verdicts.run_folders() if not names or folder.name in names]
        finally:
            os.chdir(here)


def row(found: Replay) -> str:
    """One line of the table."""
    if not found.stopped:
        stop = "not stopped"
    elif found.step is not None:
        stop = f"at step {found.step:g}"
    else:
        stop = f"after entry {found.stopped} of {found.entries}"
    back = ", ".join(f"{rule} on {count}" for rule, count in found.rules_taken_back.items()) or "-"
    return f"| {found.run} | {found.log} | {found.judged} | {stop} | {found.rule or '-'} | {found.final} | {found.verdicts_taken_back} | {back} |"


def totals(found: list[Replay]) -> str:
    """The sentence that the table opens with and a test holds."""
    judged, verdicts_back = sum(f.judged for f in found), sum(f.verdicts_taken_back for f in found)
    rules_back = sum(sum(f.rules_taken_back.values()) for f in found)
    runs = sum(bool(f.rules_taken_back) for f in found)
    return (
        f"{judged} prefixes of {len(found)} runs: a FAIL verdict was taken back by the finished log {verdicts_back} times, "
        f"a single FAIL beside others that stayed {rules_back - verdicts_back_rules(found)} times in {runs} runs."
    )


def verdicts_back_rules(found: list[Replay]) -> int:
    """The rules that were taken back together with the verdict."""
    return sum(sum(f.rules_taken_back.values()) for f in found if f.verdicts_taken_back)


def table(found: list[Replay]) -> str:
    """PREFIXES.md."""
    back = sorted({rule for each in found for rule in each.rules_taken_back})
    return "\n".join([
        "# The guardian on prefixes of the evidence", "",
        "Generated by `python evidence/accuracy/replay.py`. Each log is judged after each of its first "
        f"{ALL_UP_TO} entries, every {THEN_EVERY}th after them,",
        "and whole. A FAIL must hold over five points before `stop_on_fail` stops a run for it; the last verdict is that of",
        "`check`, which a test holds.", "",
        totals(found), "",
        "## What was taken back, and why", "", *([f"- {rule}: {EXPLAINED[rule]}." for rule in back] or ["Nothing."]), "",
        "## Run by run", "",
        "| run | log | prefixes | `stop_on_fail` | for | finished | FAIL verdicts taken back | rules taken back |",
        "|---|---|---|---|---|---|---|---|", *map(row, found), "",
    ])  # fmt: skip


def main() -> None:
    found = replays(tuple(sys.argv[1:]))
    if sys.argv[1:]:
        print("\n".join(map(row, found)))
        return
    TABLE.write_text(table(found), encoding="utf-8")
    print(totals(found))


if __name__ == "__main__":
    main()
