"""What the ending of a name says of a file: it helps where content decides, and decides where the bytes are not here."""

JSON_LINES = frozenset({".jsonl", ".ndjson"})
TABLES = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
"""Tables, with the delimiter that the name promises."""
PACKED = (".gz", ".zst", ".zstd")
PACKED_LINES = tuple(lines + packed for lines in sorted(JSON_LINES) for packed in PACKED)
DATASETS = (*sorted(JSON_LINES), *TABLES, ".parquet", *PACKED_LINES)
SOUNDS = (".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a", ".webm")
RARER_SOUNDS = (".aac", ".aif", ".aiff", ".amr", ".au", ".pcm", ".raw", ".sph", ".wma", ".npy", ".pt")
"""More that sounds are called, and what is computed from them."""
DATA_WORDS = frozenset(
    {
        "train", "training", "dataset", "alpaca", "sharegpt", "instruct", "instructions", "sft", "dpo", "conversations", "finetune",
        "finetuning",
    }
)  # fmt: skip
_BESIDE = frozenset({"data", "set", "clean", "cleaned", "small", "mini", "full", "en", "zh", "gpt4", "v1", "v2"})
"""Words that the name of a `.json` which is trained on is made of, and what may stand beside them."""
_SPLITS = frozenset(
    {"data", "val", "valid", "validation", "dev", "test", "eval", "evaluation", "holdout", "heldout", "sample", "samples"}
)  # fmt: skip
"""Words that say what JSON Lines are for, too common to say it of an array without the training file beside it."""
_KEPT = frozenset({"conversations", "dataset", "instructions"})
"""Words for data that programs keep, too: only records show that they are trained on."""
CHECKPOINTS = frozenset({".pt", ".pth", ".ckpt", ".safetensors", ".gguf"})


def words_of(name: str) -> tuple[str, ...]:
    """The words of the name of a file up to its first dot, in lower case."""
    stem = name.rsplit("/", 1)[-1].partition(".")[0].lower()
    return tuple(stem.replace("-", "_").replace(" ", "_").split("_"))


def is_metadata(path: str) -> bool:
    """Whether a file is called as the one that says what the pictures or sounds beside it are."""
    return path.rsplit("/", 1)[-1].lower().startswith("metadata.")


def named_like_data(name: str) -> bool:
    """Whether the name of a `.json` says that it is trained on: `train.json`, `alpaca_data.json`, not `train_config.json`."""
    return _made_of(name, DATA_WORDS)


def named_for_training(name: str) -> bool:
    """The same of a `.json` whose content says nothing: an empty `train.json` lacks its data, an empty `conversations.json`
    may be one that a program has yet to fill.
    """
    return _made_of(name, DATA_WORDS - _KEPT)


def named_like_split(name: str) -> bool:
    """Whether the name of a `.json` of lines, or of what is stored apart, says that it is data or a part of it: `val.json`,
    not `test_report.json`.
    """
    return _made_of(name, DATA_WORDS | _SPLITS)


def _made_of(name: str, words: frozenset[str]) -> bool:
    """Whether one of the words stands in a name, and none beside them but those that go with data."""
    said = set(words_of(name))
    return not words.isdisjoint(said) and all(word in words | _BESIDE or word.isdigit() for word in said)
