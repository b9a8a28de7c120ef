"""The text formats that are no console text: tables, records, histories; encodings; cuts; names of their own."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import makers
import pytest
from console_logs import losses

from trainproof_ci.config import RunOptions, Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Severity, TargetReport
from trainproof_ci.readers.run import read, recognise
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.readers.run.records import number
from trainproof_ci.readers.source import Head

VALUES = losses(30)


def csv(header: str, row: str) -> str:
    return header + "\n" + "".join(row.format(i=i, x=x) + "\n" for i, x in enumerate(VALUES))


def lines(row: Mapping[str, object]) -> str:
    return "".join(json.dumps({**row, "loss": x, "step": i}) + "\n" for i, x in enumerate(VALUES))


RECORDS = [{"loss": x, "step": i, "grad_norm": 1.0} for i, x in enumerate(VALUES)]
FORMATS: dict[str, tuple[str, str, str]] = {
    "keras": ("training_log.csv", csv("epoch,accuracy,loss,val_loss", "{i},0.5,{x},{x}"), "loss"),
    "lightning": ("metrics.csv", "epoch,step,train_loss_step,lr-AdamW,val_loss\n" + "".join(f",{i},,2e-05,\n0,{i},{x},,\n" for i, x in enumerate(VALUES)), "train_loss_step"),
    "ultralytics": ("results.csv", csv("      epoch,   train/box_loss,   train/cls_loss,   val/box_loss,   lr/pg0", "   {i},   {x},   {x},   {x},   0.01"), "train/box_loss+train/cls_loss"),
    "padded": ("training_log.csv", csv("training_loss, training_acc, val_loss", "{x}, 0.5, {x}").rstrip("\n"), "training_loss"),
    "camel": ("training_log.csv", csv("Epoch,TrainLoss,ValLoss,LR", "{i},{x},{x},0.1"), "TrainLoss"),
    "semicolon": ("metrics.csv", csv("step;loss", "{i};{x}"), "loss"),
    "tabs": ("loss.tsv", csv("EPOCH\tTIMESTAMP\tLEARNING_RATE\tTRAIN_LOSS", "{i}\t10:00:00\t0.1\t{x}"), "TRAIN_LOSS"),
    "sb3": ("progress.csv", csv("rollout/ep_rew_mean,time/total_timesteps,train/loss,train/value_loss", "{i},{i},{x},{x}"), "train/loss"),
    "llama-factory": ("trainer_log.jsonl", "".join(json.dumps({"current_steps": i + 1, "total_steps": 30, "loss": x, "lr": 1e-5, "elapsed_time": "0:32:48"}) + "\n" for i, x in enumerate(VALUES)), "loss"),
    "ms-swift": ("logging.jsonl", "".join(json.dumps({"loss": x, "global_step/max_steps": f"{i + 1}/30", "percentage": "27.8%"}) + "\n" for i, x in enumerate(VALUES)), "loss"),
    "detr": ("log.txt", "".join(json.dumps({"train_lr": 1e-4, "train_loss": x, "train_loss_bbox": 1.0, "test_loss": x, "test_stats": [1.0, 2.0], "epoch": i}) + "\n" for i, x in enumerate(VALUES)), "train_loss"),
    "detectron2": ("metrics.json", "".join(json.dumps({"iteration": 20 * i, "total_loss": x, "loss_cls": 0.1, "lr": 0.1}) + "\n" for i, x in enumerate(VALUES)), "total_loss"),
    "wandb": ("wandb-history.jsonl", "".join(json.dumps({"_step": i, "_runtime": 1.5, "train/loss": x, "train/grad_norm": 1.0}) + "\n" for i, x in enumerate(VALUES)), "train/loss"),
    "catboost-table": ("learn_error.tsv", csv("iter\tRMSE", "{i}\t{x}"), "loss"),
    "catboost": ("catboost_training.json", '{\n"meta":{"test_metrics":[{"best_value":"Max","name":"AUC"},{"best_value":"Min","name":"Logloss"}],"learn_metrics":[{"best_value":"Min","name":"Logloss"}]},\n"iterations":[\n' + ",\n".join(json.dumps({"learn": [x], "iteration": i, "passed_time": 0.1, "test": [0.8, x]}) for i, x in enumerate(VALUES)) + "\n]}", "learn loss"),
    "nested": ("run.jsonl", "".join(json.dumps({"step": i, "train": {"loss": x}, "eval": {"loss": x}}) + "\n" for i, x in enumerate(VALUES)), "train/loss"),
    "banner": ("run.jsonl", "Starting run 7\n" + lines({}), "loss"),
    "text-key": ("run.jsonl", lines({"text": "r1"}), "loss"),
    "list-of-records": ("training_loss.json", json.dumps(RECORDS), "loss"),
    "list-of-records-pretty": ("history.json", json.dumps(RECORDS, indent=2), "loss"),
    "lists-by-name": ("history.json", json.dumps({"seed": 1, "lr": 0.1, "loss": VALUES, "val_loss": VALUES}), "loss"),
    "lists-by-name-pretty": ("history.json", json.dumps({"seed": 1, "loss": VALUES, "val_loss": VALUES}, indent=2), "loss"),
    "pandas": ("history.json", json.dumps({"loss": {str(i): x for i, x in enumerate(VALUES)}}), "loss"),
    "history-inside": ("history.json", json.dumps({"model": "a", "history": {"loss": VALUES, "lr": VALUES}}), "loss"),
    "state": ("trainer_state.json", makers.trainer_state(VALUES).decode(), "loss"),
}  # fmt: skip


def target_of(work: Path, name: str, content: bytes, settings: Settings = Settings()) -> RunLog:  # noqa: B008 - frozen
    (work / name).write_bytes(content)
    (target,) = find(["."], settings)
    return read(target, settings, ())


def judged(work: Path, name: str, content: bytes) -> TargetReport:
    (work / name).write_bytes(content)
    (report,) = check(find(["."], Settings()), Settings()).targets
    return report


@pytest.mark.parametrize(("name", "content", "loss"), FORMATS.values(), ids=FORMATS)
def test_the_loss_of_each_format_is_found(work: Path, name: str, content: str, loss: str) -> None:
    run = target_of(work, name, content.encode())
    assert run.loss is not None
    assert "+".join(run.loss_columns) == loss
    parts = len(run.loss_columns)
    assert list(run.loss.values) == pytest.approx([parts * x for x in VALUES])
    assert not run.reading.damage
    assert run.reading.cut is None
    text = content.split("\n")
    if len(run.loss_columns) == 1:
        shown = [text[place - 1] for place in run.loss.places]
        inside = [repr(x) in line for x, line in zip(VALUES, shown, strict=True)]
        assert all(inside) or name == "history.json" or "{" in shown[0]


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: ("caf\xe9 " + text).encode("latin-1") if text.startswith("epoch ") else text.encode("latin-1"),
    ],
    ids=["utf-16", "utf-16-le without a mark", "bom", "crlf", "latin-1"],
)
@pytest.mark.parametrize("form", ["keras", "list-of-records-pretty", "llama-factory", "state", "console"])
def test_encodings_and_line_ends_change_nothing(work: Path, form: str, encode: Callable[[str], bytes]) -> None:
    console = ("train.log", "".join(f"epoch {i} loss: {x}\n" for i, x in enumerate(VALUES)), "loss")
    name, content, _ = console if form == "console" else FORMATS[form]
    run = target_of(work, name, encode(content))
    assert run.loss is not None
    assert list(run.loss.values) == pytest.approx(VALUES)


@pytest.mark.parametrize(("name", "content", "loss"), FORMATS.values(), ids=FORMATS)
def test_a_cut_file_is_never_a_failure_of_the_run(work: Path, name: str, content: str, loss: str) -> None:
    data = content.encode()
    for size in range(0, len(data), max(1, len(data) // 40)):
        (work / name).write_bytes(data[:size])
        report = check(find([name], Settings(), "run"), Settings())
        assert report.verdict is not Severity.FAIL, (size, list(report.findings))


def test_bare_nan_is_found_at_its_line(work: Path) -> None:
    report = judged(work, "trainer_state.json", makers.trainer_state([*VALUES[:20], *[float("nan")] * 10]))
    (finding,) = (one for one in report.findings if one.rule == "TP-NAN")
    assert finding.location.line == 24
    assert finding.location.step == 210


def test_the_columns_are_listed_with_the_closest(work: Path) -> None:
    report = judged(work, "results.csv", csv("epoch,train/metric_7,lr/pg0", "{i},{x},0.1").encode())
    (finding,) = report.findings
    assert finding.rule == "TP-RUN-NO-LOSS"
    assert "train/metric_7" in finding.message


def test_a_loss_key_names_the_loss(work: Path) -> None:
    content = csv("epoch,train/metric_7,lr/pg0", "{i},{x},0.1").encode()
    for settings in (
        Settings(loss_key="train/metric_7"),
        Settings(runs=(RunOptions("*.csv", loss_key="train/metric_7"),)),
    ):
        run = target_of(work, "results.csv", content, settings)
        assert run.loss is not None
        assert list(run.loss.values) == pytest.approx(VALUES)


def test_the_sum_of_parts_is_said(work: Path) -> None:
    run = target_of(work, *(FORMATS["ultralytics"][0], FORMATS["ultralytics"][1].encode()))
    assert any("sum of 2 columns: train/box_loss, train/cls_loss" in note for note in run.notes)


def test_two_writers_are_put_in_step_order(work: Path) -> None:
    rows = [json.dumps({"step": s, "loss": x, "lr": 0.1}) for i, x in enumerate(VALUES) for s in (i + 1, max(i, 1))]
    run = target_of(work, "trainer_log.jsonl", "\n".join(rows).encode())
    assert run.loss is not None
    assert run.loss.size == 60
    assert list(run.loss.steps) == sorted(run.loss.steps)


def test_the_lowest_rank_of_several_is_judged(work: Path) -> None:
    rows = [
        json.dumps({"step": i, "rank": r, "loss": x if r == 0 else 9.0}) for i, x in enumerate(VALUES) for r in (1, 0)
    ]
    run = target_of(work, "train.jsonl", "\n".join(rows).encode())
    assert run.loss is not None
    assert list(run.loss.values) == pytest.approx(VALUES)


def test_one_dataset_is_no_log(work: Path) -> None:
    (work / "train.jsonl").write_text('{"prompt": "a", "completion": "b", "loss": 2.0}\n' * 20)
    assert [target.kind for target in find(["."], Settings())] == ["dataset"]


@pytest.mark.parametrize(
    "content", [b"", b"   \n", b"\x00\x01\x02" * 99, b"[" * 100_000, b'{"a": ' * 50_000, b"nothing"]
)
def test_what_holds_no_log_is_not_judged(work: Path, content: bytes) -> None:
    (work / "trainer_state.json").write_bytes(content)
    report = check(find(["trainer_state.json"], Settings(), "run"), Settings())
    assert report.verdict is Severity.NOT_CHECKED


def test_numbers_of_thousands_of_digits_are_infinite_not_an_error(work: Path) -> None:
    report = judged(work, "run.jsonl", (lines({}) + '{"step": 31, "loss": ' + "9" * 5000 + "}\n").encode())
    assert "TP-NAN" in {finding.rule for finding in report.findings}


def test_a_boolean_is_no_loss(work: Path) -> None:
    rows = "".join(json.dumps({"step": i, "loss": True, "lr": 0.1}) + "\n" for i in range(30))
    with pytest.raises(Unreadable):
        raise check_shortfall(target_of(work, "train.jsonl", rows.encode()))


def check_shortfall(run: RunLog) -> Unreadable:
    why = run.shortfall(())
    assert why is not None
    return why


def test_a_file_that_the_configuration_names_is_read_as_a_run(work: Path) -> None:
    (work / "curve.csv").write_text(csv("k,gen_objective", "{i},{x}"))
    settings = Settings(runs=(RunOptions("*.csv", loss_key="gen_objective"),))
    (report,) = check(find(["."], settings), settings).targets
    assert report.kind == "run"
    assert report.verdict is Severity.PASS


@pytest.mark.parametrize(
    ("text", "is_log"),
    [
        ('{"lr": 0.001, "batch_size": 8, "epochs": 3}', False),
        ('{"epochs": 3, "seed": 1}', False),
        ('{"epochs": 3, "model": {"loss": "mse"}}', False),
        ('{"step": 100, "loss": 0.5}', True),
        ('{"step": 100, "train": {"loss": 0.5}}', True),
        ('{"lr": 0.001, "epoch": 1}\n{"lr": 0.001, "epoch": 2}', True),
    ],
)
def test_one_object_on_one_line_without_a_loss_is_a_configuration(work: Path, text: str, is_log: bool) -> None:
    (work / "args.json").write_text(text + "\n")
    assert (recognise(Head.of("args.json")) is not None) == is_log


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.jsonl", "".join(f'{{"type": "train", "step": {i}, "loss": {x}}}\n{{"type": "eval", "step": {i}, "loss": {x + 1}}}\n' for i, x in enumerate(VALUES))),
        ("training.csv", "epoch,phase,loss\n" + "".join(f"{i},train,{x}\n{i},val,{x + 1}\n" for i, x in enumerate(VALUES))),
        ("training_history.json", json.dumps({"train": [{"epoch": i, "loss": x} for i, x in enumerate(VALUES)], "val": [{"epoch": i, "loss": x + 1} for i, x in enumerate(VALUES)]})),
        ("training_log.json", json.dumps({f"{i}": {"loss": x, "val_loss": x + 1} for i, x in enumerate(VALUES)})),
        ("training_log.json", json.dumps({f"epoch_{i}": {"loss": x, "val_loss": x + 1} for i, x in enumerate(VALUES)}, indent=2)),
    ],
)  # fmt: skip
def test_the_loss_of_an_evaluation_stands_apart(work: Path, name: str, content: str) -> None:
    run = target_of(work, name, content.encode())
    assert run.loss is not None
    (evals,) = run.evals
    assert list(run.loss.values) == VALUES
    assert list(evals.values) == pytest.approx([x + 1 for x in VALUES])
    assert list(run.loss.steps) == list(evals.steps) == list(range(30))


@pytest.mark.parametrize("text", ["\u0131nf", "\u0130nf", "\u0660.\u0665", "\u30000.5", "1_0", ""])
def test_only_ascii_writes_a_number(text: str) -> None:
    assert number(text) is None
