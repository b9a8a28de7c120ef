"""The tokenizer that lies beside a dataset, and how the texts begin and end for it."""

import json
import os

from trainproof_ci.typed import Any

LARGEST_CONFIG = 4 << 20


class Marks:
    """Begin and end tokens of the tokenizer, whether it adds them itself, and how many texts have them."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.bos, self.eos = _token(config.get("bos_token")), _token(config.get("eos_token"))
        self.adds_bos, self.adds_eos = config.get("add_bos_token"), config.get("add_eos_token")
        self.texts = self.beginning = self.ending = 0

    def add(self, text: str) -> None:
        """Count one text."""
        self.texts += 1
        self.beginning += bool(self.bos) and text.startswith(self.bos)
        self.ending += bool(self.eos) and text.rstrip().endswith(self.eos)

    def merge(self, other: "Marks") -> None:
        """Append the counts of a later part of the file."""
        self.texts += other.texts
        self.beginning += other.beginning
        self.ending += other.ending


def _token(value: Any) -> str:
    value = value.get("content") if isinstance(value, dict) else value
    return value if isinstance(value, str) else ""


def marks_beside(path: str) -> Marks | None:
    """The marks of the `tokenizer_config.json` in the same folder, or None without a readable one."""
    name = os.path.join(os.path.dirname(path), "tokenizer_config.json")
    if not os.path.isfile(name) or os.path.islink(name) or os.path.getsize(name) > LARGEST_CONFIG:
        return None
    try:
        with open(name, "rb") as file:
            config = json.load(file)
    except (OSError, ValueError, RecursionError):
        return None
    return Marks(config) if isinstance(config, dict) else None
