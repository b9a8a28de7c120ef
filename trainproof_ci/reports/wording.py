"""Sentences that several reports share, unescaped: each sink escapes them in its own way."""

from trainproof_ci.grammar import counted
from trainproof_ci.model import Coverage, Finding, Report, TargetReport
from trainproof_ci.places import Location


def expectation(finding: Finding) -> str:
    """The numbers: what the rule allows and what it measured."""
    return f"expected {finding.limit}, found {finding.measured}"


def place(location: Location) -> str:
    """path:line:column, or path and byte offset in a binary file."""
    if location.line is None:
        return location.path if location.byte_offset is None else f"{location.path} at byte {location.byte_offset}"
    at = f"{location.path}:{location.line}" + (f":{location.column}" if location.column else "")
    return f"{at} record {location.record}" if _many_on_one_line(location) else at


def _many_on_one_line(location: Location) -> bool:
    """Whether the line alone does not tell the record: an array that is written on one line."""
    return location.line == 1 and (location.record or 0) > 1


def elsewhere(finding: Finding) -> str:
    """How often the rule fired beyond the first place, and on which lines; empty for a single place."""
    if finding.occurrences < 2:
        return ""
    lines = [str(location.line) for location in finding.places.shown if location.line is not None]
    records = [str(location.record) for location in finding.places.shown if _many_on_one_line(location)]
    more = ", …" if finding.occurrences > len(lines) else ""
    which = f": lines {', '.join(dict.fromkeys(lines))}{more}" if len(set(lines)) > 1 else ""  # a file may be one line
    if records and not which:
        which = f": records {', '.join(records)}{more}"
    return f"{finding.occurrences} places{which}"


def totals(report: Report) -> str:
    """The one line that every report ends or begins with."""
    counts = report.counts
    words = [
        f"{counts[key]} {label}"
        for key, label in (("fail", "FAIL"), ("warn", "WARN"), ("not_checked", "NOT-CHECKED"), ("pass", "PASS"))
        if counts[key]
    ]
    if not report.targets:
        return f"nothing to judge; exit {int(report.exit_code)}"
    judged = f"{counts['found']} found = {counts['judged']} judged + {counts['not_judged']} not judged"
    return (
        f"{report.verdict.value}: {judged}"
        + (f" ({', '.join(words)})" if words else "")
        + f"; exit {int(report.exit_code)}"
    )


def notes(target: TargetReport) -> "list[str]":
    """What the reader says about how it took the file."""
    said = target.facts.get("notes")
    return [note for note in said if isinstance(note, str)] if isinstance(said, (list, tuple)) else []


def coverage(checks: Coverage) -> str:
    """How many rules ran and how many were skipped."""
    return counted(f"{len(checks.ran)} rules ran, {len(checks.skipped)} skipped")


def skips(checks: Coverage) -> dict[str, list[str]]:
    """The skipped rules by reason, reasons in order of first appearance."""
    grouped: dict[str, list[str]] = {}
    for rule, why in checks.skipped.items():
        grouped.setdefault(why, []).append(rule)
    return grouped


def skips_in_short(checks: Coverage) -> str:
    """The reasons for skipped rules in one line: a reason for one or two rules names them, for more it counts them.

    What the format or the shape of the file rules out is only counted: it is the same for every file of its kind.
    """
    grouped = skips(checks)
    foreign = [why for why in grouped if why.startswith("only for ") or " in the shape " in why]
    said = [
        f"{why} ({', '.join(rules) if len(rules) < 3 else f'{len(rules)} rules'})"
        for why, rules in grouped.items()
        if why not in foreign
    ]
    if foreign:
        said.append(counted(f"{sum(len(grouped[why]) for why in foreign)} rules are about other formats and shapes"))
    return "; ".join(said)
