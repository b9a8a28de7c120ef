"""What looks like one thing and is another: losses that are none, runs that are several, footers that are errors."""

import json
from pathlib import Path

import pytest
from test_console_names import EPOCHS, FALLING, RISING, lines
from test_text_formats import judged, target_of

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.model import Severity


def rules(work: Path, name: str, content: str) -> set[str]:
    return {finding.rule for finding in judged(work, name, content.encode()).findings}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("loss_weights.json", json.dumps([1.0] * 20)), ("packet_loss.csv", "packet_loss\n" + "0\n" * 40),
        ("stop_loss.csv", lines("{r}\n")), ("hearing_loss.json", json.dumps(RISING)),
        ("loss_scales.json", json.dumps({"train": [65536] * 20})), ("losses.json", json.dumps({"train": ["a.png"], "val": ["b.png"]})),
    ],
)  # fmt: skip
def test_a_word_beside_loss_in_a_name_is_about_something_else(work: Path, name: str, content: str) -> None:
    (work / name).write_text(content)
    assert not [target for target in find(["."], Settings()) if target.kind == "run"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("val_losses.json", json.dumps(RISING)), ("eval_loss.txt", lines("{r}\n")),
        ("val_loss_history.csv", lines("{r}\n")), ("val_loss.csv", "loss\n" + lines("{r}\n")),
    ],
)  # fmt: skip
def test_evaluations_alone_are_no_training(work: Path, name: str, content: str) -> None:
    assert judged(work, name, content.encode()).verdict is not Severity.FAIL


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("metrics.csv", "_step,run_name,train_loss,val_loss"), ("run_model2.csv", "trainer/global_step,model,loss,lr"),
        ("train_log.csv", "steps,model,loss,lr"), ("training_log.csv", "time,seed,train_loss,val_loss"),
        ("train_sweep_log.csv", "_step,other,loss,lr"), ("losses.csv", "epoch,other,final_loss,lr"),
    ],
)  # fmt: skip
def test_a_log_of_one_run_that_names_its_model_is_one(work: Path, name: str, header: str) -> None:
    assert "TP-DIVERGE" in rules(work, name, f"{header}\n" + lines("{e},7,{r},0.1\n"))


@pytest.mark.parametrize(
    "record",
    [
        {"losses": 0.0, "winrate": 0.5}, {"policy": 1, "train_losses": 0.0, "wins": 3}, {"value_losses": 0.0, "wins": 3, "draws": 1},
    ],
)  # fmt: skip
def test_losses_of_a_network_that_plays_are_losses(work: Path, record: dict[str, float]) -> None:
    rows = [{"step": e, **{k: RISING[e] if v == 0.0 else v for k, v in record.items()}} for e in range(EPOCHS)]
    run = target_of(work, "train_log.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())
    assert run.loss is not None


def test_a_key_is_taken_as_it_is_written_before_anything_else(work: Path) -> None:
    content = "step,mse loss,mse\n" + lines("{e},{f},{r}\n")
    run = target_of(work, "train_log.csv", content.encode(), Settings(loss_key="mse"))
    assert run.loss_columns == ("mse",)


def test_a_run_that_is_resumed_again_and_again_is_one(work: Path) -> None:
    epochs = [epoch for part in range(6) for epoch in range(part * 6, part * 6 + 8)]
    content = "epoch,loss\n" + "".join(f"{epoch},{3 * 0.95**epoch:.4f}\n" for epoch in epochs)
    assert rules(work, "train_log.csv", content) == set()


def test_a_spike_to_a_loss_that_matters_is_told_however_high_it_began(work: Path) -> None:
    values = [5000 * 0.5**e + 0.1 for e in range(60)]
    values[50] = 50.0
    assert "TP-LOSS-SPIKE" in rules(
        work, "train_log.csv", "step,loss\n" + "".join(f"{e},{x:.5f}\n" for e, x in enumerate(values))
    )


def test_critics_with_numbers_are_no_quarters(work: Path) -> None:
    content = "step,loss_q1,loss_q2,loss\n" + lines("{e},{r},{r},{r}\n")
    assert target_of(work, "progress.csv", content.encode()).objective == "reinforcement"


def test_an_exit_code_is_no_reward(work: Path) -> None:
    assert "TP-DIVERGE" in rules(work, "train.log", lines("step {e} loss: {r}\nexit return 0\n"))


@pytest.mark.parametrize("heading", ["Val set", "Validation set:", "Evaluating on the validation set"])
def test_a_set_that_is_evaluated_on_begins_a_phase(work: Path, heading: str) -> None:
    form = f"Epoch {{e}}\nTrain set\nloss: {{f}}\n{heading}\nloss: {{r}}\n"
    assert rules(work, "train.log", lines(form)) == {"TP-OVERFIT"}


def test_an_override_that_is_ignored_stops_nothing(work: Path) -> None:
    text = lines("epoch {e} loss: {f}\n") + "WARNING: ignoring invalid config override foo=1, it is the default\n"
    assert rules(work, "train.log", text) == set()


@pytest.mark.parametrize(
    ("header", "row", "last"),
    [
        ("time,loss,acc", "10:30:{e},{f},0.5", "10:30"), ("date,loss,acc", "2024-01-01 10:31:{e},{f},0.5", "2024-01-01 10:31:00,3"),
        ("phase,loss,acc", "train,{f},0.5", "trai"), ("phase,loss,acc", "train,{f},0.5", "train,3"),
    ],
)  # fmt: skip
def test_a_row_that_begins_like_the_others_is_cut(work: Path, header: str, row: str, last: str) -> None:
    assert "TP-TRUNCATED" in rules(work, "train_log.csv", f"{header}\n" + lines(f"{row}\n") + last)


def test_an_error_below_a_table_is_no_remark(work: Path) -> None:
    text = "epoch,loss\n" + lines("{e},{f}\n") + "Traceback (most recent call last):\nRuntimeError\n"
    assert judged(work, "train_log.csv", text.encode()).verdict is not Severity.PASS


def test_a_zero_behind_a_nan_is_no_perplexity(work: Path) -> None:
    content = "epoch,loss,val_perplexity\n" + "".join(
        f"{e},{FALLING[e]},{'nan' if e == 0 else 0.0 if e == 4 else 9.5}\n" for e in range(EPOCHS)
    )
    assert "TP-FILE-CRASHED" not in rules(work, "train_log.csv", content)


def objects(values: list[float]) -> list[str]:
    return [json.dumps({"epoch": e, "loss": x}, indent=1) for e, x in enumerate(values)]


def test_of_objects_one_behind_the_other_a_cut_one_costs_only_itself(work: Path) -> None:
    content = "\n".join(objects(FALLING))[:-6]
    run = target_of(work, "loss.json", content.encode())
    assert run.loss is not None
    assert run.loss.size == EPOCHS - 1
    assert "TP-TRUNCATED" in rules(work, "loss.json", content)


def test_what_stands_between_objects_is_damage(work: Path) -> None:
    content = "\n".join([*objects(FALLING), "Done.", *objects(RISING)])
    assert "TP-BAD-RECORD" in rules(work, "loss.json", content)


def test_histories_one_behind_the_other_are_several_runs(work: Path) -> None:
    content = "\n".join(json.dumps({"loss": FALLING[:size]}) for size in (5, 20, 8))
    run = target_of(work, "history.json", content.encode())
    assert run.loss is not None
    assert run.loss.size == 20
