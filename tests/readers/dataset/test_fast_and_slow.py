"""The fast way and the slow way say the same: about every shape, with any mixture of faults, in one part or in many."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainproof_ci.config import DatasetOptions, Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.readers.dataset import fast, lines, parts
from trainproof_ci.reports.json import render

TEXTS = [
    "\n\nHuman: a\n\nAssistant: b", "\n\nHuman: a\n\nAssistant: ", "\n\nHuman: c\n\nAssistant: d", "\n\nHuman: a\n\nAssistant: \f", "\n\nHuman: a\n\nAssistant: \u3000", "\n\nHuman: a", "A plain answer.", "Another one", "a", " spaced", "", " ", "\u200b", "\u00a0", "\u200d", "TODO", "todo.", "caf\u00e9", "\u4f60\u597d",
    "\U0001f600", "\ud83d", "a\u200bb", "\ufeff", "caf\u00c3\u00a9", "It\u00e2\u20ac\u2122s", "\ufffd", "a\x00b", "\x1b[0m", "\x7f", "\x08", "\x85",
    "&amp; &lt;", "&eacute;&nbsp;<br>", "R&D", "C:\\bin", "\\ud83d", "\\begin{x}", "tab\there", "NaN", "}{", "<|im_end|>", "An elm.</s>", "[INST] a", "undefined", "{{ name }}", "Lorem ipsum dolor sit amet, consectetur adipiscing", "\u00ad", "x\u00ady", "\U000e0041",
]  # fmt: skip
SHAPES = {
    "prompt-completion": ["prompt", "completion"],
    "text": ["text"],
    "alpaca": ["instruction", "input", "output"],
    "text with a language": ["text", "lang"],
    "prompt-only with a context": ["prompt", "context"],
    "text-label with an aspect": ["text", "aspect", "label"],
    "prompt-only": ["prompt"],
    "query-response": ["query", "response"],
    "prompt-completion with a system text": ["system", "prompt", "completion"],
    "question-answer": ["question", "answer"],
    "input-output": ["input", "output"],
    "instruction-response": ["instruction", "response"],
    "preference": ["prompt", "chosen", "rejected"],
    "preference of dialogues": ["chosen", "rejected"],
    "kto": ["prompt", "completion", "label"],
    "alpaca with a history": ["instruction", "output", "history"],
    "alpaca with thumbs": ["instruction", "output", "kto_tag"],
    "text-label": ["text", "label"],
    "messages": ["messages"],
    "open question and answer": ["question", "answer", "origin"],
    "open answer without words": ["question", "answer", "weight"],
    "open prompt and its check": ["prompt", "reference_answer"],
    "open text and its class": ["text", "intent"],
    "open source and target": ["source", "target", "origin"],
}
RAW = [
    b"", b" ", b"{", b"null", b"[1]", b'{"prompt": "a", "completion": "b",}', b"{'a': 1}", b'\xef\xbb\xbf{"prompt": "a", "completion": "b"}',
    b'{"prompt": "\xe9", "completion": "b"}', b"\0\0", b'{"prompt": "a", "completion": NaN}', b'{"prompt": "a", "prompt": "b", "completion": "c"}',
    b'{"prompt": "a", "completion": "b"} ', b' {"prompt": "a", "completion": "b"}', b'{"prompt": "a", "completion": "b"}x', b"<<<<<<< HEAD", b"=======",
    b'{"prompt": "a", "completion": "b", "n": 1e400}', b'{"prompt": "a", "completion": "b", "n": 99999999999999999999}', b'[["prompt", "a"], ["completion", "b"]]',
    b'{"prompt": "a", "completion": "\\\\ud83d\\ude00"}', b'{"prompt": "a", "completion": "\\ud83d\\ude00"}', b'{"prompt": "a", "completion": "\\u00c3\\u00a9t"}',
    b'{"prompt": "a", "completion": "\\u0026amp; \\u0026lt;"}', b'{"prompt": "a", "completion": "b", "n": ' + b"9" * 5000 + b"}", b'{"prompt": {}, "completion": "b"}',
    b'{"prompt": "abc\\", "completion": "b"}', b'{"prompt": "abc\\\\", "completion": "b"}', b'{"prompt": "a", "completion": "b\\"}', b'{"prompt": "a\\", \\"completion\\": \\"b", "completion": "c"}',
    b'{"prompt": "a", "completion": "b\\"}\\n{"}', b'{"prompt": "a\\x", "completion": "b"}', b'{"prompt": "a\\/b", "completion": "b"}', b'{"prompt": "a\\u12", "completion": "b"}', b'{"prompt": "a\\U0001f600", "completion": "b"}',
    b'{"messages": [{"role": "user", "content": "abc\\"}, {"role": "assistant", "content": "x"}]}', b'{"messages": [{"role": "user", "content": "say \\"hi\\""}, {"role": "assistant", "content": "ends in \\\\"}]}',
    b'{"messages": [{"role": "user", "content": "a", "role": "user"}, {"role": "assistant", "content": "x"}]}', b'{"messages": []}', b'{"messages": [{"role": "assistant", "content": "a"}]}',
    b'{"messages": [{"content": "turned", "role": "user"}, {"content": "round", "role": "assistant"}]}', b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "x"}], "n": 1}',
    b'{"messages": "q1"}', b'{"messages": [{"role": "user", "content": "q", "name": "n"}]}', b'{"a": "b", "c": "d", "e": "f", "g": "h"}', b'"a" "b" "c" "d" "',
    b'{"messages": [{"role": "user", "content": "a"}, {"role": "user", "content": "x"}]}', b'{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": null}]}',
]  # fmt: skip


def some_file(shape: str, seed: int) -> bytes:
    """A file of mostly healthy records of a shape, with faults strewn in."""
    random_ = random.Random(seed)
    faults = random_.choice([0.0, 0.02, 0.2])
    end = b"\r\n" if random_.random() < 0.2 else b"\n"
    written = [one_line(SHAPES[shape], number, faults, random_) for number in range(random_.randint(1, 60))]
    data = end.join(written)
    return data + (end if random_.random() < 0.8 else b"")


def one_line(keys: list[str], number: int, faults: float, random_: random.Random) -> bytes:
    if random_.random() < faults / 2:
        return random_.choice(RAW)
    if keys == ["messages"]:
        return one_talk(number, faults, random_)
    value: dict[str, object] = {key: f"{key} number {random_.randint(0, 40) if faults else number}" for key in keys}
    value.update((key, other) for key, other in others(keys, number) if key in keys)
    if random_.random() < 0.1:
        value["extra"] = random_.choice([1, 2.5, None, "x", True, ["list"], {"a": 1}])
    for key in keys:
        if random_.random() < faults:
            value[key] = random_.choice([*TEXTS, 5, None, ["a"], {"a": "b"}, 1e300])
    if random_.random() < faults:
        value = dict(reversed(value.items()))
    if random_.random() < faults / 2:
        value.pop(random_.choice(keys))
    text = json.dumps(value, ensure_ascii=random_.random() < 0.5)
    return text.encode("utf-8", "surrogatepass")


def others(keys: list[str], number: int) -> list[tuple[str, object]]:
    """What is no text of its own in the records of some shapes."""
    label = number % 2 == 0 if "completion" in keys else number % 3
    found: list[tuple[str, object]] = [("label", label), ("kto_tag", number % 3 > 0), ("intent", f"class {number % 3}")]
    return [*found, ("answer", number)] if "weight" in keys else found


def one_talk(number: int, faults: float, random_: random.Random) -> bytes:
    """A conversation, whose texts or roles are wrong now and then."""
    talk = [{"role": "system", "content": "Be kind."}] if random_.random() < 0.3 else []
    for turn in range(random_.randint(1, 3)):
        asked = f'Question {random_.randint(0, 9) if faults else number}.{turn}: "why"?'
        talk += [{"role": "user", "content": asked}, {"role": "assistant", "content": f"Because of\n{number}."}]
    for message in talk:
        if random_.random() < faults / 2:
            message["content"] = random_.choice([text for text in TEXTS if text != "\ud83d"] if faults < 0.1 else TEXTS)
        if random_.random() < faults / 8:
            message["role"] = random_.choice(["user", "system", "bot", "tool", "Assistant"])
        if random_.random() < faults / 8:
            message["name"] = "A."
    value: dict[str, object] = {"messages": talk}
    if random_.random() < faults / 4:
        value["id"] = number
    return json.dumps(value, ensure_ascii=random_.random() < 0.5).encode("utf-8", "surrogatepass")


BACKSLASHES = ["\\\\alpha", "C:\\\\new", '\\\\\\"q', "caf\\u00e9", "\\/", "\\\\u0041"]
"""As they are written: escaped backslashes before what would be an escape without them, and texts with two spellings."""


@settings(max_examples=40)
@given(
    texts=st.lists(st.tuples(*[st.lists(st.sampled_from([*BACKSLASHES, "word", " ", "\\n", "\u00e9", "x"]), max_size=4)] * 2), min_size=3),
    shape=st.sampled_from(["prompt-completion", "messages", "text"]),
)  # fmt: skip
def test_texts_full_of_backslashes_are_read_alike(
    texts: list[tuple[list[str], list[str]]], shape: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    form = {
        "prompt-completion": '{{"prompt": "{}", "completion": "{}"}}',
        "messages": '{{"messages": [{{"role": "user", "content": "{}"}}, {{"role": "assistant", "content": "{}"}}]}}',
        "text": '{{"text": "{}{}"}}',
    }[shape]
    written = [form.format("".join(one), "".join(other)) for one, other in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("work"))
        Path("train.jsonl").write_text("\n".join([*written, *written[:2], ""]), encoding="utf-8")
        options = told(shape)
        quick = report(options)
        patch.setattr(fast.Acceptor, "for_survey", lambda *_: None)
        assert report(options) == quick


def told(shape: str) -> Settings:
    """The settings that name a shape; an open one shows itself."""
    name = shape.split(" ", maxsplit=1)[0]
    return Settings() if name == "open" else Settings(datasets=(DatasetOptions("*.jsonl", shape=name),))


def report(options: Settings) -> str:
    return render(check(find(["train.jsonl"], options), options))


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=25)
@given(seed=st.integers(0, 1 << 30))
def test_the_same_report_on_every_way(shape: str, seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("work")
        patch.chdir(folder)
        Path("train.jsonl").write_bytes(some_file(shape, seed))
        options = told(shape)
        quick = report(options)
        patch.setattr(lines, "CHUNK", 200)
        assert report(options) == quick, "many blocks"
        patch.setattr(fast.Acceptor, "for_survey", lambda *_: None)
        assert report(options) == quick, "every line explained"


@settings(max_examples=8)
@given(seed=st.integers(0, 1 << 30), shape=st.sampled_from(sorted(SHAPES)))
def test_the_same_report_in_parts(seed: int, shape: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("work")
        patch.chdir(folder)
        Path("train.jsonl").write_bytes(some_file(shape, seed))
        options = told(shape)
        whole = report(options)
        patch.setattr(parts, "SMALLEST_PART", 100)
        for jobs in (2, 3):
            assert report(options._replace(jobs=jobs)) == whole


def test_a_part_whose_process_dies_is_surveyed_all_the_same(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "train.jsonl").write_bytes(some_file("prompt-completion", 5) * 3)
    options = Settings(jobs=3)
    whole = report(Settings())
    monkeypatch.setattr(parts, "SMALLEST_PART", 100)
    monkeypatch.setattr(parts, "state_of", lambda _: 1 / 0)
    assert report(options) == whole


@pytest.mark.parametrize("odd", RAW)
@pytest.mark.parametrize("shape", ["prompt-completion", "messages"])
def test_an_odd_line_among_healthy_ones_is_judged_alike(
    shape: str, odd: bytes, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    healthy = [one_line(SHAPES[shape], number, 0.0, random.Random(number)) for number in range(40)]
    (work / "train.jsonl").write_bytes(b"\n".join([*healthy, odd, *healthy[::-1], odd, odd, b""]))
    options = told(shape)
    quick = report(options)
    monkeypatch.setattr(fast.Acceptor, "for_survey", lambda *_: None)
    assert report(options) == quick
