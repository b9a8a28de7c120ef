"""Which text files are console logs of a training: few files of a repository are, and most of its `.txt` are not."""

import re

from trainproof_ci.readers.run.console_lines import split_numbers, template_of
from trainproof_ci.readers.run.console_tables import header, headerless
from trainproof_ci.readers.run.lines import head_lines, is_text
from trainproof_ci.readers.run.names import named_like_a_log
from trainproof_ci.readers.run.stand_ins import tells_of_training
from trainproof_ci.readers.run.vocabulary import is_loss, words
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.source import Head

LOG_SUFFIXES = frozenset({".log", ".out", ".err", ".stdout", ".stderr", ".o"})
TEXT_SUFFIXES = frozenset({".txt", ".text", "", ".log1", ".tsv"})
LOG_WORDS = frozenset(
    {
        "log",
        "logs",
        "output",
        "out",
        "console",
        "stdout",
        "stderr",
        "nohup",
        "slurm",
        "train",
        "training",
        "terminal",
        "run",
        "loss",
        "err",
    }
)
_TRAINING = re.compile(
    rb"epoch|dataloader|dataset|torch|tensorflow|transformers|checkpoint|\bloss\b|cuda|finetun|fine-tun|learning.rate|train\.py|trainer",
    re.IGNORECASE,
)
_PRINTED = re.compile(rb"loss['\"]?\s*[:=|]\s*['\"]?(?:[\d.]|nan|inf)", re.IGNORECASE)
DEEPEST = 4 << 20
"""Bytes of a log-named file that are searched for a first loss: banners and warnings can be long."""
ENOUGH_LINES = 3
"""Lines with a loss that make a text file without a log's name a log; a README quotes one or two."""


def looks_like_training(head: "Head") -> bool:
    """Whether the text file is a console log of a training."""
    suffix = head.suffix
    if suffix not in LOG_SUFFIXES and suffix not in TEXT_SUFFIXES and not suffix[1:].isdigit():
        return False
    if not head.start or not is_text(head):
        return False
    if named_like_a_log(head):
        return True
    lines = head_lines(head)
    hits = loss_lines(lines)
    if suffix in LOG_SUFFIXES or not LOG_WORDS.isdisjoint(words(head.name)):
        return hits > 0 or _failed(head.start) or _rewarded(lines) or (not head.whole and _printed_later(head))
    return hits >= ENOUGH_LINES and hits * 10 >= len(lines)


def loss_lines(lines: list[str]) -> int:
    """How many of the lines print a loss."""
    hits, table = 0, None
    for part in (part[:4096] for line in lines for part in line.split("\r")):
        parts = split_numbers(part)
        if len(parts) == 1:
            table = header(part) or table
        elif (table is not None and table.row(part)) or _of_training(template_of(parts).names) or headerless(part):
            hits += 1
    return hits


def _of_training(names: tuple[str, ...]) -> bool:
    return any(map(is_loss, names)) or tells_of_training(names)


def _failed(start: bytes) -> bool:
    """Whether a traceback stands in a text that speaks of training."""
    return b"Traceback (most recent call last)" in start and len({m.lower() for m in _TRAINING.findall(start)}) >= 2


def _rewarded(lines: list[str]) -> bool:
    """Whether boxes or lines give the reward of an agent."""
    said = [name for line in lines for name in template_of(split_numbers(line[:4096])).names]
    return sum("reward" in words(name) or "eprewmean" in words(name) for name in said) >= ENOUGH_LINES


def _printed_later(head: "Head") -> bool:
    from trainproof_ci.readers.source import Source  # only a long log needs it

    with Source(head.path) as source:
        return len(_PRINTED.findall(source.file.read(DEEPEST))) >= ENOUGH_LINES
