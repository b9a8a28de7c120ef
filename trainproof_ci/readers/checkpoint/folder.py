"""Checkpoints that are a folder: which targets are one, and the facts of the whole."""

import os

from trainproof_ci.readers.checkpoint import dcp, deepspeed, hf_folder
from trainproof_ci.readers.checkpoint.facts import Checkpoint, CheckpointFile
from trainproof_ci.readers.checkpoint.files import read_file
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.discovery import Target

NO_WEIGHTS = frozenset({"hf-index", "torch-dcp"})
"""Formats of files that describe the others and are read with the folder."""


def gather(targets: "Sequence[Target]") -> "list[Target]":
    """Join the targets that lie in one checkpoint folder into one target of that folder."""
    by_folder: dict[str, list[Target]] = {}
    for target in targets:
        by_folder.setdefault(os.path.dirname(target.path) or ".", []).append(target)
    joined: list[Target] = []
    for folder, members in by_folder.items():
        whole = [target for target in members if target.refusal is None and target.is_file]
        if whole and _is_checkpoint(folder, whole):
            joined += [target for target in members if target not in whole]
            joined.append(_as_one(folder, whole))
        else:
            joined += members
    return joined


def _is_checkpoint(folder: str, members: "Sequence[Target]") -> bool:
    names = [os.path.basename(target.path) for target in members]
    described = any(target.format in NO_WEIGHTS for target in members)
    return described or deepspeed.is_deepspeed(names) or hf_folder.is_step(folder, names)


def _as_one(folder: str, members: "Sequence[Target]") -> "Target":
    names = [os.path.basename(target.path) for target in members]
    pieces = any(target.format == "torch-dcp" for target in members)
    kind = "torch-dcp" if pieces else "deepspeed" if deepspeed.is_deepspeed(names) else "hf-folder"
    size = sum(target.size for target in members)
    paths = tuple(sorted(target.path for target in members))
    return members[0]._replace(path=folder, format=kind, size=size, is_file=False, members=paths)


def read_folder(target: "Target", *, deep: bool, deadline: float) -> Checkpoint:
    """The facts of the checkpoint folder: those of its files, and what only the whole shows."""
    folder, names = target.path, os.listdir(target.path)
    files = [read_file(path, deep=deep, deadline=deadline) for path in target.members if not _describes(path)]
    files = [_aside(file) for file in files]
    if target.format == "torch-dcp":
        layout = dcp.layout_of(folder, names)
    elif deepspeed.is_deepspeed(names):
        layout = deepspeed.layout_of(folder, names, files)
    else:
        layout = hf_folder.layout_of(folder, names, files)
    whole = Checkpoint(folder, target.format, tuple(files), layout.sightings, layout.missing, layout.notes)
    return whole._replace(earlier=_earlier(whole))


def _describes(path: str) -> bool:
    """Whether a file holds no weights that are read by themselves, and is read with the folder."""
    return os.path.basename(path) == ".metadata" or path.endswith((".json", ".distcp"))


def _aside(file: CheckpointFile) -> CheckpointFile:
    """A file of training state in a folder: what it holds are no weights of the model."""
    name = os.path.basename(file.path)
    section = (
        "optimizer"
        if name.startswith("optim") or "optim_states" in name
        else "other"
        if name.startswith(("rng", "sched", "scaler", "random"))
        else None
    )
    if section is None:
        return file
    return file._replace(tensors=tuple(tensor._replace(section=section) for tensor in file.tensors), progress=False)


def _earlier(whole: Checkpoint) -> str | None:
    """Which checkpoint to go on from where a `checkpoint-N` is not whole, "" where there is none."""
    asked = any(file.damaged for file in whole.files) or bool(whole.sightings)
    if not asked or not hf_folder.STEP_FOLDER.fullmatch(
        os.path.basename(whole.path)
    ):  # what lies above "." is not ours
        return None
    return hf_folder.newest_complete(whole.path) or ""
