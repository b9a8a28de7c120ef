"""Distributed checkpoints of torch (FSDP): `.metadata`, written last, and the pieces it names in `*.distcp` files."""

import os
from collections.abc import Sequence

from trainproof_ci.readers.checkpoint.hf_folder import Layout, inside
from trainproof_ci.readers.checkpoint.pickle_nodes import Call, Mapping
from trainproof_ci.readers.checkpoint.pickle_ops import Malformed
from trainproof_ci.readers.checkpoint.pickle_walk import walk
from trainproof_ci.readers.checkpoint.sightings import Seen, Sighting
from trainproof_ci.typed import Any

LARGEST_METADATA = 128 << 20


def layout_of(folder: str, names: Sequence[str]) -> Layout:
    """What the folder shows: whether its metadata is whole, and every piece inside a file that is there."""
    pieces = [name for name in names if name.endswith(".distcp")]
    path = inside(folder, ".metadata")
    if ".metadata" not in names:
        return Layout((Sighting(Seen.NO_METADATA, "no .metadata", ".metadata"),))
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_METADATA + 1)
        if len(data) > LARGEST_METADATA:
            both = f"{len(data)} bytes", f"{LARGEST_METADATA} bytes"
            return Layout((Sighting(Seen.METADATA_LARGE, *both, path=path),))
        root = walk(data).root
    except (OSError, Malformed) as problem:
        measured = f"byte {problem.offset}" if isinstance(problem, Malformed) else "an error"
        return Layout((Sighting(Seen.METADATA_DAMAGED, measured, "a whole pickle", path=path),))
    return Layout(tuple(_pieces(folder, root, pieces)), (), {"pieces": len(pieces)})


def _pieces(folder: str, root: Any, pieces: Sequence[str]) -> list[Sighting]:
    """The first piece that is not there or not whole."""
    needed: dict[str, int] = {}
    table = root.state.get("storage_data") if isinstance(root, Call) and isinstance(root.state, Mapping) else None
    for _, info in table.pairs if isinstance(table, Mapping) else ():
        state = info.state if isinstance(info, Call) else None
        if isinstance(state, Mapping):
            name, offset, length = (state.get(key) for key in ("relative_path", "offset", "length"))
            if isinstance(name, str) and isinstance(offset, int) and isinstance(length, int):
                needed[name] = max(needed.get(name, 0), offset + length)
    gone = [name for name in needed if name not in pieces]
    if gone:
        told, path = {"gone": len(gone)}, inside(folder, ".metadata")
        both = f"{len(needed) - len(gone)} files", f"{len(needed)} files"
        return [Sighting(Seen.PIECES_MISSING, *both, path=path, told=told)]
    for name, size in sorted(needed.items()):
        held = os.path.getsize(inside(folder, name))
        if held < size:
            path = inside(folder, name)
            return [Sighting(Seen.PIECE_SHORT, f"{held} bytes", f"{size} bytes", held, path)]
    return []
