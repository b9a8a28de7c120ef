"""The element types of tensors: sizes in bits, and the names that torch and safetensors give them."""

BITS = {
    "float64": 64, "float32": 32, "float16": 16, "bfloat16": 16, "complex128": 128, "complex64": 64, "complex32": 32,
    "float8_e4m3fn": 8, "float8_e5m2": 8, "float8_e4m3fnuz": 8, "float8_e5m2fnuz": 8, "float8_e8m0fnu": 8,
    "float4_e2m1fn_x2": 8, "float4": 4, "float6": 6, "int64": 64, "int32": 32, "int16": 16, "int8": 8, "uint64": 64, "uint32": 32,
    "uint16": 16, "uint8": 8, "bool": 8, "qint8": 8, "quint8": 8, "qint32": 32, "quint4x2": 4, "quint2x4": 2,
    "bits8": 8, "bits1x8": 8, "bits2x4": 8, "bits4x2": 8, "bits16": 16,
    **{f"{sign}{bits}": 8 for sign in ("int", "uint") for bits in range(1, 8)},
}  # fmt: skip
"""Bits that one element takes in a file; of its types of less than a byte torch packs only the quantized ones."""


def bytes_of(dtype: str, numel: int) -> int:
    """The bytes that so many elements of a type take."""
    return -(-numel * BITS[dtype] // 8)


def bytes_of_storage(dtype: str, numel: int) -> int:
    """The bytes of a storage of that type; torch counts a packed one in bytes, not in elements."""
    return numel * max(8, BITS[dtype]) // 8


TORCH_STORAGES = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16", "LongStorage": "int64",
    "IntStorage": "int32", "ShortStorage": "int16", "CharStorage": "int8", "ByteStorage": "uint8",
    "BoolStorage": "bool", "BFloat16Storage": "bfloat16", "ComplexDoubleStorage": "complex128",
    "ComplexFloatStorage": "complex64", "QInt8Storage": "qint8", "QInt32Storage": "qint32",
    "QUInt8Storage": "quint8", "QUInt4x2Storage": "quint4x2", "QUInt2x4Storage": "quint2x4",
    "UntypedStorage": "uint8",
}  # fmt: skip

SAFETENSORS = {
    "BOOL": "bool", "F4": "float4", "F6_E2M3": "float6", "F6_E3M2": "float6", "U8": "uint8", "I8": "int8",
    "F8_E5M2": "float8_e5m2", "F8_E4M3": "float8_e4m3fn", "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz", "I16": "int16", "U16": "uint16",
    "F16": "float16", "BF16": "bfloat16", "I32": "int32", "U32": "uint32", "F32": "float32", "C64": "complex64",
    "F64": "float64", "I64": "int64", "U64": "uint64",
}  # fmt: skip

FLOATS = frozenset(name for name in BITS if name.startswith(("float", "bfloat", "complex")))
