"""What the ending of a name says of a file: it helps where content decides, and decides where the bytes are not here."""

JSON_LINES = frozenset({".jsonl", ".ndjson"})
TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""Tables, with the delimiter that the name promises."""
PACKED = (".gz", ".zst", ".zstd")
PACKED_LINES = tuple(lines + packed for lines in sorted(JSON_LINES) for packed in PACKED)
DATASETS = (*sorted(JSON_LINES), *TABLES, ".parquet", *PACKED_LINES)
CHECKPOINTS = frozenset({".pt", ".pth", ".ckpt", ".safetensors", ".gguf"})
