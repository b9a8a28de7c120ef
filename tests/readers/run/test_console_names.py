"""What a number in console text is called, where trainers say it in words of their own."""

from pathlib import Path

import pytest
from test_console import judged, run_of

EPOCHS = 24
FALLING = [round(2.4 * 0.9**epoch, 4) for epoch in range(EPOCHS)]
RISING = [round(1.1 + 0.1 * epoch, 4) for epoch in range(EPOCHS)]


def lines(form: str) -> str:
    """A line, or several, for each epoch: `{e}` counts them, `{f}` falls and `{r}` rises."""
    return "".join(form.format(e=e, f=FALLING[e], r=RISING[e]) for e in range(EPOCHS))


@pytest.mark.parametrize(
    ("form", "loss", "evaluation"),
    [
        ("Epoch[{e}] Train-cross-entropy={f}\nEpoch[{e}] Time cost=14{e}.5\n", "Train-cross-entropy", None),
        ("epoch:{e} || Loss:{f}\n->> first conf loss:{r} || first loc loss:{r}\n", "Loss", None),
        ("** epoch {e} **\ntrain_mean loss: {f}\ntest_mean loss: {r}\n", "train_mean loss", "test_mean loss"),
        ("epoch {e}, the avg loss so far is {f}\n", "avg loss", None),
        ("12:00:01 INFO ScoreIterationListener - Score at iteration {e} is {f}\n", "score loss", None),
        ("epoch {e}: T_Loss {f} | V_Loss {r}\n", "T_Loss", "V_Loss"),
    ],
)
def test_a_loss_in_the_words_of_its_trainer(work: Path, form: str, loss: str, evaluation: str | None) -> None:
    run = run_of(work, "train.log", lines(form))
    assert run.loss is not None
    assert run.loss_columns == (loss,)
    assert list(run.loss.values) == FALLING
    assert run.segments == 1
    assert [one.name for one in run.evals] == ([evaluation] if evaluation else [])


@pytest.mark.parametrize(
    "form",
    [
        "Epoch: [{e}][  0/300]\tTime 0.3 (0.3)\tLoss {f} ({f})\nTest: [ 0/79]\tLoss {r} (1.6)\nTest: [10/79]\tLoss {r} (1.6)\n",
        "10:00:00 train.py 210: Train: [{e}/60][0/40] loss {f}\n10:00:00 train.py 211: Test: [0/79] Loss {r}\n10:00:01 train.py 211: Test: [10/79] Loss {r}\n",
        "Train {e}, loss: {f}, train acc: 0.1\nTest {e}, loss: {r}, test acc: 0.2\n", "Train {e}: loss {f}\nVal {e}: loss {r}\n",
        "Train[{e}/60] loss {f}\nValid[{e}/60] loss {r}\n", "Train ({e}) loss {f}\nVal ({e}) loss {r}\n", "TRAIN #{e} loss {f}\nTEST #{e} loss {r}\n",
        "Train | {e} | loss {f}\nVal | {e} | loss {r}\n", "train epoch: {e} loss: {f}\nval epoch: {e} loss: {r}\n", "Epoch {e} loss {f}\nTest batch 3: loss={r}\n",
    ],
)  # fmt: skip
def test_a_phase_that_is_counted_holds_for_the_loss_behind(work: Path, form: str) -> None:
    run = run_of(work, "train.log", lines(form))
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert [sorted(set(one.values)) for one in run.evals] == [RISING]


@pytest.mark.parametrize(
    "form",
    ["Epoch {e} train 0.91 test 0.85 loss {f}\n", "Epoch {e} train 91 test 85 loss {f}\n", "{e} Val: 91.2 loss: {f}\n"],
)
def test_an_accuracy_behind_the_name_of_a_phase_counts_nothing(work: Path, form: str) -> None:
    run = run_of(work, "train.log", lines(form))
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert run.evals == ()


def test_what_a_loss_came_to_counts_and_not_what_it_was(work: Path) -> None:
    run = run_of(
        work,
        "train.log",
        lines(
            "[{e}00/2400] batch loss : {f} | time : 4.80s\n[{e}00/2400] mean test loss : {f} -> {r} by 1 grad steps\n"
        ),
    )
    assert [list(one.values) for one in run.evals] == [RISING]


