"""Tables and JSON as people commit them beside the usual forms: bare lists, remarks, footers, counts of games."""

import json
from pathlib import Path

import pytest
from console_logs import losses
from test_text_formats import judged, target_of

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.model import Severity

FALLING = losses(30)
RISING = [round(1 + epoch / 10, 2) for epoch in range(30)]


def rows(row: str) -> str:
    return "".join(row.format(i=i, x=x, r=RISING[i]) + "\n" for i, x in enumerate(FALLING))


def listed(key: str, **more: object) -> str:
    return json.dumps([{"epoch": i, key: x, **more} for i, x in enumerate(FALLING)])


READ = {
    "one column": ("train_loss.csv", "train_loss\n" + rows("{x}"), "train_loss", 2),
    "one column without a header": ("loss.txt", rows("{x}"), "loss", 1),
    "remarks above": ("training_metrics.csv", "# a network\n# of 12 layers\n\nEpoch,Accuracy,Loss\n" + rows("{i},0.5,{x}"), "Loss", 5),
    "a header that is a remark": ("loss.csv", "#epoch,loss\n" + rows("{i},{x}"), "loss", 2),
    "a curve of TensorBoard": ("train_loss.csv", "Step,Value\n" + rows("{i},{x}"), "loss", 2),
    "a column of pandas": ("loss.csv", ",0\n" + rows("{i},{x}"), "loss", 2),
    "remarks below": ("losses.csv", "epoch,loss,time\n" + rows("{i},{x},3.5") + "f1 on the test set: 0.78\n", "loss", 2),
    "printed tensors": ("losses.csv", "epoch,train_loss\n" + rows("{i},\"tensor({x}, device='cuda:0', grad_fn=<AddBackward0>)\""), "train_loss", 2),
    "YOLOv10": ("results.csv", "epoch,train/box_om,train/box_oo\n" + rows("{i},{x},{x}"), "train/box_om+train/box_oo", 2),
    "quarters of the timesteps": ("progress.csv", "step,loss,loss_q0,loss_q3\n" + rows("{i},{x},{x},{x}"), "loss", 2),
    "a predicted reward": ("training_history.csv", "epoch,loss,reward_precision,reward_rate\n" + rows("{i},{x},0.5,{i}"), "loss", 2),
    "a bare list": ("loss_history.json", json.dumps(FALLING), "loss", 1),
    "lists by phase": ("losses.json", json.dumps({"train": FALLING, "val": FALLING}), "train loss", 1),
    "records by phase": ("history.json", json.dumps({"train": [{"loss": x} for x in FALLING], "val": [{"loss": x} for x in FALLING]}), "loss", 1),
    "values under a loss": ("logs.json", json.dumps({"epoch_loss": [{"epoch": i, "value": x} for i, x in enumerate(FALLING)]}), "epoch_loss", 1),
    "records inside records": ("training_log.json", json.dumps([{"epoch": i, "wins": i, "losses": 40 - i, "updates": [{"total_loss": x}]} for i, x in enumerate(FALLING)]), "updates/total_loss", 1),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content", "loss", "line"), READ.values(), ids=READ)
def test_the_loss_is_found_at_its_line(work: Path, name: str, content: str, loss: str, line: int) -> None:
    run = target_of(work, name, content.encode())
    assert run.loss is not None
    assert run.loss.name == loss
    assert run.loss.size == 30
    assert run.loss.places[0] == line
    assert run.objective is None
    assert judged(work, name, content.encode()).verdict is Severity.PASS


@pytest.mark.parametrize(("name", "content", "loss", "line"), READ.values(), ids=READ)
def test_a_nan_is_found_in_it(work: Path, name: str, content: str, loss: str, line: int) -> None:
    broken = content.replace(str(FALLING[-1]), "NaN")
    assert "TP-NAN" in {finding.rule for finding in judged(work, name, broken.encode()).findings}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("training_log.json", json.dumps([{"iteration": i, "wins": 50 - i, "losses": r} for i, r in enumerate(RISING)])),
        ("losses.csv", "trial,seed,final_loss,steps\n" + rows("{i},{i},{r},{i}")),
        ("val_loss.csv", "val_loss\n" + rows("{r}")),
        ("losses.csv", "loss_func,width,loss,f1\n" + rows("cross entropy,{i},{r},0.5")),
        ("train_losses.csv", "Name,State,Created,iter,train/loss\n" + rows("run {i},finished,today,500,{r}")),
    ],
)  # fmt: skip
def test_what_is_no_course_of_a_training_loss_is_not_judged(work: Path, name: str, content: str) -> None:
    assert judged(work, name, content.encode()).verdict is Severity.NOT_CHECKED


def test_runs_of_one_table_are_judged_by_the_last(work: Path) -> None:
    table = "model,epoch,loss\n"
    for model, first in (("a", 1.0), ("b", 90.0), ("c", 2.0)):
        table += "".join(f"{model},{epoch},{first * 0.8**epoch:.5f}\n" for epoch in range(6 if model == "b" else 12))
    run = target_of(work, "training_metrics.csv", table.encode())
    assert run.loss is not None
    assert run.segments == 3
    assert run.loss.values[0] == 2.0
    assert judged(work, "training_metrics.csv", table.encode()).verdict is Severity.PASS


def test_of_documents_one_behind_the_other_the_longest_is_judged_and_said(work: Path) -> None:
    content = listed("loss")[:-1].replace(listed("loss")[1:-1], '{"epoch": 0, "loss": 3}') + "]\n" + listed("loss")
    run = target_of(work, "training_log.json", content.encode())
    assert run.loss is not None
    assert run.loss.size == 30
    assert any("2 JSON documents" in note for note in run.notes)


@pytest.mark.parametrize(
    ("last", "rule"),
    [("30,0.2", "TP-TRUNCATED"), ("30,summary,0.2,0.9,1.5", "TP-BAD-RECORD"), ("done, all is well", "TP-BAD-RECORD")],
)
def test_a_last_row_is_cut_only_where_it_begins_like_the_others(work: Path, last: str, rule: str) -> None:
    content = "epoch,loss,accuracy\n" + rows("{i},{x},0.5") + last
    found = {finding.rule for finding in judged(work, "training_log.csv", content.encode()).findings}
    assert found == {rule}


def test_a_step_that_counts_on_is_taken_before_the_length_of_an_episode(work: Path) -> None:
    content = "".join(
        json.dumps({"episode": i, "steps": 200 - i, "avg_loss": x, "reward": i}) + "\n" for i, x in enumerate(FALLING)
    )
    run = target_of(work, "training_log.jsonl", content.encode())
    assert run.loss is not None
    assert list(run.loss.steps) == list(range(30))


def test_a_gradient_norm_before_clipping_is_one(work: Path) -> None:
    content = "".join(
        json.dumps({"step": i, "loss": x, "grad_norm_before_clip": 1.5}) + "\n" for i, x in enumerate(FALLING)
    )
    assert [one.name for one in target_of(work, "train_log.jsonl", content.encode()).gradients] == [
        "grad_norm_before_clip"
    ]


def test_a_folder_with_a_table_of_one_column_of_something_else_is_not_read(work: Path) -> None:
    (work / "values.csv").write_text("value\n" + rows("{x}"))
    assert not [target for target in find(["."], Settings()) if target.kind == "run"]
