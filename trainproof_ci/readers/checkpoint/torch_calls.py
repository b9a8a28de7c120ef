"""The calls of a checkpoint's pickle that torch would refuse for their arguments: too few, too many, of another kind."""

from trainproof_ci.readers.checkpoint.pickle_nodes import Call, Global
from trainproof_ci.readers.checkpoint.pickle_ops import Malformed
from trainproof_ci.typed import Any

ARGUMENTS = {
    "torch._utils._rebuild_tensor": (4, 4),
    "torch._utils._rebuild_tensor_v2": (6, 7),
    "torch._utils._rebuild_tensor_v3": (7, 8),
    "torch._utils._rebuild_qtensor": (7, 7),
    "torch._utils._rebuild_parameter": (3, 3),
    "torch._utils._rebuild_parameter_with_state": (4, 4),
    "torch._utils._rebuild_sparse_tensor": (2, 2),
    "torch._utils._rebuild_meta_tensor_no_storage": (4, 4),
    "torch._utils._rebuild_nested_tensor": (4, 4),
    "torch._utils._rebuild_wrapper_subclass": (8, 8),
    "torch._tensor._rebuild_from_type_v2": (4, 4),
    "torch.serialization._get_layout": (1, 1),
}
"""Fewest and most arguments of the functions that rebuild tensors."""
LAYOUTS = frozenset(
    f"torch.{name}"
    for name in ("strided", "sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc", "jagged", "_mkldnn")
)
GRADIENT = {"_rebuild_tensor_v2": 4, "_rebuild_tensor_v3": 4, "_rebuild_qtensor": 5, "_rebuild_parameter": 1}
"""Where the flag stands that says whether a tensor requires a gradient."""


def check(call: Call) -> None:
    """Raise `Malformed` where torch could not make the call."""
    function, arguments = call.function, call.arguments
    if not isinstance(function, Global) or function.dotted not in ARGUMENTS:
        return
    fewest, most = ARGUMENTS[function.dotted]
    if not isinstance(arguments, tuple) or not fewest <= len(arguments) <= most:
        raise Malformed(f"{function.name} is called with another number of arguments than it takes", call.offset)
    flag = GRADIENT.get(function.name)
    if flag is not None and not isinstance(arguments[flag], bool):
        raise Malformed(f"{function.name} is called with a flag that is none", call.offset)
    if function.name == "_get_layout" and (not isinstance(arguments[0], str) or arguments[0] not in LAYOUTS):
        raise Malformed("the layout of a tensor in it is unknown", call.offset)
    if function.name == "_rebuild_sparse_tensor" and not _is_sparse(arguments[1]):
        raise Malformed("a sparse tensor in it is rebuilt from other parts than its own", call.offset)


def _is_sparse(parts: Any) -> bool:
    return (
        isinstance(parts, tuple) and len(parts) in {3, 4} and all(isinstance(part, (Call, tuple)) for part in parts[:3])
    )
