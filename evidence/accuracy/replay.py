"""What the guardian would have done: prefixes of every injected run, judged as it judges a log that grows.

    python evidence/accuracy/replay.py        prints one line a run; a minute or two

The prefixes are all of the first 45 entries, then every twentieth, and the whole log. For each run: the step at which `stop_on_fail` ends it, and how many prefixes were a FAIL that the finished log is not.
"""

import json
import os
import pathlib
import sys
import tempfile
from typing import NamedTuple

EVIDENCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(EVIDENCE.parent))

from trainproof_ci.config import Settings  # noqa: E402
from trainproof_ci.engine import judge  # noqa: E402
from trainproof_ci.guardian.firmness import firm_fail  # noqa: E402
from trainproof_ci.guardian.looking import target_of  # noqa: E402
from trainproof_ci.model import Severity  # noqa: E402


ALL_UP_TO, THEN_EVERY = 45, 20


class Replay(NamedTuple):
    """The step of the stop (None: never), its rule, the steps of the run, and the prefixes whose FAIL was taken back."""

    run: str
    stopped: float | None
    rule: str
    steps: float
    taken_back: int
    rules_taken_back: tuple[str, ...]


def replay(folder: pathlib.Path) -> Replay:
    """Judge the run after its log entries; go on behind a stop, to see what is taken back."""
    state = json.loads((folder / "trainer_state.json").read_text())
    history = state["log_history"]
    stopped, stop_rule = None, ""
    failing: list[set[str]] = []
    counts = [*range(1, ALL_UP_TO + 1), *range(ALL_UP_TO + THEN_EVERY, len(history), THEN_EVERY), len(history)]
    for count in counts:
        part = json.dumps({**state, "log_history": history[:count]}, indent=2)
        pathlib.Path("trainer_state.json").write_text(part)
        target = target_of("trainer_state.json")
        if target is None:
            continue
        report = judge(target, Settings())
        failing.append({f.rule for f in report.findings if f.severity is Severity.FAIL})
        if stopped is None and (firm := firm_fail(target, report, Settings())) is not None:
            stopped, stop_rule = history[count - 1]["step"], firm.rule
    back = [rules - failing[-1] for rules in failing if rules - failing[-1]]
    return Replay(folder.name, stopped, stop_rule, state["max_steps"], len(back), tuple(sorted(set().union(*back))))


def replays() -> list[Replay]:
    """The replay of every injected run."""
    here = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        try:
            return [replay(folder) for folder in sorted((EVIDENCE / "injected" / "runs").iterdir())]
        finally:
            os.chdir(here)


if __name__ == "__main__":
    for found in replays():
        stop = f"stopped at step {found.stopped:g} of {found.steps} ({found.rule})" if found.stopped else "not stopped"
        back = f"; {found.taken_back} prefixes taken back: {', '.join(found.rules_taken_back)}" if found.taken_back else ""
        print(f"{found.run}: {stop}{back}")
