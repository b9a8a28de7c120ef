"""What lies beside a tokenizer: a model's configuration, vocabularies, a chat template, a dataset."""

import json
import os
from typing import Any, NamedTuple

from trainproof_ci.readers.source import Head

VOCABULARIES = frozenset(
    {"vocab.json", "merges.txt", "vocab.txt", "spiece.model", "tokenizer.model", "sentencepiece.bpe.model", "source.spm", "tekken.json"}
)  # fmt: skip
TEMPLATES = frozenset({"chat_template.jinja", "chat_template.json", "additional_chat_templates"})
MOST_DATASETS = 8
ROWS = 20
CHATS = ("messages", "conversations", "conversation")
TEXTS = ("text", "completion", "output", "response", "content")


class Dataset(NamedTuple):
    """The first rows of a dataset beside the tokenizer. `shape` is "chat", "text" or "unknown"."""

    path: str
    shape: str
    rows: int
    texts: tuple[str, ...] = ()


def datasets_beside(folder: str) -> tuple[Dataset, ...]:
    """The JSON Lines files in `folder`, by their first rows."""
    names = sorted(name for name in listed(folder) if name.endswith((".jsonl", ".ndjson")))
    found = [_dataset(os.path.join(folder, name).replace(os.sep, "/")) for name in names[:MOST_DATASETS]]
    return tuple(dataset for dataset in found if dataset is not None)


def listed(folder: str) -> list[str]:
    """The names in `folder`; none where it cannot be read."""
    try:
        return os.listdir(folder or ".")
    except OSError:
        return []


def _dataset(path: str) -> Dataset | None:
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    rows: list[dict[str, Any]] = []
    for line in Head.of(path).start.split(b"\n")[:ROWS]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            rows.append(row)
    if not rows:
        return None
    if any(isinstance(row.get(key), list) for row in rows for key in CHATS):
        return Dataset(path, "chat", len(rows))
    texts = tuple(next((row[key] for key in TEXTS if isinstance(row.get(key), str)), "") for row in rows)
    return Dataset(path, "text" if any(texts) else "unknown", len(rows), texts)
