"""Which tensors of a walked pickle are weights: what lies beside them says it, not a list of keys."""

from typing import Any

import pytest

from trainproof_ci.readers.checkpoint.facts import Tensor
from trainproof_ci.readers.checkpoint.pickle_nodes import Call, Mapping
from trainproof_ci.readers.checkpoint.torch_names import named

MODEL = {"conv.weight": (4, 4), "conv.bias": (4,), "scale": ()}
TREES: dict[str, tuple[Any, set[str]]] = {
    "a best score beside the model": ({"model": MODEL, "best": (), "epoch": 3}, {"best"}),
    "early stopping": ({"model": MODEL, "stopping": {"value": (), "wait": 0}}, {"stopping.value"}),
    "a history of vectors": ({"model": MODEL, "curve": (9,)}, {"curve"}),
    "a list of numbers": ({"model": MODEL, "curve": [(), ()]}, {"curve.0", "curve.1"}),
    "weights in a list": ({"model": MODEL, "shadow": [(4, 4), (4,), ()]}, set()),
    "a matrix beside the model": ({"model": MODEL, "embedding": (4, 4), "epoch": 3}, set()),
    "a measure inside the model": ({"conv.weight": (4, 4), "metric.val_loss": ()}, {"metric.val_loss"}),
    "the parameters of a module": ({"_parameters": {"alpha": ()}, "training": 1}, set()),
    "vectors alone": ({"direction": (8,), "epoch": 3}, set()),
}


@pytest.mark.parametrize("case", TREES)
def test_what_is_no_weight(case: str) -> None:
    tree, other = TREES[case]
    rebuilt: dict[int, Tensor] = {}
    kept: list[Any] = []
    tensors = named(_node(tree, rebuilt, kept), rebuilt)
    assert {tensor.name for tensor in tensors if tensor.section == "other"} == other
    assert {tensor.section for tensor in tensors} <= {"model", "other"}


def _node(tree: Any, rebuilt: dict[int, Tensor], kept: list[Any]) -> Any:
    """The nodes of a tree; a tuple stands for a tensor of that shape."""
    if isinstance(tree, tuple):
        call = Call(None, (), 0)
        kept.append(call)  # so that no other gets its identity
        rebuilt[id(call)] = Tensor("", "float32", tree, (), 0, "0")
        return call
    if isinstance(tree, dict):
        mapping = Mapping()
        mapping.pairs = [(key, _node(value, rebuilt, kept)) for key, value in tree.items()]
        return mapping
    return [_node(item, rebuilt, kept) for item in tree] if isinstance(tree, list) else tree
