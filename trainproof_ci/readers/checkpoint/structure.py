"""Compares the structure of two checkpoints: names, shapes and element types of the tensors of their models."""

import os

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.readers.checkpoint.facts import CheckpointFile, Tensor
from trainproof_ci.readers.checkpoint.files import read_file
from trainproof_ci.typed import NamedTuple

WRAPPERS = ("model", "state_dict", "model_state_dict", "module", "net", "network", "ema")
"""Keys under which trainers put the weights of the model."""
PREFIXES = ("module.", "_orig_mod.", "model.")
"""What wrapping a model (data parallel, compiled, Lightning) puts in front of each name."""


class Difference(NamedTuple):
    """What stands in the way of loading the weights of `source` into the model of `target`.

    `missing` are names that only the target has, `extra` names that only the source has; `shapes` and `dtypes` are
    (name, of the source, of the target).
    """

    source: str
    target: str
    common: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    shapes: tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]
    dtypes: tuple[tuple[str, str, str], ...]


def compare(source: str, target: str) -> Difference:
    """Compare the structure of the checkpoints at two paths. Raises `Unreadable` when one has none to compare."""
    first, second = _model(source), _model(target)
    common = first.keys() & second.keys()
    shapes = [
        (name, first[name].shape, second[name].shape)
        for name in sorted(common)
        if first[name].shape != second[name].shape
    ]
    dtypes = [
        (name, first[name].dtype, second[name].dtype)
        for name in sorted(common)
        if first[name].dtype != second[name].dtype
    ]
    return Difference(
        source, target, len(common), tuple(sorted(second.keys() - first.keys())), tuple(sorted(first.keys() - second.keys())),
        tuple(shapes), tuple(dtypes),
    )  # fmt: skip


def _model(path: str) -> dict[str, Tensor]:
    """The tensors of the model at `path`, a file or a folder, by name without what a wrapper puts in front."""
    files = [_structure(name) for name in _files(path)]
    tensors = {tensor.name: tensor for file in files for tensor in file.tensors if tensor.section == "model"}
    if not tensors:
        why = next((file.why_not for file in files if file.sightings), "it holds no tensors of a model")
        raise Unreadable(
            f"the structure of {os.path.basename(path)} cannot be told: {why}",
            rule="TP-ENV-UNKNOWN",
            location=Location(path, 1),
        )
    return {_bare(name): tensor for name, tensor in _unwrapped(tensors).items()}


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    names = sorted(name for name in os.listdir(path) if name.endswith((".safetensors", ".bin", ".pt", ".pth")))
    states = ("optimizer", "scheduler", "rng_state", "training_args", "scaler")
    return [os.path.join(path, name) for name in names if not name.startswith(states)]


def _structure(path: str) -> CheckpointFile:
    return read_file(path, deep=False, deadline=float("inf"), checksums=False)


def _unwrapped(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors under the one key that holds the model, where there is such a key; all of them otherwise."""
    for wrapper in WRAPPERS:
        inner = {name[len(wrapper) + 1 :]: tensor for name, tensor in tensors.items() if name.startswith(f"{wrapper}.")}
        if len(inner) * 2 > len(tensors):
            return inner
    return tensors


def _bare(name: str) -> str:
    for prefix in PREFIXES[:2]:
        name = name.removeprefix(prefix)
    return name