@pytest.mark.parametrize(
    "form", ["E{e:3}/500 | loss: {f}\n", "    Train Epoch {e}/40: 100%|##| 391/391 [01:14<00:00, Train Loss={f}]\n"]
)
def test_the_epoch_of_a_line_tells_the_points_apart(work: Path, form: str) -> None:
    text = "".join(form.format(e=80 + e, f=loss) for e, loss in enumerate(FALLING))
    run = run_of(work, "train.log", text)
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert len(set(run.loss.steps)) == EPOCHS
    assert run.segments == 1


def test_the_time_that_an_epoch_costs_is_no_loss(work: Path) -> None:
    report = judged(work, "train.log", lines("Epoch[{e}] Train-accuracy=0.{e}\nEpoch[{e}] Time cost=1{e}.25\n"))
    assert [finding.rule for finding in report.findings] == ["TP-RUN-NO-LOSS"]


def test_a_step_of_two_words_and_a_share_that_is_none(work: Path) -> None:
    form = "Global Step: {e}00, loss: {f}\nAccuracy on the test set: 10.40% (1040 / 10000)\n"
    run = run_of(work, "train.log", lines(form))
    assert run.loss is not None
    assert list(run.loss.steps) == [100 * epoch for epoch in range(EPOCHS)]


@pytest.mark.parametrize(
    ("form", "objective"),
    [
        ("update {e} | pg_loss {f} | v_loss {r} | mean_ep_rew  {r}\n", "reinforcement"),
        ("epoch {e} loss {f} epsilon: {r}\n", "reinforcement"),
        ("Iteration [{e}/60], D/loss_real: {f}, G/loss_fake: {r}\n", "adversarial"),
        ("Iter {e} D/loss: {f} G/loss: {r}\n", "adversarial"),
        ("[{e}/40] Loss_netD: {f} Loss_netG: {r}\n", "adversarial"),
        ("epoch {e} loss {f} D/loss {f} depth/loss {f}\n", None),
        ("epoch {e} recon loss: {f} dis real1 loss: {r}, dis fake loss: {f}\n", "adversarial"),
        ("epoch {e} loss: {f} D/lr: 0.1\n", None),
        ("epoch {e} loss {f} epsilon: 0.1\n", None),
        ("epoch {e} avg_loss: {f} avg_loss_reward: {r}\n", None),
        ("epoch {e} loss: {f} episodes: 50\n", None),
    ],
)
def test_what_the_loss_is_for(work: Path, form: str, objective: str | None) -> None:
    assert run_of(work, "train.log", lines(form)).objective == objective


def test_the_loss_of_a_value_function_is_one(work: Path) -> None:
    rows = "".join(
        f"Learning iteration {e}/24\nValue function loss: {'nan' if e > 15 else FALLING[e]}\nSurrogate loss: 0.0000\nMean reward: 2.0\n"
        for e in range(EPOCHS)
    )
    assert "TP-NAN" in [finding.rule for finding in judged(work, "train.log", rows).findings]


def test_a_reward_without_a_colon_is_read(work: Path) -> None:
    assert judged(work, "train.log", lines("update {e} | pg_loss {r} | mean_ep_rew  {r}\n")).verdict.value == "PASS"


@pytest.mark.parametrize("runs", [2, 3, 5])
def test_runs_in_one_file_are_never_held_against_each_other(work: Path, runs: int) -> None:
    one = "".join(f"Epoch {epoch}/12 loss: {2.4 * 0.9**epoch:.4f}\n" for epoch in range(1, 13))
    run = run_of(work, "train.log", one * runs)
    assert run.loss is not None
    assert run.segments == runs
    assert run.loss.size == 12
    assert run.loss.places[0] == 12 * (runs - 1) + 1


def test_a_last_run_that_has_only_begun_leaves_the_one_before_it_to_judge(work: Path) -> None:
    one = [f"Epoch {epoch}/12 loss: {2.4 * 0.9**epoch:.4f}\n" for epoch in range(1, 13)]
    run = run_of(work, "train.log", "".join(one + one[:2]))
    assert run.loss is not None
    assert run.loss.size == 12
    assert any("long enough" in note for note in run.notes)


