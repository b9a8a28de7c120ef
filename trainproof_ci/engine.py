"""The one entry of the shared core: targets and settings in, a report out.

The engine reads a target, runs the rules of its kind, and keeps the books: what ran, what was skipped and why.
It catches what readers and rules raise, once, here.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter

from trainproof_ci import registry
from trainproof_ci.deadline import Deadline
from trainproof_ci.discovery import Target
from trainproof_ci.errors import StandDown, Unreadable, defect
from trainproof_ci.grammar import counted
from trainproof_ci.model import Coverage, Finding, Firing, Ignored, Report, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.pointers import LONGEST_POINTER, refuse_pointer
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.readers import Facts
    from trainproof_ci.registry import Limits, Rule

POOL_FROM_TARGETS = 32
POOL_FROM_BYTES = 32 << 20
ID_OF = attrgetter("id")
FIXED = frozenset({Severity.NOTE, Severity.NOT_CHECKED})
"""Severities that no configuration changes: a measurement is no verdict, and what was not judged stays so."""


def check(targets: Sequence[Target], settings: "Settings", notes: Sequence[str] = ()) -> Report:
    """Judge every target; one that breaks becomes NOT-CHECKED and the others are still judged."""
    ordered = sorted(targets, key=lambda target: (target.path, target.kind))
    workers = min(settings.jobs, len(ordered))
    if workers > 1 and (len(ordered) >= POOL_FROM_TARGETS or sum(t.size for t in ordered) >= POOL_FROM_BYTES):
        from trainproof_ci.workers import in_processes  # most runs judge a few small files

        judged = in_processes(_judge_each, ordered, settings, workers)
    else:
        judged = _judge_each(ordered, settings)
    if settings.ignore or settings.known:
        from trainproof_ci.suppress import stale_entries

        notes = (*notes, *stale_entries(judged, settings))
    return Report(tuple(judged), settings.policy, tuple(notes))


def _judge_each(targets: Sequence[Target], settings: "Settings") -> list[TargetReport]:
    with Deadline(settings.deadline) as deadline:
        return [_guarded(target, settings, deadline) for target in targets]


def judge(target: Target, settings: "Settings") -> TargetReport:
    """Judge one target: never raises but for an interrupt."""
    with Deadline(settings.deadline) as deadline:
        return _guarded(target, settings, deadline)


def _guarded(target: Target, settings: "Settings", deadline: Deadline) -> TargetReport:
    """The report of one target, whatever comes of reading it, within the deadline for one."""
    try:
        deadline.begin()
        try:
            return _judge(target, settings)
        finally:
            deadline.end()
    except Unreadable as unreadable:
        return not_judged(target, unreadable, settings)
    except RecursionError:
        return not_judged(
            target,
            Unreadable("nested too deeply to be read", measured="recursion limit", limit="a flat file"),
            settings,
        )
    except MemoryError:
        return not_judged(
            target, Unreadable("too large for the memory there is", measured="out of memory", limit="memory"), settings
        )
    except Exception as error:  # noqa: BLE001 - the one broad except: a defect of ours is no verdict about the file
        return not_judged(target, defect(error), settings)


def _judge(target: Target, settings: "Settings") -> TargetReport:
    if target.refusal is not None:
        raise target.refusal
    if target.is_file and target.size <= LONGEST_POINTER:
        refuse_pointer(Head.of(target.path))
    rules = registry.rules_for(target.kind)
    reader = registry.facts_module(target.kind)
    facts: Facts = _answered(reader.read(target, settings, rules), settings)
    fired, coverage = _run(rules, facts, settings)
    while (certain := _certain(reader, facts, fired, rules, target, settings)) is not facts:
        facts = certain
        fired, coverage = _run(rules, facts, settings)
    fired += _shortfall(facts, fired, target, settings)
    return _report(target, facts, rules, fired, coverage, settings)


def _answered(facts: "Facts", settings: "Settings") -> "Facts":
    """The facts with the verdicts on other targets that they ask for: data beside a failed run, a baseline."""
    asked, alone = getattr(facts, "asks", ()), settings._replace(changed_lines=None)
    return facts.answered([judge(other, alone) for other in asked]) if asked else facts  # type: ignore[attr-defined]


def _shortfall(facts: "Facts", fired: list[Finding], target: Target, settings: "Settings") -> list[Finding]:
    """Where no rule fired (notes judge nothing), the facts may still say that there was too little to judge."""
    tell = getattr(facts, "shortfall", None)
    why = tell({finding.rule for finding in fired if finding.severity is not Severity.NOTE}) if tell else None
    if why is None:
        return []
    place = Places(why.location or Location(target.path, line=1))
    return [_stamp(registry.catalogue()[why.rule], Firing(why.reason, why.measured, why.limit, place), settings)]


def judge_facts(target: Target, facts: "Facts", rules: "Sequence[Rule]", settings: "Settings") -> TargetReport:
    """Hold facts that are read already against these rules."""
    return _report(target, facts, rules, *_run(rules, facts, settings), settings)


def _report(
    target: Target,
    facts: "Facts",
    rules: "Sequence[Rule]",
    fired: list[Finding],
    coverage: Coverage,
    settings: "Settings",
) -> TargetReport:
    findings, ignored = _sorted_out(fired, settings, target)
    charts = facts.charts()
    if charts:
        from trainproof_ci.charts import drawn  # only runs have any

        charts = drawn(charts, findings, {rule.id: rule.needs for rule in rules})
    return TargetReport(target.path, target.kind, target.format, facts.summary(), findings, coverage, ignored, charts)


def _run(rules: "Sequence[Rule]", facts: "Facts", settings: "Settings") -> tuple[list[Finding], Coverage]:
    """What fired, what ran, and what was skipped and why."""
    fired: list[Finding] = []
    skips: list[str | None] = []
    lacking: dict[tuple[str, ...], str | None] = {}  # many rules need the same
    for rule in rules:
        needs = rule.needs
        if needs not in lacking:
            lacking[needs] = _lacking(facts, needs)
        chosen, why = settings.rules.get(rule.id), lacking[needs]
        if chosen is not None and chosen.off:
            why = "switched off in the configuration"
        elif why is None:
            firings, why = _asked(rule, facts, rule.limits if chosen is None else {**rule.limits, **chosen.limits})
            if firings:
                fired += [_stamp(rule, firing, settings) for firing in firings]
        skips.append(why)
    return fired, _coverage(tuple(map(ID_OF, rules)), tuple(skips))


def _lacking(facts: "Facts", needs: tuple[str, ...]) -> str | None:
    return next((why for need in needs if (why := facts.lacks(need)) is not None), None)


@lru_cache(maxsize=1024)
def _coverage(ids: tuple[str, ...], skips: tuple[str | None, ...]) -> Coverage:
    """The books of one target; those of files that are alike are one object, however many files there are."""
    books = list(zip(ids, skips, strict=True))
    return Coverage(
        tuple(i for i, why in books if why is None), {i: counted(why) for i, why in books if why is not None}
    )


def _certain(
    reader: Any, facts: "Facts", fired: "list[Finding]", rules: "Sequence[Rule]", target: Target, settings: "Settings"
) -> "Facts":
    """The facts without the records that findings rest on and that a closer look finds damaged; mostly the same facts."""
    recheck = getattr(reader, "recheck", None)
    if recheck is None or not fired:
        return facts
    ids = {finding.rule for finding in fired}
    closer: Facts = recheck(facts, [rule for rule in rules if rule.id in ids], target, settings)
    return closer


def _asked(rule: "Rule", facts: "Facts", limits: "Limits") -> "tuple[Sequence[Firing], str | None]":
    """The firings of one rule, or the reason why it stands down."""
    assert rule.judge is not None
    try:
        return list(rule.judge(facts, limits)), None
    except StandDown as down:
        return (), down.reason


def _stamp(rule: "Rule", firing: Firing, settings: "Settings") -> Finding:
    severity = firing.severity or rule.severity
    chosen = settings.rules.get(rule.id)
    if chosen is not None and chosen.severity is not None and severity not in FIXED:
        severity = chosen.severity
    said = counted(firing.message), counted(firing.measured), counted(firing.limit)
    return Finding(rule.id, severity, *said, firing.places, firing.related)


def _sorted_out(
    findings: Sequence[Finding], settings: "Settings", target: Target
) -> tuple[tuple[Finding, ...], tuple[Ignored, ...]]:
    """What counts and what is set aside; of what counts, whether it stands on a line that the change touched."""
    if not findings:
        return (), ()
    from trainproof_ci.suppress import sort_out  # a clean file needs none of it

    kept, aside = sort_out(findings, settings)
    if settings.changed_lines is None:
        return kept, aside
    touched = settings.changed_lines.get(target.path, ())
    return tuple(f._replace(on_changed_lines=_touches(f.places.lines, touched)) for f in kept), aside


def _touches(lines: Iterable[int], ranges: Sequence[tuple[int, int]]) -> bool:
    """Whether any of `lines` lies in one of the `ranges`, which are in order."""
    from bisect import bisect_right  # only a selection of changed lines needs it

    starts = [first for first, _ in ranges]
    return any((at := bisect_right(starts, line)) > 0 and line <= ranges[at - 1][1] for line in lines)


def not_judged(target: Target, why: Unreadable, settings: "Settings") -> TargetReport:
    """The report of a target whose reader gave up: one finding, and every rule of its kind skipped for that reason."""
    rule = registry.catalogue()[why.rule]
    place = why.location or Location(target.path, line=1)
    finding = _stamp(rule, Firing(why.reason, why.measured, why.limit, Places(place)), settings)
    ids = tuple(map(ID_OF, registry.rules_for(target.kind)))
    findings, ignored = _sorted_out([finding], settings, target)
    coverage = _coverage(ids, (why.reason,) * len(ids))
    return TargetReport(target.path, target.kind, target.format, {}, findings, coverage, ignored)
