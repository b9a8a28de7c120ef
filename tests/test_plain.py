"""What is read without argparse means the same to argparse."""

import random

import pytest

from trainproof_ci.commands import check
from trainproof_ci.errors import UsageError
from trainproof_ci.parsing import parser
from trainproof_ci.plain import Plain

WORDS = (
    "a.jsonl", "b c.jsonl", "", ".", "-", "--", "-1", "2", "1e3", "json", "text", "dataset", "fail", "nonsense", "main",
    "--config", "--kind", "--loss-key", "--deep", "--jobs", "--deadline", "--changed", "--candidates", "--shard",
    "--write-known", "--format", "--output", "--fail-on", "--not-checked",
    "--form", "--jobs=2", "--nonsense", "-x", "--help",
)  # fmt: skip


def plain(words: list[str]) -> dict[str, object] | None:
    declared = Plain()
    check.configure(declared)
    found = declared.read(words)
    return None if found is None else vars(found)


def by_argparse(words: list[str]) -> dict[str, object] | None:
    try:
        return {key: value for key, value in vars(parser("check").parse_args(words)).items() if key != "command"}
    except UsageError:
        return None


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["a.jsonl", "b.jsonl"],
        ["--candidates", "--not-checked", "pass", "a.jsonl"],
        ["--kind", "dataset", "--format", "json", "--output", "report.json", "--jobs", "1", "a.jsonl"],
        ["--deadline", "0.5", "--jobs", "1", "--jobs", "2"],
    ],
)
def test_plain_words_need_no_argparse(words: list[str]) -> None:
    assert plain(words) == by_argparse(words) is not None


@pytest.mark.parametrize(
    "words",
    [
        ["--changed"],
        ["--help"],
        ["--form", "json"],
        ["--jobs=2"],
        ["--jobs", "two"],
        ["--jobs"],
        ["--format", "nonsense"],
        ["--deep", "--", "-x"],
        ["a.jsonl", "--deep"],
    ],
)
def test_all_else_is_left_to_argparse(words: list[str]) -> None:
    assert plain(words) is None


def test_what_is_plain_means_the_same_to_argparse() -> None:
    choice = random.Random(7)
    read = 0
    for _ in range(4000):
        words = choice.choices(WORDS, k=choice.randint(0, 5))
        found = plain(words)
        if found is not None:
            read += 1
            assert found == by_argparse(words), words
    assert read > 400
