"""One check from paths to report: find, select what a change concerns, take a shard's share, judge."""

import os
from collections.abc import Sequence

from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.globs import is_pattern
from trainproof_ci.grammar import counted
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.changes import Changes
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.model import Report
    from trainproof_ci.shards import Shard

SHOWN = 10
"""Names of submodules in one sentence."""


class Request:  # no NamedTuple: types that are only named as text take longer to evaluate than a small file to judge
    """What to judge. `changes` is a selection, or the sentence that says why there is none although one was wanted."""

    def __init__(
        self,
        paths: Sequence[str] = (".",),
        kind: str | None = None,
        *,
        candidates: bool = False,
        changes: "Changes | str | None" = None,
        shard: "Shard | None" = None,
    ) -> None:
        self.paths, self.kind, self.candidates = paths, kind, candidates
        self.changes, self.shard = changes, shard


class Session:
    """The report, and what a shard must write down beside it."""

    def __init__(
        self, report: "Report", notes: Sequence[str], targets: "Sequence[Target]", settings: "Settings"
    ) -> None:
        self.report, self.notes, self.targets, self.settings = report, notes, targets, settings

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
    notes = [] if request.candidates else _absent(request.paths)
    if request.candidates and not targets:
        notes.append(counted(f"nothing to judge among {len(request.paths)} changed files"))
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


def _absent(paths: Sequence[str]) -> list[str]:
    """What git names below `paths` and the checkout left out: a folder that looks empty is not one with nothing in it."""
    if all(map(os.path.isfile, paths)):
        return []
    from trainproof_ci import git

    missing = [path for path in git.missing_submodules() if any(_concerns(path, named) for named in paths)]
    if not missing:
        return []
    names = ", ".join(missing[:SHOWN]) + (", …" if len(missing) > SHOWN else "")
    told = f"the submodule {names} is" if len(missing) == 1 else f"{len(missing)} submodules ({names}) are"
    return [f"{told} not in this checkout and not judged; `submodules: true` for actions/checkout fetches them"]


def _concerns(path: str, named: str) -> bool:
    """Whether the folder at `path` lies below what is named, holds it, or may fit its pattern."""
    below = os.path.normpath(named).replace(os.sep, "/")
    return below == "." or is_pattern(named) or f"{path}/".startswith(f"{below}/") or below.startswith(f"{path}/")


def _selected(
    targets: "list[Target]", changes: "Changes", settings: "Settings"
) -> "tuple[list[Target], Settings, str]":
    from trainproof_ci.together import concerned

    kept = concerned(targets, changes, settings)
    lines = {target.path: changes.lines(target.path) for target in kept}
    if not kept:
        return [], settings, counted(f"nothing to judge among {changes.total} changed files ({changes.how})")
    note = f"{len(kept)} of {len(targets)} targets are concerned by {changes.total} changed files ({changes.how})"
    return kept, settings._replace(changed_lines=lines), counted(note)
