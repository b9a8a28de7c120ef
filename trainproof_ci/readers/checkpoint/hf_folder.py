"""Hugging Face folders: `checkpoint-N` of a Trainer, and shards that an `*.index.json` names."""

import json
import os
import re
from collections.abc import Mapping, Sequence

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location, safe_key
from trainproof_ci.readers.checkpoint.dtypes import bytes_of
from trainproof_ci.readers.checkpoint.facts import CheckpointFile
from trainproof_ci.readers.checkpoint.formats import is_index
from trainproof_ci.readers.checkpoint.sightings import Seen, Sighting
from trainproof_ci.readers.pointers import refuse_pointer
from trainproof_ci.readers.source import Head, read_start
from trainproof_ci.typed import Any, NamedTuple

STEP_FOLDER = re.compile(r"checkpoint-(\d+)")
WEIGHTS = re.compile(
    r"(?:model|adapter_model|pytorch_model|diffusion_pytorch_model|consolidated)[^/]*\.(?:safetensors|bin|pt|pth)|pytorch_model_fsdp_\d+|global_step\d+|.*\.distcp"
)
OPTIMIZER = re.compile(r"optimizer[^/]*\.(?:pt|bin|pth|safetensors)|optimizer_\d+|global_step\d+")
SCHEDULER = re.compile(r"scheduler[^/]*\.(?:pt|bin)|lr_scheduler[^/]*")
RANDOM = re.compile(r"rng_state[^/]*\.pth|random_states_\d+\.pkl")
LARGEST_INDEX = 64 << 20


class Layout(NamedTuple):
    """What a folder as a whole shows: what was come upon, the training state that is missing, notes for the report."""

    sightings: tuple[Sighting, ...] = ()
    missing: tuple[str, ...] = ()
    notes: Mapping[str, object] = {}


def layout_of(folder: str, names: Sequence[str], files: Sequence[CheckpointFile]) -> Layout:
    """What the folder shows whose entries are `names` and whose checkpoint files were read as `files`."""
    sightings: list[Sighting] = []
    for name in sorted(names):
        if name.endswith(".json") and ".index." in name and is_index(Head.of(inside(folder, name))):
            sightings += _index(inside(folder, name), set(names), files)
    if not is_step(folder, names):
        return Layout(tuple(sightings))
    weights = any(WEIGHTS.fullmatch(name) for name in names)
    if not weights:
        sightings.append(Sighting(Seen.NO_WEIGHTS, "0 weight files", "at least 1"))
    if weights and "trainer_state.json" not in names:
        sightings.append(Sighting(Seen.NO_TRAINER_STATE, "no trainer_state.json", "trainer_state.json"))
    state = (("optimizer", OPTIMIZER), ("scheduler", SCHEDULER), ("random number", RANDOM))
    missing = tuple(what for what, pattern in state if not any(pattern.fullmatch(name) for name in names))
    return Layout(tuple(sightings), missing)


def is_step(folder: str, names: Sequence[str]) -> bool:
    """Whether a folder that holds files of these names is a `checkpoint-N` of a Trainer, by its own name or by theirs.

    A model that is published after training keeps trainer_state.json and neither scheduler nor random states.
    """
    if STEP_FOLDER.fullmatch(os.path.basename(os.path.abspath(folder))):
        return True
    resumable = any(SCHEDULER.fullmatch(name) or RANDOM.fullmatch(name) for name in names)
    return resumable and os.path.isfile(inside(folder, "trainer_state.json"))


def inside(folder: str, name: str) -> str:
    """The path of a file of a folder, as files are named in reports: "." does not stand in it."""
    return name if folder == "." else f"{folder}/{name}"


def is_complete(folder: str) -> bool:
    """Whether a `checkpoint-N` folder has all that a Trainer writes, by name: weights, optimizer, and the state it writes last."""
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    return "trainer_state.json" in names and all(any(p.fullmatch(name) for name in names) for p in (WEIGHTS, OPTIMIZER))


