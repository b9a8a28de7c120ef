"""Console text in forty forms: every loss is read, at its line, and a NaN is found where it stands."""

from pathlib import Path

import pytest
from console_logs import FORMS, Form, losses, text

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Severity, TargetReport
from trainproof_ci.readers.run import read
from trainproof_ci.readers.run.facts import RunLog

forms = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)


def run_of(work: Path, name: str, content: str) -> RunLog:
    (work / name).write_text(content, encoding="utf-8", newline="")
    (target,) = find(["."], Settings())
    assert target.kind == "run"
    return read(target, Settings(), ())


def judged(work: Path, name: str, content: str) -> TargetReport:
    (work / name).write_text(content, encoding="utf-8", newline="")
    (report,) = check(find(["."], Settings()), Settings()).targets
    return report


@forms
def test_every_loss_is_read_at_its_line(work: Path, form: Form) -> None:
    run = run_of(work, form.name, text(form, losses()))
    assert run.loss is not None
    assert run.loss.size == 60
    assert run.segments == 1
    assert list(run.loss.steps) == sorted(run.loss.steps)
    height = form.line(0, 1.0, 1.0).count("\n")
    first = form.before.count("\n") + form.loss_line
    at = range(first, first + 60 * height, height) if form.name != "output.log" or height == 1 else run.loss.places
    assert list(run.loss.places) == list(at)
    if len(run.loss_columns) == 1:
        assert list(run.loss.values) == pytest.approx(losses())


@forms
def test_a_healthy_run_passes_and_a_nan_is_found(work: Path, form: Form) -> None:
    healthy = judged(work, form.name, text(form, losses()))
    assert healthy.verdict is Severity.PASS, healthy.findings
    broken = judged(work, form.name, text(form, [*losses()[:40], *[float("nan")] * 20]))
    assert "TP-NAN" in {finding.rule for finding in broken.findings}


def test_a_banner_and_ansi_colours_change_nothing(work: Path) -> None:
    banner = "\x1b[1m*** welcome ***\x1b[0m\nlr: 0.1 is the base\n"
    run = run_of(work, "train.log", banner + text(FORMS["colon"], losses()))
    assert run.loss is not None
    assert run.loss.size == 60
    assert run.loss.places[0] == 3


def test_a_loss_scale_is_no_loss(work: Path) -> None:
    line = "[INFO] [loss_scaler.py:190] OVERFLOW! Attempted loss scale: 65536, reducing to 32768\n"
    report = judged(work, "train.log", line * 20)
    assert report.verdict is Severity.NOT_CHECKED


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("build.log", "compiling 12 files\nTraceback (most recent call last):\nValueError: no\n"),
        ("README.txt", "The loss is 0.5 after training.\nSee epoch 1 loss: 0.4\n" + "More words.\n" * 30),
        ("requirements.txt", "torch==2.3\nnumpy==1.26\n"),
        ("train.txt", "images/1.png\nimages/2.png\n" * 20),
        ("server.out", "GET /loss 200 12ms\n" * 50),
        ("sensors.csv", "timestamp,value\n1,2.0\n2,3.0\n"),
        ("package.json", '{"name": "loss", "version": "1.0"}'),
    ],
)
def test_what_is_no_training_log_is_no_target(work: Path, name: str, content: str) -> None:
    (work / name).write_text(content, encoding="utf-8")
    assert not [target for target in find(["."], Settings()) if target.kind == "run"]


def test_an_epoch_counter_that_begins_anew_is_one_run(work: Path) -> None:
    lines = "".join(
        f"(epoch: {e}, iters: {i * 100}) loss: {9 - e - i / 10}\n" for e in range(1, 6) for i in range(1, 7)
    )
    run = run_of(work, "loss_log.txt", lines)
    assert run.segments == 1
    assert run.loss is not None
    assert run.loss.size == 30


def test_a_resume_is_said_and_the_last_segment_judged(work: Path) -> None:
    first = "".join(f"step {i} loss {9 - i / 10}\n" for i in range(40))
    second = "".join(f"step {i} loss {7 - i / 10}\n" for i in range(20, 60))
    run = run_of(work, "train.log", first + second)
    assert run.segments == 2
    assert run.loss is not None
    assert run.loss.places[0] == 41
    assert any("goes back" in note for note in run.notes)


def test_carriage_returns_share_the_line_they_overwrite(work: Path) -> None:
    bars = "\r".join(f"{i}%|# | {i}/60 [00:01<00:10, loss={value}]" for i, value in enumerate(losses()))
    run = run_of(work, "train.log", "first line\n" + bars + "\n")
    assert run.loss is not None
    assert set(run.loss.places) == {2}
    assert run.loss.size == 60


def test_a_line_of_megabytes_is_bounded(work: Path) -> None:
    run = run_of(work, "train.log", text(FORMS["colon"], losses()) + "\x1b[" * 500_000)
    assert run.loss is not None
    assert run.loss.size == 60


def test_a_network_against_another_is_judged_by_the_sum_of_its_parts(work: Path) -> None:
    line = "(epoch: {e}, iters: {i}, time: 0.1, data: 0.2) D_A: 0.25 G_A: {g} cycle_A: 1.5 idt_A: 0.7 \n"
    lines = [line.format(e=i // 20 + 1, i=100 * (i % 20 + 1), g=0.3 + 0.01 * (i % 5)) for i in range(60)]
    healthy = judged(work, "loss_log.txt", "".join(lines))
    assert [finding.rule for finding in healthy.findings] == ["TP-RUN-OBJECTIVE"]
    broken = judged(work, "loss_log.txt", "".join([*lines, line.format(e=4, i=100, g="nan") * 9]))
    assert "TP-NAN" in {finding.rule for finding in broken.findings}


def test_a_score_that_rises_is_no_loss(work: Path) -> None:
    lines = [
        f"{i}:\tlearn: {0.5 + i / 200}\ttest: {0.5 + i / 250}\tbest: {0.5 + i / 250} ({i})\ttotal: 1ms\tremaining: 2s\n"
        for i in range(60)
    ]
    assert [finding.rule for finding in judged(work, "train.log", "".join(lines)).findings] == ["TP-RUN-NO-LOSS"]


def test_losses_of_two_networks_are_two_columns(work: Path) -> None:
    lines = [
        f"[Epoch 0/10] [Batch {i}/1000] [D loss: {0.5 + i % 3 / 10}] [G loss: {1.5 - i % 5 / 10}]\n" for i in range(60)
    ]
    run = run_of(work, "train.log", "".join(lines))
    assert (run.loss_columns, run.objective) == (("D loss", "G loss"), "adversarial")


def test_losses_on_lines_of_their_own_are_columns_of_their_own(work: Path) -> None:
    lines = [f"step {i}\nStyle loss: {900 - i}\nContent loss: {5 - i / 30:.3f}\n" for i in range(60)]
    assert run_of(work, "train.log", "".join(lines)).loss_columns == ("Style loss", "Content loss")
