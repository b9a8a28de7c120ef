"""Which targets are judged together: a change to one concerns the others, and they stay in one shard."""

import os
from collections.abc import Iterable, Iterator, Sequence

from trainproof_ci.changes import Changes
from trainproof_ci.discovery import NEVER_A_TARGET, Target
from trainproof_ci.readers.dataset.splits import EVALUATED, TRAINED, split_of, training_files
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.config import Settings

MEDIA = frozenset({".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif"})


def groups(targets: Sequence[Target], settings: "Settings") -> list[list[Target]]:
    """The targets in groups: split pairs by configuration and by name, a manifest with what it lists.

    A checkpoint folder is one target already. Groups and their members are in order of path.
    """
    leaders = _Leaders(target.path for target in targets)
    for alike in (*settings.splits, *_alike(targets, settings)):
        leaders.join(alike)
    found: dict[str, list[Target]] = {}
    for target in sorted(targets, key=lambda target: (target.path, target.kind)):
        found.setdefault(leaders.of(target.path), []).append(target)
    return list(found.values())


class _Leaders:
    """Disjoint sets of paths, each led by its first path."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.leader = {path: path for path in paths}

    def of(self, path: str) -> str:
        while self.leader[path] != path:
            self.leader[path] = path = self.leader[self.leader[path]]
        return path

    def join(self, paths: Iterable[str]) -> None:
        present = [path for path in paths if path in self.leader]
        for path in present[1:]:
            first, second = sorted((self.of(present[0]), self.of(path)))
            self.leader[second] = first


def _alike(targets: Sequence[Target], settings: "Settings") -> Iterator[list[str]]:
    by_name: dict[str, list[str]] = {}
    for target in targets:
        if target.kind == "dataset":
            by_name.setdefault(_without_split(target.path), []).append(target.path)
            if split_of(target.path, settings) == "eval":
                yield [target.path, *training_files(target.path, settings)]
        elif target.kind == "manifest":
            from trainproof_ci.readers.manifest import listed_paths  # most selections hold no manifest

            yield [target.path, *listed_paths(target)]
    yield from by_name.values()


def concerned(targets: Sequence[Target], changes: Changes, settings: "Settings") -> list[Target]:
    """The targets that a change concerns: changed themselves, judged together with a changed or removed file,
    or resting on one (a manifest, a data set whose audio or images changed). A path that matches nothing stays.
    """
    touched = {*changes.files, *changes.gone}
    if touched & {os.path.basename(path) for path in touched} & NEVER_A_TARGET - {".gitignore"}:
        return list(targets)  # the configuration or the attributes changed: all verdicts may
    gone_alike = {_without_split(path) for path in changes.gone}
    changed = [target for target in targets if _changed(target, changes, touched, gone_alike)]
    paths = {target.path for target in changed}
    for group in groups(targets, settings):
        if any(target.path in paths for target in group):
            paths |= {target.path for target in group}
    return [target for target in targets if target.path in paths or target.format == "missing"]


def _changed(target: Target, changes: Changes, touched: set[str], gone_alike: set[str]) -> bool:
    files = {target.path, *target.members}
    if touched & files or not files <= changes.tracked:
        return True
    parents = _parents(target.path)
    if any(parent in changes.files for parent in parents):  # a submodule that moved on
        return True
    if target.kind == "dataset" and _without_split(target.path) in gone_alike:
        return True
    folder = f"{os.path.dirname(target.path)}/".lstrip("/")
    below = (path for path in touched if path.startswith(folder))
    if target.kind in {"manifest", "checkpoint"}:
        return any(True for _ in below)
    return target.kind == "dataset" and any(os.path.splitext(path)[1].lower() in MEDIA for path in below)


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def _without_split(path: str) -> str:
    return TRAINED.sub("*", EVALUATED.sub("*", path.lower()))
