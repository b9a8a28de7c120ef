"""Reports made by hand, for tests of what is told and sent."""

from trainproof_ci.model import Coverage, Finding, Policy, Report, Severity, TargetReport
from trainproof_ci.places import Location, Places

REAL_RULE = {Severity.FAIL: "TP-NAN", Severity.WARN: "TP-NAN", Severity.NOT_CHECKED: "TP-FILE-LFS-POINTER"}


def finding(
    path: str = "data/a.jsonl", severity: Severity = Severity.FAIL, *lines: int, text: str = "a sentence"
) -> Finding:
    places = Places(*(Location(path, line) for line in lines or (1,)))
    return Finding(REAL_RULE[severity], severity, text, "3", "0", places)


def target(path: str, *findings: Finding) -> TargetReport:
    return TargetReport(path, "dataset", "jsonl", {"records": 3}, findings, Coverage(("TP-NAN",), {"TP-X": "no split"}))


def report(*targets: TargetReport, policy: Policy | None = None) -> Report:
    return Report(tuple(sorted(targets, key=lambda t: t.path)), policy or Policy())


def many(count: int, severity: Severity = Severity.FAIL, files: int = 10) -> Report:
    """`count` findings with a place each, over `files` files."""
    paths = [f"data/{number:05d}.jsonl" for number in range(files)]
    found: dict[str, list[Finding]] = {path: [] for path in paths}
    for number in range(count):
        path = paths[number % files]
        found[path].append(finding(path, severity, number + 1, text=f"sentence {number}"))
    return report(*(target(path, *findings) for path, findings in found.items()))


def huge() -> Report:
    """100,000 findings over 1,000 files, a third of each severity."""
    parts = (
        ("fail", many(33_334, Severity.FAIL, 400)),
        ("warn", many(33_333, Severity.WARN, 300)),
        ("unjudged", many(33_333, Severity.NOT_CHECKED, 300)),
    )
    return report(*(_below(kind, target) for kind, part in parts for target in part.targets))


def _below(folder: str, found: TargetReport) -> TargetReport:
    path = f"{folder}/{found.path}"
    moved = (Places(*(place._replace(path=path) for place in each.places.shown)) for each in found.findings)
    findings = tuple(each._replace(places=places) for each, places in zip(found.findings, moved, strict=True))
    return found._replace(path=path, findings=findings)
