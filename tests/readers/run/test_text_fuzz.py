"""Whatever the bytes, a text reader gives facts or says that it cannot; and no report quotes what a log holds."""

import json
from pathlib import Path

import pytest
from console_logs import FORMS, losses, text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target
from trainproof_ci.engine import judge
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Policy, Report
from trainproof_ci.readers.run import read, recognise
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.readers.source import Head
from trainproof_ci.reports import FORMATS, renderer

READERS = ["hf-trainer-state", "catboost", "jsonl", "json-history", "csv", "console", "unknown"]
SECRET = "hf_DONOTPRINT0123456789"
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

pieces = st.sampled_from(
    [
        "{", "}", "[", "]", ",", ":", "\n", "\r", " ", "|", "\t", '"', "'", "=", "-----\n", "\x1b[1m", "\0", "\ufeff", "nan", "inf", "null",
        "true", "1e400", "-", "0", "1", "12/60", "9" * 400, "loss", '"loss"', "'loss'", "train_loss", "val_loss", "step", '"step"', "epoch",
        "lr", "grad_norm", "log_history", '"log_history": [', "Traceback (most recent call last):\n", "ValueError: no\n", "<<<<<<< HEAD\n",
        "Epoch 1/5\n", "step,loss\n", "1,2.0\n", '{"loss": 1.0, "step": 1}\n', "| loss | 1.0 |\n", "{'loss': 0.5, 'epoch': 1.0}\n", "%|", "é", "\u2028",
    ]
)  # fmt: skip
texts = st.lists(pieces, max_size=60).map("".join)


def read_bytes(work: Path, name: str, data: bytes) -> RunLog | None:
    (work / "train.log").write_bytes(data)
    try:
        recognise(Head("train.log", data[: 1 << 16], len(data)))
        return read(Target("train.log", "run", name, len(data)), Settings(), ())
    except (Unreadable, RecursionError):
        return None


@pytest.mark.parametrize("name", READERS)
@quick
@given(texts)
def test_text_of_familiar_pieces(work: Path, name: str, content: str) -> None:
    run = read_bytes(work, name, content.encode("utf-8", "surrogatepass"))
    if run is not None:
        for series in run.series.values():
            assert len(series.values) == len(series.steps) == len(series.places)
        json.dumps(run.summary())


@pytest.mark.parametrize("name", READERS)
@quick
@given(st.binary(max_size=300))
def test_any_bytes(work: Path, name: str, data: bytes) -> None:
    read_bytes(work, name, data)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_rules_take_whatever_a_reader_gives(work: Path, form: object, data: st.DataObject) -> None:
    content = text(form, losses(24))  # type: ignore[arg-type]
    first = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(first, len(content)))
    put = data.draw(texts)
    (work / "train.log").write_text(content[:first] + put + content[end:], encoding="utf-8", newline="")
    report = judge(Target("train.log", "run", "console"), Settings())
    assert "TP-FILE-CRASHED" not in {finding.rule for finding in report.findings}


LEAKS = {
    "train.log": f'{SECRET}: 1.0\nepoch 1 loss 2.0 {SECRET}=5\nTraceback (most recent call last):\n  File "{SECRET}"\nValueError: {SECRET}\n',
    "run.jsonl": "".join(json.dumps({"step": i, "loss": 2.0, f"key {SECRET}": 1.0, "note": SECRET}) + "\n" for i in range(20)),
    "metrics.csv": f"step,loss_{SECRET}_{SECRET},val_loss {SECRET}\n" + "".join(f"{i},nan,{i}\n" for i in range(20)),
    "history.json": json.dumps({f"train_loss {SECRET}": [1.0] * 20, f"val_loss/{SECRET}x": [1.0] * 20, "model": SECRET}),
    "trainer_state.json": json.dumps({"best_model_checkpoint": SECRET, "log_history": [{"step": 1, SECRET + " x": 5.0}]}),
    "loss_log.txt": f"D {SECRET} A: 1.0\n" * 5,
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKS)
def test_no_report_quotes_the_log(work: Path, name: str) -> None:
    (work / name).write_text(LEAKS[name], encoding="utf-8")
    head = Head.of(name)
    report = judge(Target(name, "run", recognise(head) or "unknown", head.size), Settings())
    for form in FORMATS:
        assert SECRET not in renderer(form)(Report((report,), Policy())), form
