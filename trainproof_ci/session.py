"""One check from paths to report: find, select what a change concerns, take a shard's share, judge."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from trainproof_ci.discovery import find
from trainproof_ci.engine import check

if TYPE_CHECKING:
    from trainproof_ci.changes import Changes
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.model import Report
    from trainproof_ci.shards import Shard


class Request(NamedTuple):
    """What to judge. `changes` is a selection, or the sentence that says why there is none although one was wanted."""

    paths: Sequence[str] = (".",)
    kind: str | None = None
    candidates: bool = False
    changes: "Changes | str | None" = None
    shard: "Shard | None" = None


class Session(NamedTuple):
    """The report, and what a shard must write down beside it."""

    report: "Report"
    notes: Sequence[str]
    targets: "Sequence[Target]"
    settings: "Settings"

    def shard_report(self, shard: "Shard") -> str:
        """The report of one shard as JSON, which `merge` reads."""
        import json

        from trainproof_ci.reports.escape import json_text
        from trainproof_ci.shards import document

        told = document(self.report, shard, self.targets, self.notes, self.settings)
        return json_text(json.dumps(told, separators=(",", ":"))) + "\n"


def judged(request: Request, settings: "Settings") -> Session:
    """Do it; raises `UsageError` only."""
    targets = find(request.paths, settings, request.kind, candidates=request.candidates)
    notes: list[str] = []
    if request.candidates and not targets:
        notes.append(f"nothing to judge among {len(request.paths)} changed files")
    if isinstance(request.changes, str):
        notes.append(f"everything is judged: {request.changes}")
    elif request.changes is not None:
        targets, settings, note = _selected(targets, request.changes, settings)
        notes.append(note)
    mine = targets
    if request.shard is not None:
        from trainproof_ci.shards import share

        mine = share(targets, request.shard, settings)
    return Session(check(mine, settings, notes), notes, targets, settings)


def _selected(
    targets: "list[Target]", changes: "Changes", settings: "Settings"
) -> "tuple[list[Target], Settings, str]":
    from trainproof_ci.together import concerned

    kept = concerned(targets, changes, settings)
    lines = {target.path: changes.lines(target.path) for target in kept}
    if not kept:
        return [], settings, f"nothing to judge among {changes.total} changed files ({changes.how})"
    note = f"{len(kept)} of {len(targets)} targets are concerned by {changes.total} changed files ({changes.how})"
    return kept, settings._replace(changed_lines=lines), note
