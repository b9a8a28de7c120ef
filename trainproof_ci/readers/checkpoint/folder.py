"""Checkpoints that are a folder: which targets are one, and the facts of the whole."""

import os
from typing import TYPE_CHECKING

from trainproof_ci.readers.checkpoint import dcp, deepspeed, hf_folder
from trainproof_ci.readers.checkpoint.facts import Checkpoint, CheckpointFile, Fault
from trainproof_ci.readers.checkpoint.files import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.discovery import Target

NO_WEIGHTS = frozenset({"hf-index", "torch-dcp"})
"""Formats of files that describe the others and are read with the folder."""


def gather(targets: "Sequence[Target]") -> "list[Target]":
    """Join the targets that lie in one checkpoint folder into one target of that folder."""
    by_folder: dict[str, list[Target]] = {}
    for target in targets:
        by_folder.setdefault(os.path.dirname(target.path), []).append(target)
    joined: list[Target] = []
    for folder, members in by_folder.items():
        whole = [target for target in members if target.refusal is None and target.is_file]
        if whole and folder and _is_checkpoint(folder, whole):
            joined += [target for target in members if target not in whole]
            joined.append(_as_one(folder, whole))
        else:
            joined += [target for target in members if target.format != "hf-index" or folder == ""]
    return joined


def _is_checkpoint(folder: str, members: "Sequence[Target]") -> bool:
    names = [os.path.basename(target.path) for target in members]
    step = hf_folder.STEP_FOLDER.fullmatch(os.path.basename(folder)) is not None
    return step or any(target.format in NO_WEIGHTS for target in members) or deepspeed.is_deepspeed(names)


def _as_one(folder: str, members: "Sequence[Target]") -> "Target":
    names = [os.path.basename(target.path) for target in members]
    kind = "torch-dcp" if dcp.is_distributed(names) else "deepspeed" if deepspeed.is_deepspeed(names) else "hf-folder"
    size = sum(target.size for target in members)
    paths = tuple(sorted(target.path for target in members))
    return members[0]._replace(path=folder, format=kind, size=size, is_file=False, members=paths)


def read_folder(target: "Target", *, deep: bool, deadline: float) -> Checkpoint:
    """The facts of the checkpoint folder: those of its files, and what only the whole shows."""
    folder, names = target.path, os.listdir(target.path)
    described = {
        path
        for path in target.members
        if os.path.basename(path) == ".metadata" or path.endswith((".index.json", ".distcp"))
    }
    files = [read_file(path, deep=deep, deadline=deadline) for path in target.members if path not in described]
    files = [_aside(file) for file in files]
    if dcp.is_distributed(names):
        layout = dcp.layout_of(folder, names)
    elif deepspeed.is_deepspeed(names):
        layout = deepspeed.layout_of(folder, names, files)
    else:
        layout = hf_folder.layout_of(folder, names, files)
    whole = Checkpoint(folder, target.format, tuple(files), layout.faults, layout.missing, layout.notes)
    return _advised(whole)


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


def _advised(whole: Checkpoint) -> Checkpoint:
    """Where a `checkpoint-N` is broken, say in its faults which one to resume from instead."""
    broken = any(file.broken for file in whole.files) or bool(whole.faults)
    name = os.path.basename(whole.path)
    if not broken or not hf_folder.STEP_FOLDER.fullmatch(name):
        return whole
    newest = hf_folder.newest_complete(whole.path)
    advice = f"; resume from {newest}" if newest else "; no earlier checkpoint beside it is complete"

    def advised(fault: Fault) -> Fault:
        return (
            fault._replace(message=fault.message.replace("; resume from the previous checkpoint", "") + advice)
            if fault.rule in ADVISED
            else fault
        )

    files = tuple(file._replace(faults=tuple(advised(fault) for fault in file.faults)) for file in whole.files)
    return whole._replace(
        files=files,
        faults=tuple(advised(fault) for fault in whole.faults),
        notes={**whole.notes, "resume_from": newest},
    )


ADVISED = frozenset(
    {"TP-CKPT-TRUNCATED", "TP-CKPT-CORRUPT", "TP-CKPT-INCOMPLETE", "TP-CKPT-EMPTY", "TP-CKPT-MISSING", "TP-CKPT-SHARD"}
)