@pytest.mark.parametrize(
    "form",
    [
        "Epoch {e} loss: {f}\nLoss on validation set: {r}\n", "Epoch {e} loss: {f}\nloss in validation: {r}\n", "Epoch {e} loss: {f}\nLoss (val): {r}\n",
        "Epoch {e} Loss (train): {f} Loss (test): {r}\n", "Epoch {e} train/val loss: {f}/{r}\n", "Epoch {e} loss (train/val): {f} / {r}\n", "Epoch {e}: loss train/val: {f}/{r}\n",
        "Epoch 1 | iter {e} step {e} | loss train: {f}, val: {r} | iter time: 250.12 ms (step)\n", "Epoch {e} loss: train={f} valid={r}\n",
        "Epoch {e} loss: {f}\nheld-out loss {r}\n", "Epoch {e} tr_loss: {f} cv_loss: {r}\n", "Epoch {e} loss: {f}\ninference loss: {r}\n",
        "Epoch {e} tr_loss {f} va_loss {r}\n", "Epoch {e} tr_loss {f} te_loss {r}\n",
        "Epoch {e} 训练损失\uff1a{f} 验证集损失\uff1a{r}\n", "Epoch {e} loss: {f}\n验证 loss: {r}\n", "Epoch {e} loss: {f}\n検証 loss: {r}\n",
        "Epoch {e} 손실: {f}\n검증 손실: {r}\n", "Epoch {e}: Pérdida: {f}\nPérdida de validación: {r}\n", "Epoch {e} loss: {f}\nLoss de validação: {r}\n",
        "Epoch {e} perte: {f}\nLoss de validation : {r}\n", "Epoch {e} Verlust: {f} Validierungsverlust: {r}\n", "Epoch {e}: train 損失: {f} val 損失: {r}\n",
        "Epoch {e} Verlust: {f}\n Потери на валидации: {r}\n",
    ],
)  # fmt: skip
def test_an_evaluation_in_other_words(work: Path, form: str) -> None:
    run = run_of(work, "train.log", lines(form))
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert [list(one.values) for one in run.evals] == [RISING]


@pytest.mark.parametrize(
    "form",
    [
        "Epoch {e}, loss: {f}, Train: 0.91, Valid: 0.85, Test: {r}\n", "Epoch {e} loss: {f}\nmeilleure perte: {r}\n", "Epoch {e} loss: {f} vloss: {r}\n",
        "Epoch {e} loss: {f} te_loss: {r}\n", "Epoch {e} loss: {f} loss_cv: {r}\n", "Epoch {e} loss: {f}\naccuracy, loss on validation set: {r} 0.3\n", "Epoch {e} loss: {f}\n最佳验证损失: {r}\n",
        "Epoch {e} loss: {f}\n损失函数: {r}\n", "Epoch {e} loss: {f}\nfine-tune value: {r}\n",
    ],
)  # fmt: skip
def test_what_may_be_no_evaluation_is_none(work: Path, form: str) -> None:
    run = run_of(work, "train.log", lines(form))
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert run.evals == ()


def test_a_loss_announced_before_the_epoch_and_the_step_that_it_is_of(work: Path) -> None:
    run = run_of(work, "train.log", lines("loss in epoch 1 iteration {e}: {f}\n"))
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert list(run.loss.steps) == list(range(EPOCHS))


MATLAB = """\
|======================================================================================================================|
|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Validation  |  Mini-batch  |  Validation  |  Base Learning  |
|         |             |   (hh:mm:ss)   |   Accuracy   |   Accuracy   |     Loss     |     Loss     |      Rate       |
|======================================================================================================================|
"""


def test_the_table_of_matlab(work: Path) -> None:
    row = "|       1 |          {e} |       00:00:01 |       12.50% |       10.00% |       {f} |       {r} |          0.0100 |\n"
    run = run_of(work, "train.log", f"Training on single CPU.\n{MATLAB}{lines(row)}")
    assert run.loss is not None
    assert list(run.loss.values) == FALLING
    assert list(run.loss.steps) == list(range(EPOCHS))
    assert [list(one.values) for one in run.evals] == [RISING]
    assert [one.name for one in run.rates] == ["Learning Rate"]


def test_a_binary_cross_entropy_is_a_loss_and_its_weight_none(work: Path) -> None:
    run = run_of(work, "train.log", "bce_weight=0.5\n" + lines("[{e}] bce={f} dice=0.4 val_bce={r}\n"))
    assert run.loss is not None
    assert run.loss_columns == ("bce",)
    assert list(run.loss.values) == FALLING
    assert [list(one.values) for one in run.evals] == [RISING]


def test_blanks_of_any_number_take_no_time(work: Path) -> None:
    """What looks for names in front of a number must not try every blank with every other: this takes minutes then."""
    padded = "".join(
        f"epoch {e} step {e} loss: {FALLING[e % EPOCHS]}\n{'train' + ' ' * 60_000}{e}x 1\n" for e in range(60)
    )
    assert run_of(work, "train.log", padded).loss is not None
