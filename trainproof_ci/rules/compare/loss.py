"""The loss of a run beside that of a known-good one, at equal steps."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.comparison import Comparison
from trainproof_ci.registry import Limits, rule

NOTHING_LEARNED = 0.05
"""A baseline that took less than this share off its loss did not improve, and nothing falls short of it."""


def _clear(facts: Comparison, difference: float, share: float) -> bool:
    """Whether a difference is more than noise near zero: at least `share` of where the baseline began."""
    return difference > share * facts.base.start


@rule("TP-CMP-FLOOR", Severity.FAIL, needs=("loss",), limits={"ratio": 2.0, "share": 0.02})
def floor_above_baseline(facts: Comparison, limits: Limits) -> Iterator[Firing]:
    """The lowest loss of the run is far above the lowest loss of its baseline.

    Why: at the same steps the known-good run reached a loss that this one never came near.
    Fix: compare learning rate, batch size and data of the two runs; a broken data order or a frozen layer looks like this.
    Stands down: never; a difference below 2 % (`share`) of the baseline's first loss is noise near zero and does not count.

    The lowest loss is the lowest median of five neighbours, so that no single point decides.
    """
    own, base = facts.own.floor, facts.base.floor
    if own > limits["ratio"] * base and _clear(facts, own - base, limits["share"]):
        yield _firing(facts, "the run never came near the baseline's lowest loss", own, base, limits["ratio"])


@rule("TP-CMP-END", Severity.FAIL, needs=("loss",), limits={"ratio": 2.0, "share": 0.02})
def end_above_baseline(facts: Comparison, limits: Limits) -> Iterator[Firing]:
    """The run ended far above where its baseline stood at the same step.

    Why: whatever happened in between, this is the model that would be shipped.
    Fix: look where the two curves part, and what changed there: learning rate, data, a resume.
    Stands down: never; a difference below 2 % (`share`) of the baseline's first loss is noise near zero and does not count.

    The end is the median over the last tenth of the common steps.
    """
    own, base = facts.own.end, facts.base.end
    if own > limits["ratio"] * base and _clear(facts, own - base, limits["share"]):
        yield _firing(facts, "the run ended far above its baseline at the same step", own, base, limits["ratio"])


@rule("TP-CMP-NO-IMPROVE", Severity.FAIL, needs=("loss",), limits={"slack": 1.1})
def no_improvement(facts: Comparison, limits: Limits) -> Iterator[Firing]:
    """The loss of the run did not fall while that of its baseline did.

    Why: over the same steps the known-good run learned and this one did not.
    Fix: check that gradients reach the weights, that the learning rate is not zero, and that the labels fit the inputs.
    Stands down: the baseline did not improve either (less than 5 %), or the run ended as low as the baseline all the
    same (`slack`): it began where the other ended, as a resumed run does.
    """
    _expect_improvement(facts, limits["slack"])
    if facts.own.improvement <= 0:
        yield Firing(
            "the loss did not fall while the baseline's did", _percent(facts.own.improvement),
            f"an improvement; the baseline's is {_percent(facts.base.improvement)}", Places(facts.end), (facts.baseline_end,),
        )  # fmt: skip


@rule("TP-CMP-IMPROVE-DEFICIT", Severity.FAIL, needs=("loss",), limits={"share": 0.25, "slack": 1.1})
def improvement_deficit(facts: Comparison, limits: Limits) -> Iterator[Firing]:
    """The loss of the run fell far less than that of its baseline.

    Why: a quarter of the known-good run's improvement at the same steps is not slower, it is something else.
    Fix: compare learning rate, warm-up and data of the two runs.
    Stands down: like TP-CMP-NO-IMPROVE, which speaks when there was no improvement at all.
    """
    _expect_improvement(facts, limits["slack"])
    needed = limits["share"] * facts.base.improvement
    if 0 < facts.own.improvement < needed:
        yield Firing(
            "the loss fell far less than the baseline's", _percent(facts.own.improvement),
            f"≥ {_percent(needed)}; the baseline's is {_percent(facts.base.improvement)}", Places(facts.end), (facts.baseline_end,),
        )  # fmt: skip


def _expect_improvement(facts: Comparison, slack: float) -> None:
    if facts.base.improvement < NOTHING_LEARNED:
        raise StandDown(f"the baseline itself improved by only {_percent(facts.base.improvement)} on the common steps")
    if facts.own.end <= slack * facts.base.end:
        raise StandDown("the run ended as low as its baseline")


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _firing(facts: Comparison, message: str, own: float, base: float, ratio: float) -> Firing:
    return Firing(
        message,
        f"{own:.4g}",
        f"≤ {ratio * base:.4g} ({ratio:g} x {base:.4g})",
        Places(facts.end),
        (facts.baseline_end,),
    )
