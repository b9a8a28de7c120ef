"""What the ending of a name says of a file: it helps where content decides, and decides where the bytes are not here."""

JSON_LINES = frozenset({".jsonl", ".ndjson"})
TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""Tables, with the delimiter that the name promises."""
PACKED = (".gz", ".zst", ".zstd")
PACKED_LINES = tuple(lines + packed for lines in sorted(JSON_LINES) for packed in PACKED)
DATASETS = (*sorted(JSON_LINES), *TABLES, ".parquet", *PACKED_LINES)
DATA_WORDS = frozenset(
    {
        "train", "training", "dataset", "alpaca", "sharegpt", "instruct", "instructions", "sft", "dpo", "conversations", "finetune",
        "finetuning",
    }
)  # fmt: skip
"""Words of the name of a `.json` that say that it is trained on."""
CHECKPOINTS = frozenset({".pt", ".pth", ".ckpt", ".safetensors", ".gguf"})


def named_like_data(name: str) -> bool:
    """Whether the name of a `.json` says that it is trained on: `train.json`, `alpaca_data.json`."""
    stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0].lower()
    return not DATA_WORDS.isdisjoint(stem.replace("-", "_").split("_"))
