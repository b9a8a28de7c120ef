"""What a checkpoint would import when it is loaded; it is read as opcodes, and nothing of it runs here."""

import os
from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places, safe_key
from trainproof_ci.readers.checkpoint.facts import Checkpoint, CheckpointFile
from trainproof_ci.registry import Limits, rule

TRAINER_ARGUMENTS = frozenset({"transformers", "trl", "accelerate", "torch", "peft", "optimum", "datetime", "pathlib"})
"""Libraries whose classes a Trainer pickles into training_args.bin."""
MOST_PARTS = 8


@rule("TP-CKPT-UNSAFE-GLOBAL", Severity.WARN, needs=("imports",))
def unsafe_global(checkpoint: Checkpoint, limits: Limits) -> Iterator[Firing]:
    """Loading the checkpoint would import something beyond tensors and containers.

    Why: a pickle calls what it imports. `torch.load(weights_only=True)` refuses these names; with `weights_only=False` whoever
    made the file decides what runs. A whole pickled model also breaks when its classes move.
    Fix: save a `state_dict` or safetensors. If you trust the file, allow the names one by one (`add_safe_globals`).
    Stands down: for formats without a pickle. Arrays and scalars of numpy are a note only, and so is what a Trainer
    keeps in `training_args.bin`.
    """
    for file in checkpoint.files:
        found = [(name, offset) for name, offset in file.imports]
        known = os.path.basename(file.path) == "training_args.bin" and all(_is_argument(name) for name, _ in found)
        if found:
            yield _firing(file, "imports", found, Severity.NOTE if known else Severity.WARN)
        elif file.beyond_weights_only:
            yield _firing(file, "uses", list(file.beyond_weights_only), Severity.WARN)
        elif file.numpy_imports:
            yield _firing(file, "imports", [(name, 0) for name in file.numpy_imports], Severity.NOTE)


def _is_argument(name: str) -> bool:
    """Whether `name` is a class of a library that a Trainer keeps arguments of; a function is none, whatever its library."""
    library, last = name.split(".", 1)[0], name.rsplit(".", 1)[-1]
    return library in TRAINER_ARGUMENTS and (last[:1].isupper() or library == "datetime")


def _firing(file: CheckpointFile, verb: str, found: list[tuple[str, int]], severity: Severity) -> Firing:
    places = Places()
    for name, offset in found:
        places.add(Location(file.path, byte_offset=offset), name.encode("utf-8", "replace"))
    what = f"loading it {verb} {len(found)} names beyond weights, the first {_shown(found[0][0])}; weights_only=True refuses it"
    return Firing(what, f"{len(found)} names", "0", places, severity=severity)


def _shown(name: str) -> str:
    """The name of a module, each part of it only where it is a short name: the file chooses it."""
    if name.startswith(("opcode 0x", "protocol ")):
        return name
    return ".".join(safe_key(part) for part in name.split(".")[:MOST_PARTS])
