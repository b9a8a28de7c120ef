"""What is promised of untrusted datasets: bounded memory, no content in any output, no mixture of two files, no crash."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.config import DatasetOptions, Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report
from trainproof_ci.readers.dataset import jsonl
from trainproof_ci.reports import FORMATS, renderer

SECRET = "sk-live-4f3c2b1a-never-print-this"
MEGABYTE = 1 << 20


def judged(name: str = "train.jsonl", **options: Any) -> Report:
    configured = Settings(datasets=(DatasetOptions("**", **options),)) if options else Settings()
    return check(find([name], configured, "dataset"), configured)


def rules(report: Report) -> set[str]:
    return {finding.rule for _, finding in report.findings}


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("tail", [b'"}\n', b""], ids=["whole", "cut"])
def test_a_line_of_64_mib_stays_within_250_mb(work: Path, tail: bytes) -> None:
    clean = b"".join(b'{"prompt": "q%d", "completion": "a%d"}\n' % (i, i) for i in range(20))
    (work / "train.jsonl").write_bytes(
        clean + b'{"prompt": "q", "completion": "' + b"word " * (64 * MEGABYTE // 5) + tail
    )
    code = "import sys, trainproof_ci.cli as c; c.main(sys.argv[1:]); print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    run = subprocess.run(
        [sys.executable, "-c", code, "check", "train.jsonl"], capture_output=True, check=True, text=True
    )
    assert ("TP-LINE-LONG" if tail else "TP-LINE-TRUNCATED") in run.stdout
    assert int(run.stdout.split()[-1]) * 1024 < 250 * 1_000_000


@pytest.mark.parametrize(
    "line",
    [
        '{"text":' + "[" * 100_000 + "]" * 100_000 + "}", '{"a":' * 50_000 + "1" + "}" * 50_000, "[" * 1_000_000,
        '{"text": "x", "v": ' + "9" * 3_000_000 + "}", "{" + ",".join(f'"k{i}": 1' for i in range(100_000)) + "}",
    ],
    ids=["deep array", "deep object", "never closed", "endless number", "many keys"],
)  # fmt: skip
def test_one_line_built_to_break_a_parser_is_one_finding(work: Path, line: str) -> None:
    rows = [f'{{"text": "row {i}"}}' for i in range(12)]
    (work / "train.jsonl").write_text("\n".join([*rows[:10], line, *rows[10:]]) + "\n", encoding="utf-8")
    report = judged()
    assert not rules(report) & {"TP-FILE-CRASHED", "TP-FILE-UNREADABLE"}
    assert {line for _, finding in report.findings for line in finding.places.lines} == {11}


def test_a_line_longer_than_can_be_held_is_read_over_and_said(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trainproof_ci.readers.dataset import lines

    monkeypatch.setattr(lines, "LONGEST_LINE", 3 * MEGABYTE)
    row = b'{"text": "row %d"}\n'
    (work / "train.jsonl").write_bytes(row % 1 + b'{"text": "' + b"x" * 4 * MEGABYTE + b'"}\n' + row % 2 + b"{\n")
    report = judged()
    found = {(finding.rule, finding.severity.value, finding.location.line) for _, finding in report.findings}
    assert found == {("TP-LINE-LONG", "NOT-CHECKED", 2), ("TP-JSON-SYNTAX", "FAIL", 4)}
    assert report.targets[0].facts["records"] == 2


BROKEN = [
    '{"prompt": "S"} S', '{"prompt": "S" S}', '{"S": 1}', '{"prompt": "S", "prompt": "S", "completion": "S"}', '{"prompt": "S", "completion": ""}',
    '{"prompt": "S", "completion": 5}', '{"prompt": "S", "completion": "S"}', '{"prompt": "a", "completion": "S\\u0000&amp;&lt;<br>"}', '"S"',
    '{"prompt": "a", "completion": "S\\ud800"}', "<<<<<<< S", '{"prompt": "a", "completion": "b", "S key": [null]}', '{"prompt": "a", "completion": "S \ufffd caf\u00c3\u00a9"}',
    '{"messages": [{"role": "S", "content": "S", "S": 1}]}', '{"messages": [{"role": "user", "content": "S"}, {"role": "tool", "tool_call_id": "S", "content": "S"}]}',
    '{"text": "S", "label": "S"}', '{"chosen": "S", "rejected": "S"}', '{"prompt": "a", "completion": "S", "v": NaN}', "\0S",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_no_content_in_any_output(work: Path, form: str) -> None:
    lines = [line.replace("S", SECRET) for line in BROKEN]
    for number, line in enumerate(lines):
        (work / f"one{number}.jsonl").write_text(f"{line}\n{line}\n", encoding="utf-8")
    (work / "all.jsonl").write_text("\n".join(lines * 2) + f"\n{lines[0][:-3]}", encoding="utf-8")
    (work / "array.json").write_text(
        json.dumps([{"instruction": SECRET, "output": SECRET}, {"instruction": SECRET, "output": ""}]), encoding="utf-8"
    )
    report = check(find(["."], Settings()), Settings())
    assert len(report.targets) == len(BROKEN) + 2
    assert len(rules(report)) > 15
    assert SECRET not in renderer(form)(report)


def test_a_file_that_grows_while_it_is_read_is_not_checked(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "train.jsonl").write_bytes(b'{"text": "a"}\n{"text": ""}\n')
    original = jsonl.blocks

    def growing(*arguments: Any) -> Iterator[Any]:
        yield from original(*arguments)
        with open("train.jsonl", "ab") as file:
            file.write(b'{"text": "b"}\n')

    monkeypatch.setattr(jsonl, "blocks", growing)
    report = judged()
    assert rules(report) == {"TP-FILE-CHANGED-WHILE-READ"}
    assert report.verdict.value == "NOT-CHECKED"


PIECES = [
    b'{"prompt": "',
    b'", "completion": "',
    b'"}\n',
    b"\n",
    b"\r",
    b"\0",
    b"\xef\xbb\xbf",
    b"[",
    b"]",
    b",",
    b"\\u",
    b"d83d",
    b"{",
    b"}",
    b"\xff",
    b"null",
    b"1e999",
    b" ",
]


@settings(max_examples=30)
@given(
    data=st.one_of(st.binary(max_size=400), st.lists(st.sampled_from(PIECES), max_size=60).map(b"".join)),
    name=st.sampled_from(["train.jsonl", "data.json", "test.ndjson"]),
)
def test_any_bytes_get_an_answer(data: bytes, name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("work"))
        Path(name).write_bytes(data)
        report = judged(name)
        assert "TP-FILE-CRASHED" not in rules(report), [finding.message for _, finding in report.findings]
        assert report.counts["found"] == 1


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "from", "value", "tool_calls", "id", "function", "x"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
KEYS = [
    "messages",
    "conversations",
    "prompt",
    "completion",
    "chosen",
    "rejected",
    "input",
    "label",
    "text",
    "tools",
    "contents",
    "input_ids",
    "labels",
    "preferred_output",
]


@settings(max_examples=30)
@given(
    records=st.lists(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=5), min_size=1, max_size=4),
    array=st.booleans(),
)
@pytest.mark.parametrize(
    "shape",
    ["messages", "sharegpt", "preference", "openai-preference", "gemini-contents", "stepwise", "text-label", None],
)
def test_any_records_get_an_answer(
    shape: str | None, records: list[dict[str, Any]], array: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("work"))
        name = "data.json" if array else "train.jsonl"
        text = json.dumps(records, indent=1) if array else "".join(json.dumps(record) + "\n" for record in records)
        Path(name).write_text(text, encoding="utf-8")
        report = judged(name, shape=shape) if shape else judged(name)
        assert "TP-FILE-CRASHED" not in rules(report), [finding.message for _, finding in report.findings]
