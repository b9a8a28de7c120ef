"""Which records an evaluation split shares with its training file, and which only look alike."""

import json
from pathlib import Path

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Severity, TargetReport

FLOWERS = ["1.51,3.2,4.5,1.5,a", "2.63,2.7,4.9,1.8,b", "4.91,3.1,1.5,0.1,c", "4.02,3.0,1.4,0.2,c"]


def judged(name: str) -> TargetReport:
    (target,) = check(find([name], Settings()), Settings()).targets
    return target


def leak_of(header: str, train: list[str], test: list[str]) -> str | None:
    """the measurement of TP-DUP-LEAK on a table, or None."""
    for name, rows in (("train.csv", train), ("test.csv", test)):
        Path(name).write_text("\n".join((header, *rows, "")), encoding="utf-8")
    target = judged("test.csv")
    return next((finding.measured for finding in target.findings if finding.rule == "TP-DUP-LEAK"), None)


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize(
    ("header", "train", "test", "measured"),
    [
        ("w,x,y,z,class", FLOWERS, ["5.1,3.5,1.4,0.2,c", FLOWERS[1]], "1 of 2"),
        ("user,item,label", ["1,10,1", "1,11,0", "2,10,1"], ["1,12,1", "2,10,1"], "1 of 2"),
        ("code,label", ["CCO,0", "CCN,1", "CNC,0"], ["CCC,0", "CCO,0"], "1 of 2"),
        ("id,label", ["img_a,0", "img_b,1", "img_c,0"], ["img_d,0", "img_b,1"], "1 of 2"),
        (",id,label", ["0,img_a,0", "1,img_b,1"], ["0,img_d,0", "1,img_a,0"], "1 of 2"),
        ("id,target", ["1,The whole story told again", "2,Another one"], ["7,The whole story told again"], "1 of 1"),
        ("w,x,y,z,class", [*[f"{n},1,{n + 1},2,c" for n in range(40)], "0,1,1,2,c"], ["5,1,6,2,c"], "1 of 1"),
    ],
)
def test_records_that_are_trained_on(header: str, train: list[str], test: list[str], measured: str) -> None:
    assert (leak_of(header, train, test) or "").startswith(measured)


@pytest.mark.usefixtures("work")
@pytest.mark.parametrize(
    ("header", "train", "test"),
    [
        ("class", ["0", "1", "2", "1"], ["1", "2"]),
        ("target", ["24.5", "21.6", "34.7"], ["21.6"]),
        ("id,target", ["0,1", "1,0", "2,0"], ["0,1", "1,0", "2,0"]),
        ("id,label", ["img_a,0", "img_b,1"], ["img_c,0", "img_d,1"]),
        (",id,label", ["0,img_a,0", "1,img_b,1"], ["0,img_c,0", "1,img_d,1"]),
        ("sex,smoker,target", ["F,no,0", "F,no,1", "F,yes,0", "M,yes,0", "M,yes,0", "F,no,0"], ["M,yes,0", "F,no,0"]),
        ("class,sex,port", ["3,male,S", "1,female,C", "3,male,S"], ["3,male,S", "2,female,Q"]),
        ("split,label", ["train,0", "train,1"], ["train,0"]),
    ],
)
def test_records_that_are_alike_by_chance(header: str, train: list[str], test: list[str]) -> None:
    assert leak_of(header, train, test) is None
    skipped = judged("test.csv").checks.skipped
    assert "TP-DUP-LEAK" in skipped or header.startswith((",id", "id,label"))


def test_labels_of_json_lines(work: Path) -> None:
    for name, first in (("train", 0), ("test", 6)):
        rows = [json.dumps({"id": f"img{number}", "label": number % 3}) for number in range(first, first + 6)]
        (work / f"{name}.jsonl").write_text("\n".join((*rows, "")), encoding="utf-8")
    assert judged("test.jsonl").verdict is Severity.PASS
    (work / "test.jsonl").write_text('{"id": "img2", "label": 2}\n', encoding="utf-8")
    assert judged("test.jsonl").verdict is Severity.FAIL
