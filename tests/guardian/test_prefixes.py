"""The guardian over every prefix of a run: it stops none that is healthy, and ends with the verdict of `check`."""

import json
import math
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check, judge
from trainproof_ci.guardian.firmness import firm_fail
from trainproof_ci.guardian.looking import target_of
from trainproof_ci.model import Report, Severity
from trainproof_ci.reports.json import render

Row = dict[str, float]
STEPS = 60


def row(step: int, loss: float, norm: float = 1.0, rate: float = 1e-3) -> Row:
    return {"step": step, "loss": loss, "grad_norm": norm, "learning_rate": rate}


def falling(noise: random.Random, step: int) -> float:
    return (2.5 * math.exp(-step / 25) + 0.5) * math.exp(noise.gauss(0, 0.08))


def healthy(noise: random.Random) -> list[Row]:
    return [row(i, falling(noise, i), 1 + noise.random()) for i in range(STEPS)]


def warm_up(noise: random.Random) -> list[Row]:
    """3.5 % of 314 steps: eleven points at which the rate still climbs and the loss hardly moves."""
    flat = [row(i, 3.0 * math.exp(noise.gauss(0, 0.02)), 1 + noise.random(), 1e-3 * i / 11) for i in range(11)]
    return flat + [row(i, falling(noise, i - 11), 1 + noise.random()) for i in range(11, STEPS)]


def zero_loss_of_grpo(noise: random.Random) -> list[Row]:
    return [
        {**row(i, 0.0 if i < 20 else noise.gauss(0, 1e-3), 0.5 + noise.random()),
         "reward": 0.1 + i / 100 + noise.gauss(0, 0.05), "kl": 1e-4 * i, "completions/mean_length": 200 + noise.gauss(0, 9)}
        for i in range(STEPS)
    ]  # fmt: skip


def one_infinite_norm(noise: random.Random) -> list[Row]:
    rows = healthy(noise)
    rows[noise.randrange(1, STEPS)]["grad_norm"] = math.inf
    return rows


def resumed_at_the_floor(noise: random.Random) -> list[Row]:
    return [row(5000 + i, 0.5 * math.exp(noise.gauss(0, 0.05)), 1 + noise.random(), 1e-5) for i in range(STEPS)]


def rate_zero(noise: random.Random) -> list[Row]:
    return [row(i, 2.5 * math.exp(noise.gauss(0, 0.1)), 1 + noise.random(), 0.0) for i in range(STEPS)]


def gradient_zero(noise: random.Random) -> list[Row]:
    return [row(i, 2.5 * math.exp(noise.gauss(0, 0.1)), 0.0) for i in range(STEPS)]


def turned_nan(noise: random.Random) -> list[Row]:
    return [*healthy(noise)[:4], *[row(i, math.nan, math.nan) for i in range(4, STEPS)]]


def exploding(noise: random.Random) -> list[Row]:
    return [
        row(i, min(1.0 + 1.5 * i, 20) * math.exp(noise.gauss(0, 0.1)), 50 * noise.random(), 0.2) for i in range(STEPS)
    ]


Kind = Callable[[random.Random], list[Row]]
HEALTHY: list[Kind] = [healthy, warm_up, zero_loss_of_grpo, one_infinite_norm, resumed_at_the_floor]
BROKEN: list[Kind] = [rate_zero, gradient_zero, turned_nan, exploding]


def prefixes(rows: list[Row]) -> Iterator[int]:
    """Write the log row by row; the number of rows so far."""
    with Path("log.jsonl").open("w", encoding="utf-8") as log:
        for count, values in enumerate(rows, 1):
            log.write(json.dumps(values) + "\n")
            log.flush()
            yield count


def stops_at(rows: list[Row]) -> int | None:
    """The number of rows after which the guardian stops the run."""
    for count in prefixes(rows):
        target = target_of("log.jsonl")
        if target is not None and firm_fail(target, judge(target, Settings()), Settings()) is not None:
            return count
    return None


@pytest.mark.parametrize("kind", HEALTHY, ids=lambda kind: kind.__name__)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_no_prefix_of_a_healthy_run_is_stopped(work: Path, kind: Kind, seed: int) -> None:
    assert work.is_dir()
    assert stops_at(kind(random.Random(seed))) is None


@pytest.mark.parametrize("kind", BROKEN, ids=lambda kind: kind.__name__)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6))
def test_a_broken_run_is_stopped_within_thirty_points(work: Path, kind: Kind, seed: int) -> None:
    assert work.is_dir()
    stopped = stops_at(kind(random.Random(seed)))
    assert stopped is not None
    assert stopped <= 30


@pytest.mark.parametrize("kind", HEALTHY + BROKEN, ids=lambda kind: kind.__name__)
def test_the_last_look_is_the_verdict_of_check(work: Path, kind: Kind) -> None:
    assert work.is_dir()
    for _ in prefixes(kind(random.Random(0))):
        pass
    target = target_of("log.jsonl")
    assert target is not None
    last_look = Report((judge(target, Settings(live=True)),))
    assert render(last_look) == render(check(find(["log.jsonl"], Settings()), Settings()))


def test_a_fail_that_is_taken_back_did_not_hold(work: Path) -> None:
    """One NaN among 120 points: a FAIL while it is more than 1 % of them, a WARN in the end, and never a stop."""
    assert work.is_dir()
    rows = healthy(random.Random(0))
    rows += [row(i, falling(random.Random(i), i)) for i in range(STEPS, 2 * STEPS)]
    rows[30] = row(30, math.nan)
    verdicts = []
    for _ in prefixes(rows):
        target = target_of("log.jsonl")
        assert target is not None
        report = judge(target, Settings())
        verdicts.append(report.verdict)
        assert firm_fail(target, report, Settings()) is None
    assert Severity.FAIL in verdicts
    assert verdicts[-1] is Severity.WARN
