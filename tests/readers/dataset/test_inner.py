"""Types below the top level: what two parts of a file found is put together as if one had been read."""

from typing import Any

import pytest

from trainproof_ci.readers.dataset.columns import Columns
from trainproof_ci.readers.dataset.record import Record

VALUES: list[dict[str, Any]] = [
    {"meta": {"n": 1, "of": {"a": [1]}}, "tags": ["a"]},
    {"meta": {"n": 2}, "tags": []},
    {"meta": {"n": "3"}, "tags": ["b", None]},
    {"meta": {"of": {"a": ["x"]}}, "tags": [1, "c"], "messages": [{"content": 1}]},
]


def counted(values: list[dict[str, Any]]) -> Columns:
    columns = Columns()
    for number, value in enumerate(values, 1):
        columns.add(Record(number, number, 0, value, b""))
    return columns


def told(columns: Columns) -> dict[str, dict[str, tuple[int, list[int]]]]:
    return {
        ".".join(path): {kind: (seen.count, [*seen.lines][:1]) for kind, seen in types.items()}
        for path, types in columns.inner.paths.items()
    }


@pytest.mark.parametrize("cut", range(len(VALUES) + 1))
def test_parts_are_put_together(cut: int) -> None:
    mine = counted(VALUES[:cut])
    mine.merge(counted(VALUES[cut:]), cut, cut)
    assert told(mine) == told(counted(VALUES))


def test_what_drifts() -> None:
    assert {".".join(path) for path, _ in counted(VALUES).inner.drifting()} == {"meta.n", "meta.of.a.[]"}
