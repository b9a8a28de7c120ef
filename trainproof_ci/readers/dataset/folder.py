"""Datasets of several files: label folders and parallel texts are one target."""

import os

from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainproof_ci.discovery import Target


def gathered(targets: "Iterable[Target]") -> "list[Target]":
    """Join the label files of a folder, and the sides of a parallel text, into one target each."""
    joined: dict[tuple[str, str], list[Target]] = {}
    alone: list[Target] = []
    for target in targets:
        if target.format in {"yolo-labels", "parallel-text"} and target.refusal is None:
            joined.setdefault((target.format, _key(target)), []).append(target)
        else:
            alone.append(target)
    for (form, key), members in joined.items():
        paths = tuple(sorted(member.path for member in members))
        path = key if form == "yolo-labels" else paths[0]
        size = sum(member.size for member in members)
        alone.append(members[0]._replace(path=path, size=size, is_file=False, members=paths))
    return alone


def _key(target: "Target") -> str:
    """What the files of one target share: the folder, or the name without the language."""
    if target.format == "yolo-labels":
        return os.path.dirname(target.path) or "."
    return os.path.splitext(target.path)[0]
