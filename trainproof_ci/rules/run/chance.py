"""A loss that never leaves the level of a guess, and a policy that collapses."""

from collections.abc import Iterator, Mapping
from math import log

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.readers.run.vocabulary import is_eval, words
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import course, loss_course

LN2 = log(2)


@rule("TP-CHANCE", Severity.FAIL, needs=("loss",), limits={"points": 5, "margin": 0.001})
def loss_at_chance(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The loss never leaves the level of a guess.

    Why: a preference run (DPO) that writes ln 2 in every row with margins of 0 compares the model with itself; a language
    model at ln(vocabulary) with accuracy 0 has learned nothing, and neither has a classifier that ends at ln(classes) with
    the accuracy or the area under the curve of a guess (a warning: it may still move). One repository held both of the
    first kinds; a transformer that stayed at 0.6932 with an AUC of 0.5002 for 56 epochs taught the last.

    Fix: check that the policy and the reference differ in what is trained, that labels reach the loss, the learning rate.

    Stands down: fewer than 5 points; where neither margins, accuracy nor AUC are logged.
    """
    found = loss_course(run, limits["points"])
    margins = _columns(run.series, {"margin", "margins"})
    scores = _columns(run.series, {"acc", "accuracy", "accuracies", "auc"})
    if not margins and not scores:
        raise StandDown("no margins, accuracy or AUC are logged that would say what the loss of a guess is")
    assert run.loss is not None
    place = run.places(run.loss, [found.where[-1]])
    room = limits["margin"]
    if (
        margins
        and _stays(found.values, LN2, room)
        and all(abs(v) < room for one in margins for v in course(one).values)
    ):
        yield Firing("the loss is ln 2 and the margins are 0 throughout: the policy is the reference", f"{found.tail:.6g}", f"further than {room:g} from ln 2", place)  # fmt: skip
    elif _stays(found.values, found.tail, room * found.tail) and found.tail > 1 and _all_zero(scores):
        yield Firing("the loss does not move and the accuracy is 0 throughout: the model guesses", f"{found.tail:.6g} in {found.size} points", "a moving loss", place)  # fmt: skip
    elif (classes := _guessing(found.tail, scores)) is not None:
        yield Firing(
            f"the loss ended at ln {classes} with the score of a guess", f"{found.tail:.4g}, ln {classes} = {log(classes):.4g}",
            "below the loss of a guess", place, severity=Severity.WARN,
        )  # fmt: skip


def _columns(series: Mapping[str, Series], wanted: set[str]) -> list[Series]:
    return [one for name, one in series.items() if wanted & set(words(name)) and not is_eval(name)]


def _stays(values: object, level: float, room: float) -> bool:
    return all(abs(value - level) <= room for value in values)  # type: ignore[attr-defined]


def _all_zero(scores: list[Series]) -> bool:
    return any(one.size >= 5 and not any(one.values) for one in scores)


def _guessing(tail: float, scores: list[Series]) -> int | None:
    """The number of classes of a guess: the loss within 0.2 % of ln k and the score that of a guess among k."""
    for series in scores:
        found = course(series)
        if found.size < 5:
            continue
        score, areas = found.tail, "auc" in words(series.name)
        for classes in (2,) if areas else range(2, 1001):
            if (
                abs(tail - log(classes)) < 0.002 * log(classes)
                and abs(score - (0.5 if areas else 1 / classes)) < 0.02 / classes
            ):
                return classes
    return None


SHRINKING = ("entropy", "completions/mean_length", "completion_length")
"""What falls when a policy collapses; how the names end."""


@rule("TP-COLLAPSE", Severity.WARN, needs=("loss",), limits={"points": 10, "ratio": 0.2, "no_spread": 0.8})
def policy_collapsed(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """Entropy or completion length collapsed while most groups have no spread of reward.

    Why: a GRPO-style run without spread of reward in a group receives no gradient from it, and a policy whose entropy is
    gone explores no more: it will not recover.

    Fix: raise the temperature or the entropy bonus, make the reward finer, stop at the step before.

    Stands down: where no `frac_reward_zero_std`, or neither entropy nor completion length, is logged 10 times.
    """
    spread = next((one for name, one in run.series.items() if name.endswith("frac_reward_zero_std")), None)
    if spread is None:
        raise StandDown("no share of groups without a spread of reward is logged")
    if course(spread).size < limits["points"]:
        raise StandDown(f"fewer than {limits['points']:g} points")
    lengths = [one for name, one in run.series.items() if name.endswith(SHRINKING)]
    if all(course(one).size < limits["points"] for one in lengths):
        raise StandDown("neither entropy nor completion length is logged often enough")
    late = course(spread).tail
    if late < limits["no_spread"]:
        return
    for series in lengths:
        found = course(series)
        if found.size >= limits["points"] and found.head > 0 and found.tail < limits["ratio"] * found.head:
            place = run.places(series, [found.where[-1]])
            yield Firing(
                f"{series.name.rsplit('/', 1)[-1]} collapsed while {late:.0%} of the groups have no spread of reward",
                f"{found.tail / found.head:.2g} x its beginning", f"at least {limits['ratio']:g} x", place,
            )  # fmt: skip
            return
