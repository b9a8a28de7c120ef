"""One check over many machines: which targets are this shard's, what a shard writes down, and how shards are joined."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

from trainproof_ci import __version__, suppress
from trainproof_ci.errors import UsageError
from trainproof_ci.model import Chart, Coverage, Finding, Ignored, Policy, Report, Severity, TargetReport
from trainproof_ci.places import Location, Places
from trainproof_ci.together import groups
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target

MOST_SHARDS = 256
"""Jobs that GitHub allows in one matrix."""


class Shard(NamedTuple):
    """Shard `number`, from 1, of `of`."""

    number: int
    of: int


def parse(text: str) -> Shard:
    """Read `i/n`. Raises `UsageError`."""
    first, slash, second = text.partition("/")
    if slash and first.isdecimal() and second.isdecimal() and len(text) < 12:
        shard = Shard(int(first), int(second))
        if 1 <= shard.number <= shard.of <= MOST_SHARDS:
            return shard
    raise UsageError(f"--shard takes i/n with 1 <= i <= n <= {MOST_SHARDS}")


def share(targets: Sequence["Target"], shard: Shard, settings: "Settings") -> list["Target"]:
    """The targets of one shard: groups, largest first, each to the shard with the fewest bytes so far.

    Every machine with the same tree comes to the same division.
    """
    weighed = [(sum(target.size for target in group), group) for group in groups(targets, settings)]
    weighed.sort(key=lambda pair: (-pair[0], pair[1][0].path))
    loads = [(0, 0, index) for index in range(shard.of)]  # bytes, targets, shard
    mine: list[Target] = []
    from heapq import heapify, heapreplace

    heapify(loads)
    for size, group in weighed:
        load, count, index = loads[0]
        heapreplace(loads, (load + size, count + len(group), index))
        if index == shard.number - 1:
            mine += group
    return mine


def document(
    report: Report, shard: Shard, targets: Sequence["Target"], notes: Sequence[str], settings: "Settings"
) -> dict[str, Any]:
    """What one shard writes down: its part of the report, and what joining needs. `targets` are those of all shards."""
    from trainproof_ci.reports import json as json_report

    whole = json_report.document(report)
    for target, told in zip(report.targets, whole["targets"], strict=True):
        for finding, written in zip(target.findings, told["findings"], strict=True):
            written["keys"] = [f"{finding.places.keys[0]:016x}"]
        for aside, written in zip(target.ignored, told["ignored"], strict=True):
            written["keys"] = [f"{aside.finding.places.keys[0]:016x}"]
    tree = blake2b(digest_size=16)
    for one in sorted(targets, key=lambda one: (one.path, one.kind)):
        tree.update(f"{one.path}\0{one.kind}\0{one.size}\0".encode("utf-8", "surrogateescape"))
    tree.update(repr(settings._replace(jobs=0)).encode("utf-8", "surrogateescape"))
    whole["shard"] = {
        "number": shard.number,
        "of": shard.of,
        "tree": tree.hexdigest(),
        "notes": list(notes),
        "ignores": [list(entry) for entry in suppress.usage(report.targets, settings)],
        "stale_known": suppress.stale_known(report.targets, settings),
    }
    return whole


def joined(documents: Sequence[Mapping[str, Any]]) -> Report:
    """The report that one machine would have made. Raises `UsageError` unless every shard is there, once, and of one tree."""
    try:
        parts = sorted((part["shard"] for part in documents), key=lambda part: int(part["number"]))
        _complete(parts, {str(part["tool"]["version"]) for part in documents})
        targets = [_target(target) for part in documents for target in part["targets"]]
        policy = Policy(documents[0]["policy"]["fail_on"], documents[0]["policy"]["not_checked"])
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise UsageError("not the report of a shard; write it with `check --shard i/n --format json`") from None
    targets.sort(key=lambda target: (target.path, target.kind))
    return Report(tuple(targets), policy, (*parts[0]["notes"], *_stale(parts)))


def _complete(parts: Sequence[Mapping[str, Any]], versions: set[str]) -> None:
    wanted = int(parts[0]["of"])
    numbers = [part["number"] for part in parts]
    if numbers != list(range(1, wanted + 1)):
        missing = sorted(set(range(1, wanted + 1)) - set(numbers))
        which = f"missing {', '.join(map(str, missing[:20]))}" if missing else "one is there twice"
        raise UsageError(f"{len(parts)} reports of {wanted} shards: {which}; nothing was joined")
    if len({(part["tree"], part["of"]) for part in parts}) != 1 or versions != {__version__}:
        raise UsageError("the shards judged different trees, settings or versions; nothing was joined")


def _stale(parts: Sequence[Mapping[str, Any]]) -> list[str]:
    """The stale entries of all shards together: used by none of them, and some file of it was judged by one."""
    stale = [
        entries[0][0]
        for entries in zip(*(part["ignores"] for part in parts), strict=True)
        if any(applies for _, applies, _ in entries) and not any(used for _, _, used in entries)
    ]
    return stale + sorted(sentence for part in parts for sentence in part["stale_known"])


def _target(told: Mapping[str, Any]) -> TargetReport:
    return TargetReport(
        told["path"],
        told["kind"],
        told["format"],
        told["facts"],
        tuple(_finding(finding) for finding in told["findings"]),
        Coverage(tuple(told["checks"]["ran"]), told["checks"]["skipped"]),
        tuple(Ignored(_finding(aside), aside["reason"]) for aside in told["ignored"]),
        tuple(_chart(chart) for chart in told["charts"]),
    )


def _finding(told: Mapping[str, Any]) -> Finding:
    places = Places()
    places.shown = [Location(**place) for place in told["locations"]]
    lines = told.get("lines") or [place.line or 0 for place in places.shown]
    places.lines.extend(lines)
    places.keys.extend([int(told["keys"][0], 16)] * len(lines))
    related = tuple(Location(**place) for place in told.get("related", ()))
    return Finding(
        told["rule"], Severity(told["severity"]), told["message"], told["measured"], told["limit"], places, related,
        told.get("on_changed_lines"),
    )  # fmt: skip


def _chart(told: Mapping[str, Any]) -> Chart:
    points = tuple((float(step), float(value)) for step, value in told["points"])
    return Chart(told["name"], points, tuple((float(step), rule) for step, rule in told["marks"]))
