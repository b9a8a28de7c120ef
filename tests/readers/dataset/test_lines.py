"""JSON Lines under a name that says only JSON, and records among them that were laid out for people."""

import json
from pathlib import Path

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.readers.dataset import parts
from trainproof_ci.readers.source import Source

ROWS = [json.dumps({"article": f"Number {i} is red.", "gist": f"red {i}"}) for i in range(6)]
NOTHING = [("TP-FILE-NOT-FOUND", [1])]


def found(name: str, *lines: str) -> list[tuple[str, list[int | None]]]:
    """The rules that fire, each with its lines."""
    Path(name).write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="")
    report = check(find(["."], Settings()), Settings())
    return [(finding.rule, [place.line for place in finding.places.shown]) for _, finding in report.findings]


@pytest.mark.parametrize(
    "name", ["train.json", "val.json", "dev.json", "test.json", "eval_data.json", "data.json", "sample.json"]
)
def test_lines_of_no_known_shape_are_found_under_the_name_of_a_split(work: Path, name: str) -> None:
    assert found(name, *ROWS) == []
    assert found(name, *ROWS[:2], "{'article': 'a', 'gist': 'b'}", *ROWS[2:]) == [("TP-JSON-SYNTAX", [3])]


@pytest.mark.parametrize("name", ["report.json", "test_report.json", "train_config.json", "package.json"])
def test_under_other_names_they_are_not(work: Path, name: str) -> None:
    assert found(name, *ROWS) == NOTHING


def test_common_shapes_are_found_there_too(work: Path) -> None:
    rows = [json.dumps({"text": f"Number {i}.", "label": i % 2}) for i in range(6)]
    assert found("train.json", *rows) == []
    assert found("train.json", *rows[:3], '{"text": "", "label": 0}', *rows[3:]) != NOTHING


@pytest.mark.parametrize(
    "lines",
    [
        ROWS[:1],
        ["{", '"a": [', '{"b": 1}', "],", '"c": [', '{"b": 2}', "]", "}"],
        json.dumps({"version": 1, "data": [{"a": 1}, {"a": 2}]}, indent=1).split("\n"),
        ['{"at": 1, "did": "start"}', '{"at": 2, "did": "run", "what": "x"}', '{"at": 2, "said": "x"}', '{"at": 3}'],
    ],
)
def test_one_object_and_events_of_several_kinds_are_no_dataset(work: Path, lines: list[str]) -> None:
    assert found("test.json", *lines) == NOTHING


def test_a_log_of_training_under_such_a_name_stays_a_run(work: Path) -> None:
    lines = [json.dumps({"step": i, "loss": 2.0 - i / 50, "learning_rate": 0.001}) for i in range(30)]
    Path("eval.json").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    assert [target.kind for target in find(["."], Settings())] == ["run"]


def laid_out(indent: int | str) -> list[str]:
    return json.dumps({"article": "long", "gist": ["a", {"b": None}]}, indent=indent).split("\n")


@pytest.mark.parametrize("indent", [2, 4, "\t"])
def test_a_record_over_several_lines_is_one_finding(work: Path, indent: int | str) -> None:
    lines = laid_out(indent)
    assert found("train.jsonl", *ROWS[:2], *lines, *ROWS[2:4], *lines, *ROWS[4:]) == [
        ("TP-JSON-PRETTY", [3, 5 + len(lines)])
    ]


def test_a_record_that_breaks_off_takes_no_other_with_it(work: Path) -> None:
    begun = '{"article": "a",'
    assert found("train.jsonl", *ROWS[:2], begun, *ROWS[2:]) == [("TP-JSON-SYNTAX", [3])]
    assert found("train.jsonl", *ROWS[:2], begun) == [("TP-JSON-SYNTAX", [3])]
    assert found("train.jsonl", *ROWS[:2], begun, '  "gist": "b"', *ROWS[2:]) == [("TP-JSON-SYNTAX", [3])]
    assert found("train.jsonl", ROWS[0], begun, begun, "oh", ROWS[1]) == [("TP-JSON-SYNTAX", [2, 3, 4])]


def test_a_record_over_several_lines_is_never_divided_between_processes(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "SMALLEST_PART", 1 << 10)
    monkeypatch.setattr(parts.sys, "platform", "linux")
    lines = [ROWS[0], *laid_out(2) * 400]
    data = "".join(line + "\n" for line in lines).encode()
    Path("train.jsonl").write_bytes(data)
    with Source("train.jsonl") as source:
        begins = parts.boundaries(source, 4)
    if not hasattr(parts.os, "fork"):
        pytest.skip("no processes are forked here")
    assert len(begins) == 4
    assert all(data[begin : begin + 2] == b"{\n" for begin in begins[1:])
