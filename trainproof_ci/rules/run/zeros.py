"""Zeros that should not be: in the loss, the gradient norm and the learning rate."""

from collections.abc import Iterator, Sequence
from itertools import compress
from math import isfinite

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import course, improved

_FEW = 3


def _gradients_flow(run: RunLog) -> bool:
    """Whether gradient norms were logged and are mostly finite and positive."""
    for series in run.gradients:
        finite = course(series).values
        if len(finite) * 2 > series.size and median(finite) > 0:
            return True
    return False


@rule("TP-ZERO-LOSS", Severity.FAIL, needs=("loss",))
def loss_all_zero(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The training loss is exactly 0.0 throughout.

    Why: every label is masked, or the loss is NaN and the logger writes 0.0 for it (the Trainer's `logging_nan_inf_filter`).
    Where gradient norms are finite and positive it is a warning: a logger of four decimals rounds, and objectives of the
    GRPO kind are zero by construction.

    Fix: look at the labels of one batch, and at the gradient norms.

    Stands down: fewer than 3 points.
    """
    assert run.loss is not None
    if run.loss.size < _FEW:
        raise StandDown("fewer than 3 points")
    if any(value != 0 for value in run.loss.values):
        return
    mild = _gradients_flow(run) or run.objective in {"reinforcement", "preference"}
    yield Firing(
        "the training loss is exactly 0.0 throughout", f"{run.loss.size} of {run.loss.size} values are 0.0", "a loss above 0",
        run.places(run.loss, range(run.loss.size)), severity=Severity.WARN if mild else None,
    )  # fmt: skip


@rule("TP-ZERO-LOSS-ONSET", Severity.FAIL, needs=("loss",), limits={"points": 3, "gradual": 0.01})
def loss_zero_from_some_step(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The training loss drops to exactly 0.0 and stays there to the end.

    Why: NaN hidden by the logger: 1.90, then 0.0 with a gradient norm of nan to the end; a 31-hour run ended so, with a
    summary that looks perfect. Where the loss had come down to `gradual` of its beginning before, or gradients still flow,
    it is a warning: the digits that are printed may have run out.

    Fix: look at the gradient norms, set `logging_nan_inf_filter=False`, resume from before this step.

    Stands down: on reinforcement objectives; no more points than `points`.
    """
    assert run.loss is not None
    values = run.loss.values
    if run.objective == "reinforcement":
        raise StandDown("the reinforcement objective is zero where all rewards are equal")
    if run.loss.size <= limits["points"]:
        raise StandDown(f"{run.loss.size} points are too few to see the loss drop to 0")
    onset = run.loss.size
    while onset and values[onset - 1] == 0:
        onset -= 1
    if run.loss.size - onset < limits["points"] or onset == 0:
        return
    before = [abs(value) for value in values[max(0, onset - 3) : onset] if isfinite(value)]
    head = max((abs(value) for value in values[: max(3, onset // 10)] if isfinite(value)), default=0.0)
    mild = bool(before) and min(before) <= limits["gradual"] * head
    if not mild and run.gradients:
        mild = _gradients_flow(run) and not _broken_after(run, run.loss.places[onset])
    yield Firing(
        f"the training loss is exactly 0.0 from step {run.loss.steps[onset]:g} to the end",
        f"{run.loss.size - onset} values of 0.0", f"fewer than {limits['points']:g}",
        run.places(run.loss, range(onset, run.loss.size)), severity=Severity.WARN if mild else None,
    )  # fmt: skip


def _broken_after(run: RunLog, place: int) -> bool:
    """Whether gradient norms from that place on are mostly not finite, or all zero."""
    late = [v for series in run.gradients for v, at in zip(series.values, series.places, strict=True) if at >= place]
    finite = [value for value in late if isfinite(value)]
    return bool(late) and (len(finite) * 2 <= len(late) or not any(finite))


@rule("TP-ZERO-GRAD", Severity.FAIL, needs=("gradients",), limits={"points": 5})
def gradient_all_zero(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """Every gradient norm is exactly 0.0, and the loss does not improve.

    Why: no weight moves. A published guide showed two such QLoRA runs (13 of 13 rows, 90 minutes each), called it "a known
    reporting artifact" and shipped the adapters.

    Fix: check which parameters require gradients, and that the loss depends on them.

    Stands down: where the loss improved, for a run cannot both learn and receive no gradient: some trainers write 0.0 when
    clipping is off. Nor can it blow up without one: a loss that was finite and is not any more moved (Coqui's trainer, at
    a thousand times the rate). Fewer than 5 gradient norms are not judged.
    """
    courses = [(series, course(series).values) for series in run.gradients]
    if all(len(finite) < limits["points"] for _, finite in courses):
        raise StandDown(f"fewer than {limits['points']:g} gradient norms")
    for series, finite in courses:
        if len(finite) < limits["points"] or any(finite):
            continue
        if run.loss is not None and improved(course(run.loss)):
            raise StandDown("the loss improved, so the 0.0 is not the gradient but how it is logged")
        if run.loss is not None and _blew_up(run.loss.values):
            raise StandDown("the loss blew up, so the 0.0 is not the gradient but how it is logged")
        yield Firing(
            "every gradient norm is exactly 0.0 and the loss does not improve: nothing is learned",
            f"{len(finite)} of {series.size} values are 0.0", "a gradient above 0", run.places(series, range(series.size)),
        )  # fmt: skip
        return


def _blew_up(losses: Sequence[float]) -> bool:
    return len(losses) > 1 and isfinite(losses[0]) and not isfinite(losses[-1])


@rule("TP-ZERO-LR", Severity.FAIL, needs=("rates",), limits={"share": 0.99, "points": 5})
def rate_all_zero(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The learning rate is 0 on nearly every step.

    Why: the optimiser moves nothing. Where gradient norms are not finite, that is the cause (every step is skipped, the
    schedule never advances) and TP-NAN-GRAD names it.

    Fix: check the schedule's number of steps and warm-up, and that `optimizer.step()` is reached.

    Stands down: fewer than 5 learning rates; where the loss improved, the rate is printed with too few decimals.
    """
    share, series = _least_zero(run.rates)
    if series.size < limits["points"]:
        raise StandDown(f"fewer than {limits['points']:g} learning rates")
    if share < limits["share"]:
        return
    least = 0.01 if run.format == "console" else 0.05  # a console prints 0.0000 for a small rate, a file does not
    if run.loss is not None and improved(course(run.loss), least):
        raise StandDown("the loss improved, so the learning rate is printed with too few decimals")
    yield Firing(
        "the learning rate is 0", f"{share:.0%} of {series.size} values are 0", f"less than {limits['share']:.0%}",
        run.places(series, _zeros(series.values)),
    )  # fmt: skip


@rule("TP-ZERO-LR-PARTIAL", Severity.WARN, needs=("rates",), limits={"share": 0.1, "points": 10, "edge": 0.05})
def rate_often_zero(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The learning rate is 0 on part of the steps.

    Why: those steps cost time and change nothing; mostly the schedule ended before the run.

    Fix: let the schedule's number of steps be that of the run.

    Stands down: zeros at the very first and last steps are a warm-up and a schedule that ends at 0 (14 of 292 real logs).
    """
    _, series = _least_zero(run.rates)
    edge = max(1, round(limits["edge"] * series.size))
    if series.size < limits["points"]:
        raise StandDown(f"fewer than {limits['points']:g} learning rates")
    inner = max(series.size - 2 * edge, 1)
    if not limits["share"] * inner < _count_zeros(series.values) < 0.99 * series.size:
        return
    zeros = [index for index in _zeros(series.values) if edge <= index < series.size - edge]
    share = len(zeros) / inner
    if share <= limits["share"]:
        return
    if run.loss is not None and max(series.values) < 1e-5:
        raise StandDown("the learning rate is printed with too few decimals")
    yield Firing(
        "the learning rate is 0 on part of the steps", f"{share:.0%} of the steps between warm-up and end",
        f"at most {limits['share']:.0%}", run.places(series, zeros),
    )  # fmt: skip


def _zeros(values: Sequence[float]) -> list[int]:
    return list(compress(range(len(values)), map((0.0).__ge__, values)))


def _count_zeros(values: Sequence[float]) -> int:
    """How many there are of what `_zeros` lists, mostly without a look at each."""
    low = min(values, default=1.0)
    return 0 if low > 0 else values.count(0.0) if low == 0 else len(_zeros(values))


def _least_zero(rates: Sequence[Series]) -> tuple[float, Series]:
    """The share of zeros in the learning rate that has fewest: one frozen parameter group is no fault."""
    longest = max(series.size for series in rates)
    return min(
        ((_count_zeros(series.values) / series.size, series) for series in rates if series.size * 2 > longest),
        key=lambda pair: pair[0],
    )
