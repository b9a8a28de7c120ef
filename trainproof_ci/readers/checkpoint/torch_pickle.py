"""What the walked `data.pkl` of a checkpoint says: storages, tensors with their names, imports, optimizer, progress."""

from collections.abc import Mapping as Mapping_
from contextlib import suppress

from trainproof_ci.readers.checkpoint import torch_calls, torch_names
from trainproof_ci.readers.checkpoint.dtypes import BITS, TORCH_STORAGES
from trainproof_ci.readers.checkpoint.facts import Tensor
from trainproof_ci.readers.checkpoint.pickle_nodes import Call, Global, Mapping, Persistent
from trainproof_ci.readers.checkpoint.pickle_ops import Malformed
from trainproof_ci.readers.checkpoint.pickle_walk import Walked
from trainproof_ci.readers.checkpoint.torch_globals import dotted
from trainproof_ci.typed import Any, NamedTuple

PROGRESS = frozenset(
    {"epoch", "epochs", "step", "steps", "global_step", "iteration", "iter", "it", "num_updates", "scheduler", "lr_scheduler",
     "lr_schedulers", "pytorch-lightning_version", "loops"}
)  # fmt: skip
"""Keys that say that the checkpoint was saved to go on from, not only to be used."""
WORLD = frozenset({"dp_world_size", "mp_world_size", "global_steps"})


class Storage(NamedTuple):
    """A storage that the pickle names: its key, element type and number of elements, and where in data.pkl."""

    key: str
    dtype: str
    numel: int
    offset: int


class Contents(NamedTuple):
    """The outcome. `optimizer` is "present", "empty" or "none"; `sharded` are world sizes that the file names."""

    storages: tuple[Storage, ...]
    tensors: tuple[Tensor, ...]
    optimizer: str
    progress: bool
    sharded: Mapping_[str, object]


def contents_of(walked: Walked) -> Contents:
    """Interpret what was walked. Raises `Malformed` for what torch would refuse to rebuild."""
    storages = {id(node): _storage(node) for node in walked.storages}
    rebuilt: dict[int, Tensor] = {}
    for call in walked.calls:
        torch_calls.check(call)
        tensor = _tensor(call, storages)
        if tensor is not None:
            rebuilt[id(call)] = tensor
    named = torch_names.named(walked.root, rebuilt)
    root = walked.root if isinstance(walked.root, Mapping) else Mapping()
    progress = any(_is_progress(key, value) for key, value in root.pairs)
    sharded = {
        key: value for key, value in root.pairs if isinstance(key, str) and key in WORLD and isinstance(value, int)
    }
    return Contents(tuple(dict.fromkeys(storages.values())), named, _optimizer(walked.root), progress, sharded)


def contents_of_script(walked: Walked) -> Contents:
    """The storages and tensors of a script. Its pickle speaks of types of its own, which only the compiler in torch can
    rebuild: what is not understood is passed over.
    """
    storages: dict[int, Storage] = {}
    rebuilt: dict[int, Tensor] = {}
    for node in walked.storages:
        with suppress(Malformed):
            storages[id(node)] = _storage(node)
    for call in walked.calls:
        with suppress(Malformed):
            tensor = _tensor(call, storages)
            if tensor is not None:
                rebuilt[id(call)] = tensor
    named = torch_names.named(walked.root, rebuilt)
    return Contents(tuple(dict.fromkeys(storages.values())), named, "none", progress=False, sharded={})


def _is_progress(key: Any, value: Any) -> bool:
    """Whether an entry at the top says how far a run came. A stripped checkpoint says -1; a tensor may bear any name."""
    if not isinstance(key, str) or key not in PROGRESS or isinstance(value, Call):
        return False
    return not (isinstance(value, int) and value < 0)


def _storage(node: Persistent) -> Storage:
    names = node.identifier
    if not isinstance(names, tuple) or len(names) != 5 or not (names[0] == "storage" or names[0] == b"storage"):
        raise Malformed("a persistent identifier in it is no storage", node.offset)
    kind, key, _, numel = names[1:]
    dtype = TORCH_STORAGES.get(kind.name) if isinstance(kind, Global) else None
    if dtype is None or not isinstance(key, (str, bytes)) or not _is_count(numel):
        raise Malformed("a storage in it has no known type, key or size", node.offset)
    return Storage(key if isinstance(key, str) else key.decode("ascii", "replace"), dtype, numel, node.offset)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _tensor(call: Call, storages: dict[int, Storage]) -> Tensor | None:
    """The tensor that a call rebuilds from a storage, without a name; None when it rebuilds none."""
    function, arguments = call.function, call.arguments
    if (
        isinstance(function, Global)
        and function.name == "_rebuild_from_type_v2"
        and isinstance(arguments, tuple)
        and len(arguments) == 4
    ):
        function, arguments = arguments[0], arguments[2]
    if not isinstance(function, Global) or function.module != "torch._utils":
        return None
    if function.name not in {"_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_qtensor"}:
        return None
    if not isinstance(arguments, tuple) or len(arguments) < 4 or id(arguments[0]) not in storages:
        raise Malformed("a tensor in it is rebuilt from something that is no storage", call.offset)
    storage = storages[id(arguments[0])]
    offset, shape, stride = arguments[1], _sizes(arguments[2], call), _sizes(arguments[3], call)
    if not _is_count(offset) or len(shape) != len(stride) or len(shape) > 64:
        raise Malformed("a tensor in it has no valid offset, shape or strides", call.offset)
    dtype = storage.dtype
    if function.name == "_rebuild_tensor_v3" and len(arguments) > 6:
        dtype = arguments[6].name if isinstance(arguments[6], Global) else ""
    if dtype not in BITS:
        raise Malformed("a tensor in it has an unknown element type", call.offset)
    return Tensor("", dtype, shape, stride, offset, storage.key)


def _sizes(value: Any, call: Call) -> tuple[int, ...]:
    if isinstance(value, Call) and isinstance(value.function, Global) and value.function.dotted == "torch.Size":
        value = value.arguments[0] if value.arguments else ()
    if not isinstance(value, (tuple, list)) or not all(_is_count(size) for size in value):
        raise Malformed("a tensor in it has no valid shape", call.offset)
    return tuple(value)


def _optimizer(root: Any) -> str:
    """Whether an optimizer's state is in the checkpoint, at its top or up to two containers below."""
    waiting: list[tuple[Any, int]] = [(root, 0)]
    found = "none"
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, Mapping) and torch_names.is_optimizer(node):
            state = node.get("state")
            if isinstance(state, (Mapping, list)) and (state.pairs if isinstance(state, Mapping) else state):
                return "present"
            found = "empty"
        elif depth < 3:
            waiting += [(value, depth + 1) for value in _below(node)]
    return _of_another_form(root) if found == "none" else found


def _below(node: Any) -> list[Any]:
    if isinstance(node, Mapping):
        return [value for _, value in node.pairs]
    plain = isinstance(node, (list, tuple)) and not isinstance(node, (Global, Persistent))
    return list(node) if plain and len(node) < 64 else []


def _of_another_form(root: Any) -> str:
    """An optimizer that is no torch one: something under a key `optim...` that holds more than plain settings."""
    for key, value in root.pairs if isinstance(root, Mapping) else ():
        named = isinstance(key, str) and key.lower().startswith("optim")
        if named and any(isinstance(item, (Mapping, list, Persistent)) for item in _below(value)):
            return "present"
    return "none"


def imports_of(walked: Walked) -> dict[str, int]:
    """Every name that the pickle would import, with the offset where it first does."""
    return {dotted(found.module, found.name): place for found, place in walked.imports.items()}
