"""The starter configuration: what `check` finds in a repository, by name, with what is most often said about it."""

import json
import os
from collections.abc import Iterable, Sequence

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target
from trainproof_ci.globs import matches
from trainproof_ci.readers.dataset.splits import namesakes, split_of

MOST_NAMED = 40
"""Entries of one section; what else was found is judged without one."""
HEAD = """\
# trainproof-ci: https://github.com/trainproof-ci/trainproof-ci
# Everything works without an entry; an entry says what no file says of itself.
version: 1
"""
DATASETS = "datasets: # an entry may say more: target, shape, fields, split, min-records, max-bytes, num-labels …"
SPLITS = "splits: # no record may be in both"
RUNS = "runs: # an entry may say more: baseline, loss-key"
NONE_YET = {
    DATASETS: """\
# datasets:
#   - files: "data/*.jsonl"
#     target: openai # its required keys and limits
""",
    SPLITS: """\
# splits:
#   - {train: data/train.jsonl, eval: data/eval.jsonl} # no record may be in both
""",
    RUNS: """\
# runs:
#   - files: "runs/**/trainer_state.json"
#     baseline: runs/good/trainer_state.json
""",
}
"""What stands in the place of a section without entries."""
KINDS = ("dataset", "run", "checkpoint", "tokenizer", "manifest")
NAMES = {"dataset": "dataset", "run": "training log", "checkpoint": "checkpoint", "tokenizer": "tokenizer", "manifest": "manifest"}  # fmt: skip


def configuration(targets: Sequence[Target]) -> str:
    """The text of a `.trainproof.yml` that names the datasets, splits and training logs among `targets`."""
    judged = [target for target in targets if target.refusal is None and _is_named(target.path)]
    every = [target.path for target in judged]
    datasets = [target.path for target in judged if target.kind == "dataset"]
    runs = [target.path for target in judged if target.kind == "run"]
    pairs = [f"{{train: {_quoted(train)}, eval: {_quoted(other)}}}" for train, other in pairs_of(datasets)]
    sections = (
        _section(DATASETS, [f"files: {_quoted(entry)}" for entry in _entries(datasets, every)]),
        _section(SPLITS, pairs),
        _section(RUNS, [f"files: {_quoted(entry)}" for entry in _entries(runs, every)]),
    )
    return HEAD + "".join(sections)


def pairs_of(datasets: Iterable[str]) -> list[tuple[str, str]]:
    """Each evaluation split among `datasets` with the training files beside it that have its name but for the split."""
    there, plain = list(datasets), Settings()
    return [
        (train, path)
        for path in there
        if split_of(path, plain) == "eval"
        for train in namesakes(path)
        if train in there
    ]


def found(targets: Iterable[Target]) -> str:
    """What was found, in numbers: "2 datasets, 1 training log"; empty where nothing was."""
    kinds = [target.kind for target in targets if target.format != "missing"]
    numbers = [(kinds.count(kind), NAMES[kind]) for kind in KINDS]
    return ", ".join(f"{number} {name}{'s' if number > 1 else ''}" for number, name in numbers if number)


def _is_named(path: str) -> bool:
    """Whether a pattern of the configuration can be the very name of the file."""
    return path.isprintable() and matches(path, path)


def _entries(paths: Sequence[str], every: Sequence[str]) -> list[str]:
    """The names, those of one folder and suffix as a pattern where it stands for no other kind of file."""
    alike: dict[str, list[str]] = {}
    for path in paths:
        folder, name = os.path.split(path)
        alike.setdefault(f"{folder}/*{os.path.splitext(name)[1]}".lstrip("/"), []).append(path)
    entries: list[str] = []
    for pattern, members in alike.items():
        foreign = [path for path in every if path not in members and matches(path, pattern)]
        entries += members if len(members) == 1 or foreign or not _covers(pattern, members) else [pattern]
    return entries


def _covers(pattern: str, members: Sequence[str]) -> bool:
    """Whether the files that lie there and fit the pattern are `members`, no more and no less."""
    folder = os.path.dirname(pattern)
    beside = [f"{folder}/{name}".lstrip("/") for name in os.listdir(folder or ".")]
    return sorted(path for path in beside if matches(path, pattern)) == sorted(members)


def _section(heading: str, entries: Sequence[str]) -> str:
    if not entries:
        return NONE_YET[heading]
    more = len(entries) - MOST_NAMED
    rest = [f"  # and {more} more, which are judged without an entry\n"] if more > 0 else []
    return "".join([f"{heading}\n", *(f"  - {entry}\n" for entry in entries[:MOST_NAMED]), *rest])


def _quoted(text: str) -> str:
    """The text as YAML reads it back: plain where nothing in it can mean anything else."""
    letters = text.replace("/", "").replace("_", "").replace("-", "").replace(".", "")
    plain = text[0].isalpha() and "/" in text and letters.isascii() and letters.isalnum()
    return text if plain else json.dumps(text, ensure_ascii=False)
