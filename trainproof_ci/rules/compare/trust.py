"""What makes a comparison worth less: a baseline that is broken itself, gradients of another size."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Places
from trainproof_ci.readers.comparison import Comparison
from trainproof_ci.registry import Limits, rule


@rule("TP-CMP-GRADNORM", Severity.WARN, needs=("gradients",), limits={"ratio": 5.0})
def gradients_above_baseline(facts: Comparison, limits: Limits) -> Iterator[Firing]:
    """The gradient norms of the run are far above those of its baseline.

    Why: the loss may still look fine while the steps are five times as rough; it often precedes a divergence.
    Fix: compare learning rate, clipping, batch size and how the loss is averaged.
    Stands down: either run logs no gradient norm.

    The median over the common steps without their first tenth, which is rough in healthy runs too.
    """
    own, base = facts.own.gradient, facts.base.gradient
    assert own is not None
    assert base is not None
    if base <= 0:
        raise StandDown("the gradient norms of the baseline are 0, so a ratio to them means nothing")
    if own > limits["ratio"] * base:
        yield Firing(
            "the gradient norms are far above the baseline's", f"a median of {own:.4g}",
            f"≤ {limits['ratio'] * base:.4g} ({limits['ratio']:g} x {base:.4g})", Places(facts.end), (facts.baseline_end,),
        )  # fmt: skip


@rule("TP-CMP-BAD-BASELINE", Severity.WARN)
def baseline_is_broken(facts: Comparison, limits: Limits) -> Iterator[Firing]:
    """The baseline fails the checks of a single run itself.

    Why: to be no worse than a broken run is no praise, and to be worse than one may mean nothing.
    Fix: choose a baseline that passes, or find out what is wrong with this one.
    """
    if facts.faults:
        yield Firing(
            "the baseline itself fails as a run; the comparison may mean nothing", ", ".join(facts.faults),
            "a baseline without a FAIL", Places(facts.baseline_end._replace(note=None)),
        )  # fmt: skip
