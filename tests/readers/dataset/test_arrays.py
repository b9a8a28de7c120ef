"""Arrays in `.json` files: which are found under a name that says data, and what is said of those that are broken."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report

RECORDS = [{"asked": f"Which colour has number {i}?", "said": f"Number {i} is red."} for i in range(5)]
ROWS = [json.dumps(record) for record in RECORDS]


def array(*rows: str) -> str:
    return "[\n" + ",\n".join(rows) + "\n]\n"


def found(name: str, content: str | bytes, path: str = ".") -> list[tuple[str, int | None]]:
    """The rules that fire and their lines; under the name of the one rule where the file is no target."""
    data = content.encode() if isinstance(content, str) else content
    Path(name).write_bytes(data)
    report = judged(path)
    return [(finding.rule, finding.location.line) for _, finding in report.findings]


def judged(path: str = ".") -> Report:
    return check(find([path], Settings()), Settings())


NOTHING = [("TP-FILE-NOT-FOUND", 1)]
UNSUPPORTED = [("TP-FILE-UNSUPPORTED", 1)]
FIRST = [
    ('{"asked": "Why?", "said": NaN}', "TP-JSON-NONFINITE"),
    ('{"asked": "Why?", "asked": "How?", "said": "So."}', "TP-JSON-DUPKEY"),
    ('{"asked": "Why?", "said": "\\ud83d"}', "TP-ENC-SURROGATE"),
    ('{"asked": "Why?", "said": "So.", "id": 18446744073709551617}', "TP-JSON-NUMBER"),
    ('{"asked": "Why?", "said": "So.",}', "TP-JSON-SYNTAX"),
    ('{"asked": "Why?", "said": None}', "TP-JSON-SYNTAX"),
    ("{'asked': 'Why?', 'said': 'So.'}", "TP-JSON-SYNTAX"),
    ('{"asked": "Why?", "said": "a\tb"}', "TP-JSON-SYNTAX"),
    ('// the first\n{"asked": "Why?", "said": "So."}', "TP-JSON-SYNTAX"),
]


@pytest.mark.parametrize(("row", "rule"), FIRST)
@pytest.mark.parametrize(("name", "path"), [("train.json", "."), ("data.json", "data.json")])
def test_a_fault_in_the_first_record_does_not_hide_the_file(
    work: Path, row: str, rule: str, name: str, path: str
) -> None:
    assert (rule, 2) in found(name, array(row, *ROWS), path)


@pytest.mark.parametrize(("row", "rule"), FIRST)
def test_under_a_name_that_says_nothing_a_broken_array_of_no_known_shape_is_not_found(
    work: Path, row: str, rule: str
) -> None:
    assert found("things.json", array(row, *ROWS)) == NOTHING


def test_a_second_record_that_is_broken_does_not_hide_the_file(work: Path) -> None:
    assert found("train.json", array(ROWS[0], "{'asked': 'Why?'}")) == [("TP-JSON-SYNTAX", 3)]
    assert found("train.json", "[\n" + ROWS[0]) == [("TP-LINE-TRUNCATED", 2)]


HOLLOW: list[tuple[str | bytes, str]] = [
    ("[]", "TP-FILE-EMPTY"),
    ("[\n]\n", "TP-FILE-EMPTY"),
    ("", "TP-FILE-EMPTY"),
    ("\n", "TP-FILE-EMPTY"),
    ("<!DOCTYPE html><html><body>404</body></html>", "TP-FILE-NOT-DATA"),
    (array(*ROWS).encode("utf-16"), "TP-ENC-UTF16"),
    (array(*ROWS).encode("utf-16-le"), "TP-ENC-UTF16"),
]


@pytest.mark.parametrize(("content", "rule"), HOLLOW)
def test_what_holds_nothing_is_found_by_a_name_for_training_or_when_it_is_named(
    work: Path, content: str | bytes, rule: str
) -> None:
    assert found("train.json", content) == [(rule, 1)]
    Path("train.json").unlink()
    assert found("data.json", content, "data.json") == [(rule, 1)]
    assert found("data.json", content) == NOTHING


@pytest.mark.parametrize("content", ["[]", "", "<html></html>"])
@pytest.mark.parametrize("name", ["conversations.json", "instructions.json", "train_config.json"])
def test_what_a_program_may_have_yet_to_fill_is_not_found(work: Path, name: str, content: str) -> None:
    assert found(name, content) == NOTHING


def test_compressed_it_is_the_same(work: Path) -> None:
    def packed(content: str | bytes) -> bytes:
        return gzip.compress(content.encode() if isinstance(content, str) else content)

    assert found("train.json.gz", packed("[]")) == [("TP-FILE-EMPTY", 1)]
    assert found("train.json.gz", packed(array(FIRST[6][0], *ROWS))) == [("TP-JSON-SYNTAX", 2)]
    assert found("train.json.gz", packed(array(*ROWS).encode().replace(b"3 is", b"\xe9 is"))) == [("TP-ENC-UTF8", 5)]


@pytest.mark.parametrize(
    "value",
    [
        ["a", "b"],
        ["a {", "b"],
        ["x { " * 40_000, "y"],
        [[{"a": 1}], [{"a": 2}]],
        [[{"a": 1}] * 20_000, []],
        [1, 2],
        {"a": [{"b": 1}, {"b": 2}]},
    ],
    ids=str,
)
def test_arrays_of_other_things_are_no_datasets(work: Path, value: Any) -> None:
    assert found("train.json", json.dumps(value)) == NOTHING
    assert found("train.json", json.dumps(value), "train.json") == UNSUPPORTED


def test_one_object_in_an_array_may_be_a_configuration_unless_it_is_named(work: Path) -> None:
    assert found("train.json", '[{"rate": 0.1}]') == NOTHING
    assert found("train.json", '[{"rate": 0.1}]', "train.json") == []


OURS, BASE, OTHER, THEIRS = "<<<<<<< HEAD", "||||||| 1a2b3c4", "=======", ">>>>>>> theirs"


@pytest.mark.parametrize(
    ("lines", "marked"),
    [
        (["[", ROWS[0] + ",", OURS, ROWS[1] + ",", OTHER, ROWS[2] + ",", THEIRS, ROWS[3], "]"], [3, 5, 7]),
        (["[", OURS, ROWS[1] + ",", BASE, OTHER, ROWS[2] + ",", THEIRS, ROWS[3], "]"], [2, 4, 5, 7]),
        (["[", ROWS[0], OURS, OTHER, "," + ROWS[2], THEIRS, "]"], [3, 4, 6]),
        (["[", "{", OURS, '"asked": 1', OTHER, '"asked": 2', THEIRS, "}", "]"], [3, 5, 7]),
        (["[", '{"asked": 1,', OURS, '"said": 1', OTHER, '"said": 2', THEIRS, "}", "]"], [3, 5, 7]),
        ([OURS, "[", ROWS[0], "]", OTHER, "[]", THEIRS], [1, 5, 7]),
        (["[", ROWS[0] + ",", ROWS[1], "]", OTHER, "[]", THEIRS], [5, 7]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_markers_of_a_merge_are_named_and_counted(
    work: Path, lines: list[str], marked: list[int], end: str
) -> None:
    assert found("train.json", "".join(line + end for line in lines)) == [("TP-FILE-CONFLICT", marked[0])]
    finding = next(finding for _, finding in judged().findings)
    assert [place.line for place in finding.places.shown] == marked


def test_markers_in_texts_and_records_after_a_long_one_are_told_apart(work: Path) -> None:
    said = json.dumps({"asked": f"{OURS}\n{OTHER}", "said": THEIRS})
    assert found("train.json", array(ROWS[0], said)) == []
    long = json.dumps({"asked": "x" * 700_000, "said": "y"})
    assert found("train.json", f"[\n{ROWS[0]},\n{OURS}\n{long},\n{OTHER}\n{THEIRS}\n{ROWS[1]}\n]\n") == [
        ("TP-FILE-CONFLICT", 3)
    ]


def test_control_tokens_are_seen_in_an_array_as_in_lines(work: Path) -> None:
    talk = [
        {"messages": [{"role": "user", "content": f"Name {i}."}, {"role": "assistant", "content": f"Red {i}."}]}
        for i in range(4)
    ]
    assert found("talk.json", array(*map(json.dumps, talk))) == []
    talk[2]["messages"][1]["content"] += "<|im_end|>"
    assert found("talk.json", array(*map(json.dumps, talk))) == [("TP-TRAIN-SPECIAL-TOKEN", 4)]
    talk[2]["messages"][1]["content"] = "[INST] Red. [/INST]"
    assert found("talk.json", array(*map(json.dumps, talk))) == [("TP-TRAIN-SPECIAL-TOKEN", 4)]


def test_the_first_byte_that_is_no_utf8_is_placed_beyond_the_first_piece_too(work: Path) -> None:
    rows = [json.dumps({"asked": "é" * 90_000 + str(i), "said": "x"}, ensure_ascii=False) for i in range(9)]
    data = array(*rows).encode().replace(b"7", b"\xe9")
    assert found("train.json", data) == [("TP-ENC-UTF8", 9)]
    place = next(finding.location for _, finding in judged().findings)
    assert place.byte_offset == data.index(b'\xe9"')
    assert place.column == rows[7].index("7") + 1


def test_an_array_in_json_lines_is_counted_where_it_can_be_read(work: Path) -> None:
    def measured(content: str) -> str:
        Path("train.jsonl").write_text(content, encoding="utf-8")
        (finding,) = (finding for _, finding in judged().findings)
        assert finding.rule == "TP-JSON-ARRAY"
        return finding.measured

    assert measured(array(*ROWS)) == "an array of 5 records"
    assert measured(json.dumps(RECORDS)) == "an array of 5 records"
    assert measured(json.dumps(RECORDS[:1])) == "an array of 1 record"
    assert measured(array(*ROWS * 2000)) == "an array of 10000 records"
    assert measured(array(*ROWS, "{'a'}", *ROWS)) == "an array"
