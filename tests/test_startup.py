"""What the check of a small file loads, and what stands in for `typing` so that it need not be loaded."""

import json
import pickle
import subprocess
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci import typed
from trainproof_ci.readers.run import recognise
from trainproof_ci.readers.source import Head

ROOT = Path(__file__).parents[1]
HEAVY = [
    "argparse", "bisect", "contextlib", "locale", "multiprocessing", "subprocess", "threading",
    "trainproof_ci.readers.run.vocabulary", "trainproof_ci.suppress",
]  # fmt: skip


class Typed(typed.NamedTuple):
    """A point with a name."""

    x: int
    name: str = "here"

    @property
    def twice(self) -> int:
        """Two times `x`."""
        return 2 * self.x


class Original(typing.NamedTuple):
    """A point with a name."""

    x: int
    name: str = "here"


class Nothing(typed.NamedTuple):
    """Has no fields."""


def loaded(work: Path, name: str) -> set[str]:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from trainproof_ci.cli import main; "
        f"assert main(['check', {name!r}]) == 0; print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    return set(subprocess.run(command, cwd=work, check=True, capture_output=True, text=True).stderr.split())


def test_a_dataset_of_texts_is_judged_without_what_only_logs_need(tmp_path: Path) -> None:
    rows = [{"prompt": f"Where lies town {row}?", "completion": f"On hill {row}."} for row in range(40)]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    heavy = {*HEAVY, "typing"} if sys.version_info < (3, 14) else set(HEAVY)
    assert not loaded(tmp_path, "train.jsonl") & heavy


@pytest.mark.parametrize(
    "value",
    [
        "0.5",
        "-1",
        "null",
        "NaN",
        "Infinity",
        '"0.5"',
        '" +.5"',
        '"nan"',
        '"-Infinity"',
        '"[10/438]"',
        '"tensor(0.7)"',
        '"\\u0035"',
    ],
)
def test_a_log_is_recognised_however_its_numbers_are_written(value: str) -> None:
    line = f'{{"step": {value}, "loss": {value}}}\n'.encode()
    assert recognise(Head("log.jsonl", line, len(line))) == "jsonl"


def test_a_log_is_recognised_by_a_list_of_losses() -> None:
    line = b'{"epoch": true, "train": {"loss": [0.3, 0.2]}}\n'
    assert recognise(Head("log.jsonl", line, len(line))) == "jsonl"


def test_texts_alone_are_no_log() -> None:
    line = b'{"step": "the first", "loss": "of appetite", "train": {"loss": "none"}}\n'
    assert recognise(Head("log.jsonl", line, len(line))) is None


def test_named_tuples_are_those_of_typing() -> None:
    made = Typed(3)
    assert made == Original(3) == (3, "here")
    assert Typed._fields == Original._fields
    assert Typed._field_defaults == Original._field_defaults
    assert repr(made) == repr(Original(3)).replace("Original", "Typed")
    assert Typed.__doc__ == Original.__doc__
    assert Typed.__annotations__ == Original.__annotations__
    assert pickle.loads(pickle.dumps(made)) == made
    assert made._replace(x=4).twice == 8
    assert Nothing() == ()
    assert Typed._make([5, "there"]) == Original._make([5, "there"])
    assert made._asdict() == Original(3)._asdict()
    assert Typed.__match_args__ == Original.__match_args__


@pytest.mark.parametrize("point", [Typed, Original])
def test_a_wrong_field_is_refused_as_it_is_by_typing(point: Callable[..., Any]) -> None:
    for wrong in ({}, {"x": 1, "y": 2}):
        with pytest.raises(TypeError, match=r"__new__\(\) (missing|got an unexpected)"):
            point(**wrong)
    with pytest.raises(ValueError, match="unexpected field names: \\['y'\\]"):
        point(1)._replace(y=2)
