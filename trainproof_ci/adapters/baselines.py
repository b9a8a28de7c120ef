"""Runs held against a known-good one: at a path, or the same file on the base branch, brought here as a copy."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

from trainproof_ci import engine, git, suppress
from trainproof_ci.adapters.trusted import contents
from trainproof_ci.comparison import compare_with_copy, ranked
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Report, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.readers.comparison import pair
from trainproof_ci.readers.pointers import is_pointer
from trainproof_ci.readers.source import Head
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.adapters.api import Api
    from trainproof_ci.adapters.event import Event
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.session import Session

BASE = "base"
"""The word of the input `baseline` for the same file on the base branch."""


class Base(NamedTuple):
    """Where files of the base come from: git where the history is there, else the API; copies go into `folder`."""

    event: "Event"
    api: "Api | None"
    prefix: str
    folder: str

    def bytes_of(self, path: str) -> bytes | str:
        """The file at `path` (from the working directory) on the base, empty where there is none; or why nobody knows."""
        whole = os.path.normpath(self.prefix + path).replace(os.sep, "/")
        for reference in self._references():
            found = git.show(reference, whole)
            if found is not None:
                return found
        if self._name is None:
            return "the event has no base branch"
        if self.api is None or self.event.repository is None:
            return "the history is not in this clone, and there is no token to ask GitHub with"
        return self._asked(whole, self.api, self.event.repository, self._name)

    @property
    def _name(self) -> str | None:
        return self.event.trusted or self.event.base or self.event.default_branch

    def _references(self) -> tuple[str, ...]:
        commit, branch = self.event.trusted or self.event.base, self.event.default_branch
        if commit is not None:
            return (commit,)
        return (f"refs/remotes/origin/{branch}", f"refs/heads/{branch}") if branch is not None else ()

    @staticmethod
    def _asked(path: str, api: "Api", repository: str, reference: str) -> bytes | str:
        from trainproof_ci.adapters.api import ApiTrouble

        try:
            found = contents(path, repository, reference, api)
        except ApiTrouble as trouble:
            return b"" if trouble.status == 404 else f"the history is not in this clone, and {trouble.reason}"
        return "GitHub's API sent no file" if found is None else found

    def called(self, path: str) -> str:
        """What reports call a file of the base."""
        name = self._name or BASE
        return f"{path}@{name if name == self.event.default_branch else name[:12]}"


def compared(session: "Session", named: "Callable[[Target], str | None]", base: Base) -> Report:
    """The report of a session with its runs compared: `named` gives the baseline of a run, a path or `BASE`."""
    told: list[TargetReport] = []
    notes: Counter[str] = Counter()
    fetched = cache(base.bytes_of)
    for run in session.targets:
        baseline = named(run) if run.kind == "run" and run.format != "missing" else None
        if baseline is None:
            continue
        outcome = _compared(run, baseline, fetched, base, session.settings)
        if isinstance(outcome, str):
            notes[outcome] += 1
        else:
            told.append(outcome)
    targets = tuple(ranked(sorted((*session.report.targets, *told), key=lambda target: (target.path, target.kind))))
    stale = suppress.stale_entries(targets, session.settings)
    return session.report._replace(targets=targets, notes=(*session.notes, *_counted(notes), *stale))


def _counted(notes: "Counter[str]") -> Iterator[str]:
    yield from (f"{count} {'run' if count == 1 else 'runs'}: {why}" for why, count in sorted(notes.items()))


def _compared(
    run: "Target", baseline: str, fetched: "Callable[[str], bytes | str]", base: Base, settings: "Settings"
) -> TargetReport | str:
    """The comparison of one run, or the sentence that says why there was nothing to compare."""
    if baseline != BASE and not base.event.base_rights:
        if os.path.normpath(run.path) == os.path.normpath(baseline):
            return "the baseline itself is compared with nothing"
        return engine.judge(pair(run, baseline), settings)
    path = run.path if baseline == BASE else baseline
    data = fetched(path)
    if isinstance(data, str):
        return _not_compared(run, data, settings)
    if not data:
        if baseline == BASE:
            return "the base branch has no such file; nothing was compared"
        return _not_compared(run, "the base branch has no file at the path of the baseline", settings)
    if baseline == BASE and _same(run.path, data):
        return "the file is as on the base branch; nothing was compared"
    copy = _copied(path, data, base.folder)
    if is_pointer(Head.of(copy)):
        return _not_compared(run, "a Git LFS pointer stands on the base branch in place of the log", settings)
    return compare_with_copy(run, copy, base.called(path), settings)


def _not_compared(run: "Target", why: str, settings: "Settings") -> TargetReport:
    reason = Unreadable(
        f"not compared with the base branch: {why}", rule="TP-CMP-UNCOMPARABLE", measured="0 baselines", limit="1 baseline",
        location=Location(run.path, line=1),
    )  # fmt: skip
    return engine.not_judged(run._replace(kind="comparison"), reason, settings)


def _same(path: str, data: bytes) -> bool:
    try:
        if os.path.getsize(path) != len(data):
            return False
        with open(path, "rb") as file:
            return file.read(len(data) + 1) == data
    except OSError:
        return False


def _copied(path: str, data: bytes, folder: str) -> str:
    """A copy under the same name, which readers know formats by, in a folder of its own."""
    from tempfile import mkdtemp

    os.makedirs(folder, exist_ok=True)
    copy = os.path.join(mkdtemp(prefix="base-", dir=folder), os.path.basename(path))
    with open(copy, "xb") as file:
        file.write(data)
    return copy
