"""Readers of a tokenizer: its JSON files, as JSON. No tokenizer is built and no network asked."""

import os

from trainproof_ci.readers.tokenizer.facts import GENERATION, NAMES, Tokenizer, tokenizer_in
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head
    from trainproof_ci.registry import Rule


def recognise(head: "Head") -> str | None:
    """The name of the format, or None. The names are those that every tokenizer folder uses.

    A generation_config.json belongs to the model; it is read with a tokenizer that lies beside it.
    """
    if head.name == GENERATION and not any(head.beside(name) for name in NAMES if name != GENERATION):
        return None
    return "hf-tokenizer" if head.name in NAMES else None


def gather(targets: "Sequence[Target]") -> "list[Target]":
    """One target a folder: the first of its files, in the order that says most."""
    by_folder: dict[str, list[Target]] = {}
    joined: list[Target] = []
    for target in targets:
        if target.refusal is None and target.format == "hf-tokenizer":
            by_folder.setdefault(os.path.dirname(target.path), []).append(target)
        else:
            joined.append(target)
    for members in by_folder.values():
        members.sort(key=lambda target: NAMES.index(os.path.basename(target.path)))
        paths = tuple(target.path for target in members)
        joined.append(members[0]._replace(size=sum(target.size for target in members), members=paths))
    return joined


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> Tokenizer:  # noqa: ARG001 - no options, every fact is cheap
    """The facts of the tokenizer that the file at `target.path` belongs to."""
    return tokenizer_in(target.path)
