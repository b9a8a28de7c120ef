"""The table of runs that were held against a baseline, best first."""

from collections.abc import Iterator, Mapping

from trainproof_ci.model import Report, TargetReport, worst

HEADER = ("rank", "run", "verdict", "loss at the end", "baseline there", "ratio", "improvement", "baseline's", "steps")
NOT_COMPARED = 1 << 31


def rows(report: Report) -> list[tuple[str, ...]]:
    """A row a run, in the order of the ranks; those that could not be compared come last. Empty without ranks."""
    compared = [target for target in report.targets if target.kind == "comparison"]
    if not any("rank" in target.facts for target in compared):
        return []
    compared.sort(key=lambda target: (int(str(target.facts.get("rank", NOT_COMPARED))), target.path))
    return [tuple(_row(target, report)) for target in compared]


def _row(target: TargetReport, report: Report) -> Iterator[str]:
    facts = target.facts
    yield str(facts.get("rank", "-"))
    yield target.path
    yield worst(other.verdict for other in report.targets if other.path == target.path).value
    if "rank" not in facts:
        yield "not compared"
        yield from ("-",) * (len(HEADER) - 4)
        return
    own, base = _number(facts, "end"), _number(facts, "baseline_end")
    yield f"{own:.4g}"
    yield f"{base:.4g}"
    yield f"{own / base:.2f}"
    yield f"{100 * _number(facts, 'improvement'):.1f} %"
    yield f"{100 * _number(facts, 'baseline_improvement'):.1f} %"
    yield str(facts["steps"])


def _number(facts: Mapping[str, object], key: str) -> float:
    value = facts[key]
    assert isinstance(value, (int, float))
    return value
