"""DeepSpeed folders: the states of every rank are there, and `latest` names a folder that exists."""

import os
import re
from collections.abc import Sequence

from trainproof_ci.readers.checkpoint.facts import CheckpointFile
from trainproof_ci.readers.checkpoint.hf_folder import Layout
from trainproof_ci.readers.checkpoint.sightings import Seen, Sighting

MODEL_STATES = re.compile(r"(?:zero_pp_rank_(?P<data>\d+)_)?mp_rank_(?P<model>\d+)_model_states\.pt")
OPTIMIZER_STATES = re.compile(r"(?:bf16_)?zero_pp_rank_(?P<data>\d+)_mp_rank_(?P<model>\d+)_optim_states\.pt")


def is_deepspeed(names: Sequence[str]) -> bool:
    """Whether a folder of these names is a DeepSpeed checkpoint."""
    return any(MODEL_STATES.fullmatch(name) or OPTIMIZER_STATES.fullmatch(name) for name in names)


def layout_of(folder: str, names: Sequence[str], files: Sequence[CheckpointFile]) -> Layout:
    """What the folder shows: whether there is a file a rank for model and optimizer, as many as the world was large."""
    world = max(
        (file.sharded.get("dp_world_size") for file in files if isinstance(file.sharded.get("dp_world_size"), int)),
        default=0,
    )  # type: ignore[type-var]
    sightings = [*_latest(folder)]
    for what, pattern in (("optimizer", OPTIMIZER_STATES), ("model", MODEL_STATES)):
        found = [match for name in names if (match := pattern.fullmatch(name))]
        sightings += _ranks(what, [match["data"] for match in found], int(str(world)))
    if not any(MODEL_STATES.fullmatch(name) for name in names):
        sightings.append(Sighting(Seen.NO_MODEL_STATES, "0 model states", "at least 1"))
    optimizer = any(OPTIMIZER_STATES.fullmatch(name) for name in names) or any(
        file.optimizer == "present" for file in files
    )
    return Layout(tuple(sightings), () if optimizer else ("optimizer",), {"world_size": world} if world else {})


def _ranks(what: str, ranks: Sequence[str | None], world: int) -> list[Sighting]:
    """Ranks that are missing: below the highest one seen, or below the size of the world."""
    seen = {int(rank) for rank in ranks if rank is not None}
    if not seen:
        return []
    wanted = max(world, max(seen) + 1)
    gone = sorted(set(range(min(wanted, 1 << 20))) - seen)
    if not gone:
        return []
    told = {"states": what, "gone": len(gone), "first": gone[0]}
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
