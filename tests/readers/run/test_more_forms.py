"""Forms in which a second look at real repositories found logs: phases, networks against each other, searches, literals."""

import json
from pathlib import Path

import pytest
from test_console_names import EPOCHS, FALLING, RISING, lines
from test_text_formats import judged, target_of

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find


def rules(work: Path, name: str, content: str) -> set[str]:
    return {finding.rule for finding in judged(work, name, content.encode()).findings}


@pytest.mark.parametrize(
    "form",
    [
        "Training - Epoch: {e} Loss: {f}\nValidating - Epoch: {e} Loss: {r}\n",
        "TRAIN - Epoch: {e} Loss: {f}\nEVALUATE - Epoch: {e} Loss: {r}\n",
        "Epoch {e}: train loss {f}, evaluating loss {r}\n",
        "Epoch {e} train set: loss {f}\nEpoch {e} evl set: loss {r}\n",
        "epoch {e} train loss {f}\nepoch {e} valid ppl 4{e}.5\n",
    ],
)
def test_an_evaluation_is_never_taken_for_the_training(work: Path, form: str) -> None:
    run = target_of(work, "train.log", lines(form).encode())
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert run.validation[0].size == EPOCHS
    assert rules(work, "train.log", lines(form)) <= {"TP-OVERFIT"}


@pytest.mark.parametrize("said", ["Loading validation data...", "Reading test data", "val dataset created"])
def test_what_is_said_of_data_begins_no_phase(work: Path, said: str) -> None:
    run = target_of(work, "train.log", (f"{said}\n" + lines("loss: {f}\n")).encode())
    assert run.loss is not None
    assert run.loss.size == EPOCHS


@pytest.mark.parametrize(
    "form",
    [
        "[{e}] loss G : {r} loss D : {f}\n", "epoch {e} lossD: {f}, lossG: {r}\n", "epoch {e} | real_loss: {f} | fake_loss: {r}\n",
        "epoch {e} critic_loss: {f} gen_loss: {r}\n",
    ],
)  # fmt: skip
def test_networks_against_each_other_are_known_by_more_names(work: Path, form: str) -> None:
    assert target_of(work, "train.log", lines(form).encode()).objective == "adversarial"


def test_a_perplexity_is_held_against_itself_as_the_loss_that_it_stands_for(work: Path) -> None:
    assert rules(work, "train.log", lines("epoch {e} train loss {f}\nepoch {e} valid ppl {r}\n")) == {"TP-OVERFIT"}
    slow = "".join(f"epoch {e} train loss {FALLING[e]}\nepoch {e} valid ppl {20 + e / 4}\n" for e in range(EPOCHS))
    assert rules(work, "train.log", slow) == set()


def test_step_times_of_another_run_in_the_file_are_no_cliff(work: Path) -> None:
    one = "".join(f"epoch {e} loss {2.4 * 0.9**e:.4f} time: 11.{e}\n" for e in range(30))
    assert rules(work, "train.log", one + one.replace("time: 1", "time: 110")) == set()


@pytest.mark.parametrize(
    ("form", "size"),
    [
        ("{e} train {f}\n{e} hella 0.25\n", 24), ("05/31 03:17:18 PM train {e} {f} 6.250000 54.687500\n", 24),
        ("05/31 03:17:18 PM train {e} {f} 6.250000 54.687500\n05/31 03:18:18 PM valid {e} {r} 6.250000 54.687500\n", 24),
    ],
)  # fmt: skip
def test_lines_of_trainers_that_name_no_loss(work: Path, form: str, size: int) -> None:
    run = target_of(work, "log/log.txt", lines(form).encode()) if (work / "log").mkdir() is None else None
    assert run is not None
    assert run.loss is not None
    assert list(run.loss.values) == FALLING[:size]
    assert list(run.loss.steps) == list(range(size))


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("results.csv", "trial,lr,train_loss,val_loss"), ("grid_search_results.csv", "learning_rate,batch_size,loss,accuracy"),
        ("model_comparison.csv", "model,train_loss,val_loss,val_acc"), ("lr_finder.csv", "lr,other,loss,smooth_loss"),
        ("fold_results.csv", "fold,n,train_loss,val_loss"),
    ],
)  # fmt: skip
def test_a_table_of_many_trainings_is_no_course_of_one(work: Path, name: str, header: str) -> None:
    (work / name).write_text(f"{header}\n" + lines("{e},0.1,{r},{r}\n"))
    assert find(["."], Settings())[0].format == "missing"


def test_an_underscore_is_no_part_of_a_number_but_between_thousands(work: Path) -> None:
    assert "TP-DIVERGE" not in rules(work, "train_loss.txt", lines("{e}_{f}\n"))
    (work / "train_loss.txt").unlink()
    run = target_of(work, "loss.csv", ("step,loss\n" + lines("{e}_000,{f}\n")).encode())
    assert run.loss is not None
    assert list(run.loss.steps) == [1000 * epoch for epoch in range(EPOCHS)]


@pytest.mark.parametrize("blank", ["0.000000", "-1"])
def test_what_stands_for_no_evaluation_is_none(work: Path, blank: str) -> None:
    content = "step,loss,val_loss\n" + "".join(
        f"{e},{FALLING[e]},{RISING[e] if e % 4 == 0 else blank}\n" for e in range(EPOCHS)
    )
    run = target_of(work, "loss_log.csv", content.encode())
    assert [one.size for one in run.validation] == [6]
    assert rules(work, "loss_log.csv", content) == {"TP-OVERFIT"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train_loss.txt", str([*FALLING[:-3], *[float("nan")] * 3])),
        ("history.txt", str({"loss": [*FALLING[:-3], *[float("nan")] * 3], "lr": [None] * EPOCHS})),
        ("loss.txt", str([*map(str, FALLING[:-3]), "nan", "nan", "nan"])),
        ("loss.json", "".join(json.dumps({"epoch": e, "loss": x if e < 21 else float("nan")}, indent=1) for e, x in enumerate(FALLING))),
    ],
)  # fmt: skip
def test_what_python_prints_is_read_and_its_nan_found(work: Path, name: str, content: str) -> None:
    run = target_of(work, name, content.encode())
    assert run.loss is not None
    assert run.loss.size == EPOCHS
    assert rules(work, name, content) == {"TP-NAN"}


def test_a_table_in_another_language(work: Path) -> None:
    content = "轮次,训练损失,验证损失\n" + lines("{e},{f},{f}\n")
    report = judged(work, "loss.csv", content.encode())
    assert report.verdict.value == "PASS"
    assert report.facts["loss"] == "train loss"
    assert report.facts["evaluations"] == EPOCHS
