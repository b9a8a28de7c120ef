"""What a checkpoint may import: the names that `torch.load(weights_only=True)` takes, and numpy's makers of arrays."""

from trainproof_ci.readers.checkpoint.dtypes import BITS, TORCH_STORAGES

_TENSORS = ("BFloat16", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
_SCHEMES = ("per_channel_affine", "per_channel_affine_float_qparams", "per_channel_symmetric", "per_tensor_affine", "per_tensor_symmetric")  # fmt: skip
_REBUILDERS = (
    "_rebuild_tensor", "_rebuild_tensor_v2", "_rebuild_tensor_v3", "_rebuild_parameter", "_rebuild_parameter_with_state",
    "_rebuild_qtensor", "_rebuild_sparse_tensor", "_rebuild_meta_tensor_no_storage", "_rebuild_nested_tensor",
    "_rebuild_wrapper_subclass", "_rebuild_device_tensor_from_numpy", "_rebuild_device_tensor_from_cpu_tensor",
)  # fmt: skip

WEIGHTS_ONLY = frozenset(
    {
        "collections.OrderedDict", "collections.Counter", "torch.nn.parameter.Parameter", "torch.serialization._get_layout",
        "torch.Size", "torch.Tensor", "torch.device", "_codecs.encode", "builtins.bytearray", "builtins.set",
        "builtins.complex", "torch._tensor._rebuild_from_type_v2", "torch.BoolTensor", "torch.cuda.BoolTensor",
        "torch.storage.TypedStorage", "torch.storage.UntypedStorage",
        *(f"torch.{scheme}" for scheme in _SCHEMES), *(f"torch._utils.{name}" for name in _REBUILDERS),
        *(f"torch.{dtype}" for dtype in BITS if dtype not in {"float4", "float6"}),
        *(f"torch.{place}{kind}Tensor" for place in ("", "cuda.", "sparse.", "cuda.sparse.") for kind in _TENSORS),
        *(f"torch.{place}{storage}" for place in ("", "cuda.") for storage in TORCH_STORAGES if not storage.startswith(("Q", "Untyped"))),
        *(f"torch.{storage}" for storage in TORCH_STORAGES if storage.startswith("Q")),
    }
)  # fmt: skip
"""Held against torch itself by a test, where torch is installed."""

_ARRAYS = ("multiarray._reconstruct", "multiarray.scalar", "numeric._frombuffer")
NUMPY = frozenset(
    {
        "numpy.ndarray", "numpy.dtype", "numpy.random.__RandomState_ctor", "numpy.random._pickle.__randomstate_ctor",
        "numpy.random._pickle.__generator_ctor", "numpy.random._pickle.__bit_generator_ctor", "numpy.random._mt19937.MT19937",
        *(f"numpy.{core}.{name}" for core in ("core", "_core") for name in _ARRAYS),
        *(f"numpy.{name}" for name in ("float16", "float32", "float64", "int32", "int64", "bool_")),
    }
)  # fmt: skip
"""Makers of arrays and scalars. They run no code of the file's own; weights_only=True still wants them allowed by name."""

_OLD_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg"}


def dotted(module: str, name: str) -> str:
    """The name as Python 3 knows it."""
    return f"{_OLD_MODULES.get(module, module)}.{name}"


def is_numpy(name: str) -> bool:
    """Whether `name` is one of numpy's makers of data, dtype classes included."""
    return name in NUMPY or (name.startswith("numpy.dtypes.") and name.endswith("DType"))
