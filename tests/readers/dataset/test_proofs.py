"""What is proved of a line is so, by the word of parsers that share nothing with the proof."""

import json
from pathlib import Path

import pytest
from conftest import needs_module
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.config import DatasetOptions, Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.readers.dataset.examiner import Examiner
from trainproof_ci.readers.dataset.forms import ESCAPED_QUOTE, form_of, marked, shown
from trainproof_ci.readers.dataset.proofs import texts_of

KEYS = ("prompt", "completion")
HEALTHY = b'{"prompt": "a", "completion": "b"}\n'
PIECES = [
    b"a", b" ", b'"', b"\\", b"\\\\", ESCAPED_QUOTE, b"\\n", b"\\u00e9", b"\\ud83d\\ude00", b"\\ud83d", b"\\u12", b"\\x", b"\n", b"\r",
    b"\0", b"\1", b"\t", b"\x7f", b"\xc3\xa9", b"\xc3", b"\xff", b"\xed\xa0\x80", b'", "completion": "', b'"}\n{"prompt": "', b'{"prompt": "', b'"}',
    b"&amp;", b'", "prompt": "', b'": ', b"{", b"}", b"\\/", b"\xe2\x80\x8b",
]  # fmt: skip
WRITTEN = st.lists(st.sampled_from(PIECES), max_size=5).map(b"".join)
LINES = st.one_of(
    st.tuples(WRITTEN, WRITTEN).map(lambda texts: b'{"prompt": "%b", "completion": "%b"}\n' % texts),
    WRITTEN.map(lambda text: text + b"\n"),
    st.just(HEALTHY),
)


@settings(max_examples=300)
@given(lines=st.lists(LINES, min_size=1, max_size=8))
def test_what_is_proved_every_parser_reads_alike(lines: list[bytes]) -> None:
    msgspec = needs_module("msgspec")
    form = form_of(HEALTHY, KEYS)
    assert form is not None
    written = b"".join(lines)
    for data in (written, marked(written)):
        found = texts_of(data, form, marks=data is not written)
        physical = b"".join(lines).split(b"\n")[:-1]
        assert len(found.columns[0]) == len(found.columns[1]) == len(physical)
        for row, line in enumerate(physical):
            if row not in found.doubted:
                pairs = json.loads(line.decode(), object_pairs_hook=list)
                assert pairs == [(key, shown(column[row])) for key, column in zip(KEYS, found.columns, strict=True)]
                assert list(msgspec.json.decode(line).items()) == pairs


def test_healthy_lines_are_not_doubted() -> None:
    form = form_of(HEALTHY, KEYS)
    assert form is not None
    texts = ["caf\u00e9", 'say "hi"', "two\nlines", "\U0001f600", "C:\\new", "\u4f60\u597d", "a/b"]
    for ascii_only in (True, False):
        lines = [
            json.dumps({"prompt": text, "completion": text + "."}, ensure_ascii=ascii_only) + "\n" for text in texts
        ]
        assert not texts_of(marked("".join(lines).encode()), form, marks=True).doubted


@pytest.mark.parametrize("shape", ["prompt-completion", "messages", "text"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_healthy_lines_are_not_explained(shape: str, end: str, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def record(number: int) -> object:
        asked, answer = f'"q\u00e9" {number}', f"C:\\new\\{number}: it is \u201cso\u201d\n\U0001f600"
        if shape == "messages":
            return {"messages": [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]}
        return {"text": answer} if shape == "text" else {"prompt": asked, "completion": answer}

    lines = [json.dumps(record(number), ensure_ascii=number % 2 == 0) + end for number in range(500)]
    Path("train.jsonl").write_bytes("".join(lines).encode())
    explained = []
    explain = Examiner.explain
    monkeypatch.setattr(Examiner, "explain", lambda *given: (explained.append(1), explain(*given))[1])
    options = Settings(datasets=(DatasetOptions("*.jsonl", shape=shape),))
    report = check(find(["train.jsonl"], options), options)
    assert report.targets[0].facts["records"] == 500
    assert len(explained) < 5 or (shape == "messages" and end == "\r\n")
