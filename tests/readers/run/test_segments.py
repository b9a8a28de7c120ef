"""Where a segment begins, and where only an epoch does."""

from pathlib import Path

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.readers.run import read
from trainproof_ci.readers.run.facts import RunLog

EPOCHS, BATCHES = 4, 12


def read_log(name: str, text: str) -> RunLog:
    Path(name).write_text(text, encoding="utf-8")
    return read(find([name], Settings())[0], Settings(), ())


def bar(epoch: int, batch: int, loss: float, total: int = BATCHES) -> str:
    return f"Epoch {epoch}:  40%|####      | {batch}/{total} [00:00<00:00, 66.95it/s, v_num=0, train_loss={loss:.3f}]\r"


def bars(*, says_the_old_epoch_once_more: bool, last: int = BATCHES) -> str:
    """Bars of some epochs, as Lightning prints them: reset, then renamed; the last epoch may be shorter."""
    text, loss = "", 3.0
    for epoch in range(EPOCHS):
        total = BATCHES if epoch < EPOCHS - 1 else last
        if says_the_old_epoch_once_more and epoch:
            text += bar(epoch - 1, 0, loss)
        for batch in range(total + 1):
            loss *= 0.97
            text += bar(epoch, batch, loss, total)
    return text


def test_bars_that_begin_anew_in_each_epoch_are_one_run(work: Path) -> None:
    assert work.is_dir()
    for again in (False, True):
        for last in (BATCHES, 5):
            run = read_log("train.log", bars(says_the_old_epoch_once_more=again, last=last))
            assert run.loss is not None
            assert run.segments == 1
            assert run.loss.size == (EPOCHS - 1) * (BATCHES + 1 + again) + last + 1
            assert list(run.loss.steps) == sorted(run.loss.steps)


def test_a_run_that_begins_anew_is_another_segment(work: Path) -> None:
    assert work.is_dir()
    again = bars(says_the_old_epoch_once_more=True)
    run = read_log("train.log", again + again)
    assert run.loss is not None
    assert run.segments == 2


def test_parts_of_an_evaluation_that_have_their_gaps_in_different_rows_are_one_loss(work: Path) -> None:
    assert work.is_dir()
    rows = ["epoch,train/box_loss,train/cls_loss,val/box_loss,val/cls_loss"]
    for epoch in range(1, 31):
        evaluated = f"{3 / epoch:.3f}" if epoch % 3 == 0 else "nan"
        rows.append(f"{epoch},{4 / epoch:.3f},{5 / epoch:.3f},{4 / epoch:.3f},{evaluated}")
    run = read_log("results.csv", "\n".join(rows) + "\n")
    assert run.loss is not None
    (validation,) = run.validation
    assert list(validation.steps) == list(range(3, 31, 3))
    assert list(validation.values) == [
        float(f"{4 / epoch:.3f}") + float(f"{3 / epoch:.3f}") for epoch in range(3, 31, 3)
    ]


def test_runs_of_one_table_may_begin_at_different_epochs(work: Path) -> None:
    assert work.is_dir()
    runs = [(1, 1, 3.0), (5, 5, 40.0), (1, 1, 2.5), (10, 10, 2.0)]
    rows = [f"{first + by * row}\t{loss * 0.9**row:.4f}\n" for first, by, loss in runs for row in range(8)]
    run = read_log("train_log.tsv", "epoch\tloss\n" + "".join(rows))
    assert run.loss is not None
    assert (run.segments, run.loss.values[0]) == (3, 2.5)
