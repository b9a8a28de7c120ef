import pytest

from trainproof_ci.globs import is_pattern, matches


@pytest.mark.parametrize(
    ("path", "pattern", "fits"),
    [
        ("data/train.jsonl", "data/*.jsonl", True),
        ("data/a/train.jsonl", "data/*.jsonl", False),
        ("data/a/train.jsonl", "data/**/*.jsonl", True),
        ("data/train.jsonl", "data/**/*.jsonl", True),
        ("train.jsonl", "**/*.jsonl", True),
        ("data/train.jsonl", "data", True),
        ("data/train.jsonl", "data/", True),
        ("data/train.jsonl", "./data/*.jsonl", True),
        ("data/train.jsonl", "train.jsonl", False),
        ("database/x", "data", False),
        ("a/b/c", "a/**", True),
        ("a", "a/**", True),
        ("a/b/c", "**/c", True),
        ("data/[x].jsonl", "data/[[]x].jsonl", True),
    ],
)
def test_matches(path: str, pattern: str, fits: bool) -> None:
    assert matches(path, pattern) is fits


def test_forty_recursive_wildcards_take_no_time() -> None:
    assert not matches("/".join("a" * 60), "**/" * 40 + "*.jsonl")


def test_a_name_is_no_pattern() -> None:
    assert not is_pattern("data/train.jsonl")
    assert is_pattern("data/*.jsonl")
