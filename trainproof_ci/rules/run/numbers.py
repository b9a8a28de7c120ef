"""Numbers that are no numbers: NaN, infinity and null in losses and gradient norms."""

from collections.abc import Iterator
from math import isfinite

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.registry import Limits, rule

CALIBRATION = 0.05
"""Share of a run in which non-finite gradient norms are the loss scaler finding its scale (and at least three points)."""

BEFORE_LEARNING = 0.25
"""Share of a run in which there may be no loss yet, as while an agent fills its memory."""


def _bad(series: Series) -> list[int]:
    """The positions of the values that are not finite."""
    if isfinite(sum(series.values)):
        return []
    return [index for index, value in enumerate(series.values) if not isfinite(value)]


def _isolated(bad: list[int], size: int, share: float, tail: float) -> bool:
    """Whether the non-finite points are few and the end of the series is free of them."""
    return len(bad) <= share * size and bad[-1] < size - max(1, round(tail * size))


def _not_yet(bad: list[int], size: int) -> bool:
    """Whether there is no loss at first, and one without a gap ever after: weights that are NaN never come back."""
    return bad[-1] == len(bad) - 1 and len(bad) <= BEFORE_LEARNING * size


def _word(series: Series, bad: list[int]) -> str:
    return "null where a number stood" if series.nulls.issuperset(bad) else "not finite"


@rule("TP-NAN", Severity.FAIL, needs=("loss",), limits={"isolated": 0.01, "tail": 0.1})
def loss_not_finite(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The training loss is NaN, infinite, or null where a number stood.

    Why: from that step on every weight is NaN and nothing more is learned; a writer of strict JSON makes a null of it.
    Isolated ones from which the loss recovered (at most `isolated` of the points, none in the last `tail`) are a
    warning: a skipped step costs little; so are the first values alone, as weights that are NaN never come back. A Lightning run whose last three of 56 points are NaN taught that the tail decides.

    Fix: lower the learning rate, clip gradients, use bf16 rather than fp16; resume from a checkpoint before this step.

    Stands down: never.
    """
    assert run.loss is not None
    bad = _bad(run.loss)
    if not bad:
        return
    step, size = run.loss.steps[bad[0]], run.loss.size
    recovered = _isolated(bad, size, limits["isolated"], limits["tail"]) or _not_yet(bad, size)
    message = f"the training loss is {_word(run.loss, bad)} at step {step:g}"
    message += ", and finite again after it" if recovered else " and later" if len(bad) > 1 else ""
    yield Firing(
        message, f"{len(bad)} of {size} values", "0", run.places(run.loss, bad),
        severity=Severity.WARN if recovered else None,
    )  # fmt: skip


@rule("TP-NAN-GRAD", Severity.FAIL, needs=("gradients",), limits={"share": 0.5, "tail": 0.1, "few": 0.2})
def gradient_not_finite(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The gradient norm is NaN or infinite, throughout or to the end of the run.

    Why: a step with such a gradient is skipped or ruins the weights; the Trainer then prints loss 0.0, and a learning
    rate that stays 0 is its consequence. fp16 runs on Apple hardware and on V100s taught the rule: loss 0.0 with grad nan
    in every row while the script reports success.

    Fix: bf16, a lower learning rate, gradient clipping; look for a batch without labels.

    Stands down: non-finite norms in the first steps alone are the loss scaler finding its scale. A few isolated ones warn.
    """
    for series in run.gradients:
        bad = _bad(series)
        start = max(3, round(CALIBRATION * series.size))
        if not bad or (bad[-1] < start and series.size > start and len(bad) != series.size):
            continue
        tail = max(1, round(limits["tail"] * series.size))
        ended = sum(index >= series.size - tail for index in bad) == tail
        lasting = len(bad) >= limits["share"] * series.size or (ended and (tail > 1 or len(bad) > 1))
        yield Firing(
            f"the gradient norm is not finite {'to the end' if lasting else 'at times'}, first at step {series.steps[bad[0]]:g}",
            f"{len(bad)} of {series.size} values", "0 after the first steps", run.places(series, bad),
            severity=None if lasting else Severity.WARN,
        )  # fmt: skip
        return


@rule("TP-EVAL-NAN", Severity.FAIL, needs=("evals",), limits={"tail": 0.1})
def evaluation_not_finite(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """An evaluation loss is NaN or infinite.

    Why: the model that is chosen by it is chosen by nothing; at the end of a run it means broken weights. Detection runs
    in which the evaluation overflowed in fp16 for all 225 epochs, while the training loss fell, taught the rule.
    One that recovered is a warning. So is one part that is never finite while another part is exactly 0 throughout: the
    evaluation set has no labels.

    Fix: evaluate in full precision; check that the evaluation set has labels; resume from a checkpoint before this.

    Stands down: never.
    """
    found: Firing | None = None
    for series in run.evals:
        bad = _bad(series)
        if not bad:
            continue
        tail = max(1, round(limits["tail"] * series.size))
        lasting = (
            len(bad) == series.size
            or bad[-1] == series.size - 1
            or sum(i >= series.size - tail for i in bad) * 2 > tail
        )
        empty = len(bad) == series.size and _has_zero_sibling(run, series)
        firing = Firing(
            "no evaluation measured anything: one part of the loss is exactly 0, another never finite" if empty
            else f"the evaluation loss is not finite{'' if lasting else ' at times'}, first at step {series.steps[bad[0]]:g}",
            f"{len(bad)} of {series.size} evaluations", "0", run.places(series, bad),
            severity=None if lasting and not empty else Severity.WARN,
        )  # fmt: skip
        if found is None or (firing.severity is None and found.severity is not None):
            found = firing
    if found is not None:
        yield found


def _has_zero_sibling(run: RunLog, series: Series) -> bool:
    return any(other.size == series.size and other.name != series.name and not any(other.values) for other in run.evals)