def _index(path: str, names: set[str], files: Sequence[CheckpointFile]) -> list[Sighting]:
    """Hold the index against the shards: all there, each with the tensors that the index says, of the total size."""
    pointer = _pointer(Head.of(path))
    if pointer is not None:
        return [pointer]
    index, text = _read_index(path)
    if index is None:
        return [Sighting(Seen.INDEX_UNREADABLE, "no weight map", "a weight map", path=path)]
    shards: Mapping[str, str] = index["weight_map"]
    wanted = sorted(set(shards.values()))
    gone = [shard for shard in wanted if shard not in names]
    if gone:
        line = text[: max(text.find(gone[0].encode()), 0)].count(b"\n") + 1
        told = {"wanted": len(wanted), "gone": len(gone), "first": _shown(gone[0]), "line": line}
        both = f"{len(wanted) - len(gone)} shards", f"{len(wanted)} shards"
        return [Sighting(Seen.SHARDS_MISSING, *both, path=path, told=told)]
    return _contents(path, index, shards, {os.path.basename(file.path): file for file in files})


def _pointer(head: Head) -> Sighting | None:
    """A pointer in place of the index; the shards are judged all the same. Raises `Unreadable` for one that was committed as data."""
    try:
        refuse_pointer(head)
    except Unreadable as why:
        if why.rule == "TP-FILE-LFS-COMMITTED":
            raise
        return Sighting(Seen.POINTER, f"{head.size} bytes of pointer", "an index of shards", 0, head.path)
    return None


def _read_index(path: str) -> tuple[Mapping[str, Any] | None, bytes]:
    """The index with a weight map of texts, or None, and its bytes. Raises `Unreadable` for one that is too large."""
    text = read_start(path, LARGEST_INDEX + 1)
    if len(text) > LARGEST_INDEX:
        raise Unreadable(
            "the index of the shards is larger than is read here",
            measured=f"more than {LARGEST_INDEX} bytes", limit=f"{LARGEST_INDEX} bytes", location=Location(path, line=1),
        )  # fmt: skip
    try:
        index = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return None, b""
    shards = index.get("weight_map") if isinstance(index, dict) else None
    whole = isinstance(shards, dict) and all(isinstance(shard, str) for shard in shards.values())
    return (index if whole else None), text


def _shown(name: str) -> str:
    usual = re.fullmatch(r"[a-z_]{1,40}[.-]?(?:\d{1,5}(?:-of-\d{1,5})?)?\.(?:safetensors|bin|pt)", name)
    return name if usual else f"<a name of {len(name)} characters>"


def _contents(
    path: str, index: Mapping[str, Any], shards: Mapping[str, str], files: Mapping[str, CheckpointFile]
) -> list[Sighting]:
    read = {shard: files[shard] for shard in set(shards.values()) if shard in files and files[shard].tensors}
    held = {shard: {tensor.name for tensor in file.tensors} for shard, file in read.items()}
    lost = [name for name, shard in shards.items() if shard in held and _sanitised(name) not in held[shard]]
    if lost:
        return [Sighting(Seen.TENSORS_ASTRAY, f"{len(lost)} tensors astray", f"0 of {len(shards)}", path=path)]
    metadata = index.get("metadata")
    total = metadata.get("total_size") if isinstance(metadata, dict) else None
    found = sum(bytes_of(tensor.dtype, tensor.numel) for file in read.values() for tensor in file.tensors)
    if isinstance(total, int) and set(shards.values()) <= set(read) and total != found:
        return [Sighting(Seen.TOTAL_DIFFERS, f"{found} bytes", f"{total} bytes", path=path)]
    return []


def _sanitised(name: str) -> str:
    return ".".join(safe_key(part) for part in name.split("."))


def newest_complete(folder: str) -> str | None:
    """The name of the newest sibling of a broken `checkpoint-N` that is complete by its names and lies before it."""
    own = STEP_FOLDER.fullmatch(os.path.basename(folder))
    parent = os.path.dirname(folder) or "."
    steps = [(int(found[1]), name) for name in _listed(parent) if (found := STEP_FOLDER.fullmatch(name))]
    for step, name in sorted(steps, reverse=True):
        if own and step < int(own[1]) and is_complete(os.path.join(parent, name)):
            return name
    return None


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
