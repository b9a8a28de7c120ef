"""The two axes, severity and exit code, and the findings and reports that carry them.

This is the only file that knows how a severity becomes a verdict and a verdict an exit code.
Everything here is plain data: no I/O, no judgement, picklable, comparable.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum, IntEnum

from trainproof_ci.places import Location, Places, content_key
from trainproof_ci.typed import NamedTuple

SCHEMA_VERSION = 1


class Severity(Enum):
    """How much a finding, a target or a report matters; the value is the word that people read."""

    FAIL = "FAIL"
    WARN = "WARN"
    NOT_CHECKED = "NOT-CHECKED"
    PASS = "PASS"  # noqa: S105 - a verdict, no password
    NOTE = "NOTE"


VERDICT_ORDER = (Severity.FAIL, Severity.WARN, Severity.NOT_CHECKED, Severity.PASS)
"""Worst first. A note is a measurement and never a verdict."""


class ExitCode(IntEnum):
    """What the process returns; neither USAGE nor CRASH may look like a verdict."""

    OK = 0
    FAIL = 1
    NOT_CHECKED = 2
    USAGE = 64
    CRASH = 70


class Firing(NamedTuple):
    """What a rule says when it fires: the number, the limit it broke, and where. The engine adds rule and severity.

    `severity` is given only when the rule decides between two (an isolated NaN warns, a tail of them fails).
    """

    message: str
    measured: str
    limit: str
    places: Places
    related: tuple[Location, ...] = ()
    severity: Severity | None = None


class Finding(NamedTuple):
    """A firing of one rule on one target, with its final severity."""

    rule: str
    severity: Severity
    message: str
    measured: str
    limit: str
    places: Places
    related: tuple[Location, ...] = ()
    on_changed_lines: bool | None = None
    """Whether any place lies on a line that the change touched; None where no change was selected."""

    @property
    def occurrences(self) -> int:
        """The number of places the rule fired at."""
        return len(self.places)

    @property
    def location(self) -> Location:
        """The first place, the one an annotation stands at."""
        return self.places.shown[0]

    @property
    def fingerprint(self) -> str:
        """16 hex digits of rule, path and content: stable while lines move."""
        first = self.places.keys[0]
        return (
            f"{content_key(f'{self.rule}|{self.location.path}|{first:016x}'.encode('utf-8', 'surrogateescape')):016x}"
        )


class Ignored(NamedTuple):
    """A finding that the configuration or a baseline sets aside, with the reason; it takes no part in the verdict."""

    finding: Finding
    reason: str


class Coverage(NamedTuple):
    """What ran on a target and what was skipped and why. A skipped check is not a passed check."""

    ran: tuple[str, ...] = ()
    skipped: Mapping[str, str] = {}


class Chart(NamedTuple):
    """A series worth a picture: `points` are (step, value) in step order, thinned by the engine; `marks` are steps
    at which a rule fired, with the rule's id, filled in by the engine; `role` is what rules need the series as.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    marks: tuple[tuple[float, str], ...] = ()
    role: str = "loss"


class TargetReport(NamedTuple):
    """Everything that is known about one target. `path` is relative to the working directory, `/`-separated."""

    path: str
    kind: str
    format: str
    facts: Mapping[str, object]
    findings: tuple[Finding, ...]
    checks: Coverage
    ignored: tuple[Ignored, ...] = ()
    charts: tuple[Chart, ...] = ()

    @property
    def verdict(self) -> Severity:
        """The worst severity among the findings, PASS without any."""
        return worst(finding.severity for finding in self.findings)

    @property
    def judged(self) -> bool:
        """False when the only thing to say is that the target could not be judged."""
        return self.verdict is not Severity.NOT_CHECKED


class Policy(NamedTuple):
    """What the caller makes of a verdict; it changes the exit code, never a finding.

    `fail_on`: "fail", "warn" (a warning counts too), "changed" (only findings on changed lines count) or "never".
    `not_checked`: "neutral" (exit 2), "fail" (exit 2, and the Action's gate fails) or "pass" (exit 0).
    """

    fail_on: str = "fail"
    not_checked: str = "neutral"


class Report(NamedTuple):
    """The answer to one command. `targets` are sorted by path; `notes` are sentences about the selection."""

    targets: tuple[TargetReport, ...]
    policy: Policy = Policy()
    notes: tuple[str, ...] = ()

    @property
    def findings(self) -> Iterator[tuple[TargetReport, Finding]]:
        """Every finding with its target, most severe first, then by path and line."""
        found = [(target, finding) for target in self.targets for finding in target.findings]
        found.sort(key=lambda pair: (_rank(pair[1].severity), pair[0].path, pair[1].location.line or 0, pair[1].rule))
        return iter(found)

    @property
    def verdict(self) -> Severity:
        """The worst verdict of the targets, PASS without any."""
        return worst(target.verdict for target in self.targets)

    @property
    def exit_code(self) -> ExitCode:
        """1 if any FAIL, else 2 if anything was NOT-CHECKED, else 0; as far as the policy lets them count."""
        severities = [f.severity for t in self.targets for f in t.findings if self._counts(f)]
        if Severity.FAIL in severities or (self.policy.fail_on == "warn" and Severity.WARN in severities):
            return ExitCode.FAIL
        not_checked = any(f.severity is Severity.NOT_CHECKED for t in self.targets for f in t.findings)
        if not_checked and self.policy.not_checked != "pass":
            return ExitCode.NOT_CHECKED
        return ExitCode.OK

    def _counts(self, finding: Finding) -> bool:
        if self.policy.fail_on == "never":
            return False
        return not (self.policy.fail_on == "changed" and finding.on_changed_lines is False)

    @property
    def conclusion(self) -> str:
        """The conclusion of a GitHub check run: it follows the exit code."""
        return {ExitCode.OK: "success", ExitCode.FAIL: "failure"}.get(self.exit_code, "neutral")

    @property
    def counts(self) -> dict[str, int]:
        """Found = judged + not_judged; found = fail + warn + not_checked + pass."""
        verdicts = [target.verdict for target in self.targets]
        not_judged = verdicts.count(Severity.NOT_CHECKED)
        return {
            "found": len(verdicts),
            "judged": len(verdicts) - not_judged,
            "not_judged": not_judged,
            "fail": verdicts.count(Severity.FAIL),
            "warn": verdicts.count(Severity.WARN),
            "not_checked": not_judged,
            "pass": verdicts.count(Severity.PASS),
        }


def _rank(severity: Severity) -> int:
    return VERDICT_ORDER.index(severity) if severity in VERDICT_ORDER else len(VERDICT_ORDER)


def worst(severities: "Iterator[Severity] | Sequence[Severity]") -> Severity:
    """The worst of `severities` in the order FAIL > WARN > NOT-CHECKED > PASS; PASS when there is none."""
    present = list(severities)  # hashing a member of an enumeration takes longer than comparing a few
    return next((severity for severity in VERDICT_ORDER if severity in present), Severity.PASS)
