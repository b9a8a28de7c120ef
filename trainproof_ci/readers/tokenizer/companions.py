"""What lies beside a tokenizer: a model's configuration, vocabularies, a chat template, a dataset."""

import json
import os

from trainproof_ci.readers.source import Head
from trainproof_ci.readers.suffixes import JSON_LINES
from trainproof_ci.typed import Any, NamedTuple

VOCABULARIES = frozenset(
    {"vocab.json", "merges.txt", "vocab.txt", "spiece.model", "tokenizer.model", "sentencepiece.bpe.model", "source.spm", "tekken.json"}
)  # fmt: skip
TEMPLATES = frozenset({"chat_template.jinja", "chat_template.json", "additional_chat_templates"})
MOST_DATASETS = 64
"""Datasets that are looked into; the report says so where more lie beside."""
ROWS = 20
CHATS = ("messages", "conversations", "conversation")
TURNS = ("prompt", "completion", "chosen", "rejected")
"""Columns that may hold messages in place of a text."""
TEXTS = ("text", "completion", "output", "response", "content")


class Dataset(NamedTuple):
    """The first rows of a dataset beside the tokenizer. `shape` is "chat", "text" or "unknown"."""

    path: str
    shape: str
    rows: int
    texts: tuple[str, ...] = ()


class Beside(NamedTuple):
    """The datasets beside a tokenizer that could be read, and how many were looked into of how many there are."""

    datasets: tuple[Dataset, ...]
    looked_at: int
    found: int


def datasets_beside(folder: str) -> Beside:
    """The JSON Lines files in `folder`, by their first rows."""
    names = sorted(name for name in listed(folder) if name.endswith(tuple(JSON_LINES)))
    found = [_dataset(os.path.join(folder, name).replace(os.sep, "/")) for name in names[:MOST_DATASETS]]
    return Beside(tuple(dataset for dataset in found if dataset is not None), len(found), len(names))


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
    if any(isinstance(row.get(key), list) for row in rows for key in CHATS) or any(map(_has_turns, rows)):
        return Dataset(path, "chat", len(rows))
    texts = tuple(next((row[key] for key in TEXTS if isinstance(row.get(key), str)), "") for row in rows)
    return Dataset(path, "text" if any(texts) else "unknown", len(rows), texts)


def _has_turns(row: dict[str, Any]) -> bool:
    lists = [value for key in TURNS if isinstance(value := row.get(key), list)]
    return any(isinstance(turn, dict) and {"role", "content"} <= turn.keys() for turns in lists for turn in turns)
