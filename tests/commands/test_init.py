"""`init`: what it writes names what is there, reads back, and changes no verdict."""

import json
from pathlib import Path

import pytest
from conftest import Command

from trainproof_ci.config import load_settings
from trainproof_ci.starter import MOST_NAMED

RECORD = '{"prompt": "a question", "completion": "an answer"}\n'
STATE = json.dumps({"log_history": [{"step": step, "loss": 2 / step} for step in range(1, 30)]})


def put(work: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")


def test_it_names_what_is_there(work: Path, command: Command) -> None:
    put(
        work,
        {
            "data/train.jsonl": RECORD,
            "data/eval.jsonl": RECORD.replace("a q", "another q"),
            "runs/a/trainer_state.json": STATE,
        },
    )
    put(work, {"tables/labels.csv": "text,label\na,0\nb,1\n", "tables/sensor.csv": "time,temperature\n1,20\n"})
    answer = command("init")
    assert answer.code == 0
    assert answer.out.startswith("found 3 datasets, 1 training log\n")
    settings = load_settings(None)
    assert [entry.files for entry in settings.datasets] == ["data/*.jsonl", "tables/labels.csv"]
    assert [tuple(split) for split in settings.splits] == [("data/train.jsonl", "data/eval.jsonl")]
    assert [entry.files for entry in settings.runs] == ["runs/a/trainer_state.json"]


STRANGE = (
    "yes/no.jsonl",
    "a b/c: d.jsonl",
    'quo"te/#x.jsonl',
    "übung/train.jsonl",
    "we [x]/y.jsonl",
    "new\nline/z.jsonl",
    "- x/y.jsonl",
)


def test_strange_names_read_back_and_change_nothing(work: Path, command: Command) -> None:
    put(work, {name: RECORD.replace("a q", f"{number} q") for number, name in enumerate(STRANGE)})
    before = json.loads(command("check", "--format", "json").out)
    command("init")
    after = json.loads(command("check", "--format", "json").out)
    assert len(load_settings(None).datasets) == len(STRANGE) - 2, "a pattern and a line feed cannot name a file"
    assert after["counts"] == before["counts"]
    assert [target["verdict"] for target in after["targets"]] == ["PASS"] * len(STRANGE)


def test_many_files_are_named_in_part_and_it_says_so(work: Path, command: Command) -> None:
    put(work, {f"set-{number:03}/part.jsonl": RECORD for number in range(MOST_NAMED + 5)})
    command("init")
    assert len(load_settings(None).datasets) == MOST_NAMED
    assert "and 5 more" in (work / ".trainproof.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize("there", [".trainproof.yml", ".github/workflows/trainproof.yml"])
def test_what_is_there_stays(work: Path, command: Command, there: str) -> None:
    put(work, {there: "version: 1\n"})
    answer = command("init")
    assert f"{there} is there and stays as it is" in answer.out
    assert (work / there).read_text(encoding="utf-8") == "version: 1\n"


def test_an_empty_folder_gets_a_template(work: Path, command: Command) -> None:
    assert command("init").out.startswith("found nothing")
    assert load_settings(None).datasets == ()
    assert (work / ".github" / "workflows" / "trainproof.yml").is_file()
