"""DeepSpeed folders: the states of every rank are there, and `latest` names a folder that exists."""

import os
import re
from collections.abc import Sequence

from trainproof_ci.readers.checkpoint.facts import CheckpointFile
from trainproof_ci.readers.checkpoint.hf_folder import Layout
from trainproof_ci.readers.checkpoint.sightings import Seen, Sighting

MODEL_STATES = re.compile(r"(?:zero_pp_rank_(?P<data>\d+)_)?mp_rank_(?P<model>\d+)_model_states\.pt")
OPTIMIZER_STATES = re.compile(r"(?:bf16_)?zero_pp_rank_(?P<data>\d+)_mp_rank_(?P<model>\d+)_optim_states\.pt")

MOST_RANKS = 1 << 20


def is_deepspeed(names: Sequence[str]) -> bool:
    """Whether a folder of these names is a DeepSpeed checkpoint."""
    return any(MODEL_STATES.fullmatch(name) or OPTIMIZER_STATES.fullmatch(name) for name in names)


def layout_of(folder: str, names: Sequence[str], files: Sequence[CheckpointFile]) -> Layout:
    """What the folder shows: whether there is a file a rank for model and optimizer, as many as the world was large."""
    world, model_world = _largest(files, "dp_world_size"), _largest(files, "mp_world_size")
    sightings = [*_latest(folder)]
    for what, pattern in (("optimizer", OPTIMIZER_STATES), ("model", MODEL_STATES)):
        found = [match for name in names if (match := pattern.fullmatch(name))]
        sightings += _ranks(what, [(match["data"], int(match["model"])) for match in found], world, model_world)
    if not any(MODEL_STATES.fullmatch(name) for name in names):
        sightings.append(Sighting(Seen.NO_MODEL_STATES, "0 model states", "at least 1"))
    optimizer = any(OPTIMIZER_STATES.fullmatch(name) for name in names) or any(
        file.optimizer == "present" for file in files
    )
    return Layout(tuple(sightings), () if optimizer else ("optimizer",), {"world_size": world} if world else {})


def _largest(files: Sequence[CheckpointFile], key: str) -> int:
    """The largest size of a world that a file names, 0 where none does."""
    named = [size for file in files if isinstance(size := file.sharded.get(key), int)]
    return min(max(named, default=0), MOST_RANKS)


def _ranks(what: str, ranks: Sequence[tuple[str | None, int]], world: int, model_world: int) -> list[Sighting]:
    """Ranks that are missing: below the highest one seen, or below the size of the world.

    Data and model ranks make a rectangle, and each pair has its file. Where names leave out the data rank there is
    a file a model rank.
    """
    seen = {(int(data or 0), model) for data, model in ranks}
    if not seen:
        return []
    per_data = any(data is not None for data, _ in ranks)
    rows = max(world if per_data else 1, *(data + 1 for data, _ in seen))
    columns = max(model_world, *(model + 1 for _, model in seen))
    wanted = rows * columns
    first = next(((data, model) for data in range(rows) for model in range(columns) if (data, model) not in seen), None)
    if first is None:
        return []
    rank = f"{first[0]} of model rank {first[1]}" if columns > 1 else f"{first[0]}"
    told = {"states": what, "gone": wanted - len(seen), "first": rank}
    return [Sighting(Seen.RANKS_MISSING, f"{len(seen)} ranks", f"{wanted} ranks", told=told)]


def _latest(folder: str) -> list[Sighting]:
    """Whether `latest` beside the folder names one that is not there."""
    if folder == ".":  # what lies beside the working directory is not read
        return []
    parent = os.path.dirname(folder)
    path = os.path.join(parent, "latest").replace(os.sep, "/")
    if os.path.islink(path) or not os.path.isfile(path):
        return []
    try:
        with open(path, "rb") as file:
            tag = file.read(256).strip()
    except OSError:
        return []
    if not re.fullmatch(rb"[\w.-]+", tag) or os.path.isdir(os.path.join(os.fsencode(parent), tag)):
        return []
    return [Sighting(Seen.LATEST_MISSING, "no folder of that name", "the folder", path=path)]
