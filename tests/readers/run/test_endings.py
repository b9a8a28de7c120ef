"""How logs end: crashes that stand beside losses, trainers that stop at a NaN, cells that stay empty; and what only counts."""

from pathlib import Path

import pytest
from test_console_names import EPOCHS, FALLING, RISING, lines
from test_text_formats import judged, target_of

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find

TRACEBACK = 'Traceback (most recent call last):\n  File "train.py", line 5, in <module>\n    step()\n'
STEPS = "".join(f"step {e} loss: {FALLING[e]}\n" for e in range(EPOCHS))


def rules(work: Path, name: str, content: str) -> set[str]:
    return {finding.rule for finding in judged(work, name, content.encode()).findings}


@pytest.mark.parametrize(
    ("end", "line"),
    [
        (f"step 23, loss=0.4]{TRACEBACK}ValueError: no\n", 28),
        (TRACEBACK.replace("step()", "loss = 0.7 * ce + 0.3 * kd") + "TypeError: no\n", 28),
        (f"{TRACEBACK}ValueError: bad loss: 1.25\n", 28),
        (f"{TRACEBACK}AssertionError: loss is -0.1234\n", 28),
        (f"{TRACEBACK}RuntimeError: no\nwandb: Run summary:\nwandb: train/loss 0.81\nwandb: eval/loss 0.9\n", 28),
        (f"{TRACEBACK}RuntimeError: no\nstep 23 loss: 0.2\n", 28),
        (f"{TRACEBACK}FloatingPointError: Loss became infinite or NaN at iteration=3!\nloss_dict = {{'loss_cls': nan}}\n", 28),
        ("Loss is nan, stopping training\n", 25), ("Batch 12: Invalid loss, terminating training\n", 25),
        ("terminate called after throwing an instance of 'c10::Error'\n  what():  no\n", 25),
    ],
)  # fmt: skip
def test_a_crash_beside_a_loss_is_a_crash(work: Path, end: str, line: int) -> None:
    report = judged(work, "train.log", (STEPS + end).encode())
    assert [(found.rule, found.location.line) for found in report.findings] == [("TP-STOPPED-CRASH", line)]


@pytest.mark.parametrize(
    ("end", "rule", "line"),
    [
        ("Error in fit(model) :\n  Incompatible shapes\nExecution halted\n", "CRASH", 27), ("panic: runtime error: index out of range [3]\n", "CRASH", 25),
        ('    throw new Error("bad");\n    ^\n', "CRASH", 25), ("Error using trainNetwork (line 184)\nOut of memory on device. To view more\n", "MEMORY", 26),
        ("In 3 module of nn.Sequential:\nTHCudaCheck FAIL file=x.cu line=66 error=2 : out of memory\nstack traceback:\n", "MEMORY", 26), ("stack traceback:\n", "CRASH", 25),
        ("[ERROR] [launch.py:321] ['python'] exits with return code = -9\n", "MEMORY", 25), ("['python'] exits with return code = 1\n", "CRASH", 25),
        ("FatalError: `Segmentation fault` is detected by the operating system.\n", "CRASH", 25), ("Floating point exception (core dumped)\n", "CRASH", 25),
        ("Illegal instruction (core dumped)\n", "CRASH", 25), ("MemoryError\n", "MEMORY", 25), ("AssertionError\n", "CRASH", 25),
        ("=>> PBS: job killed: walltime 86430 exceeded limit 86400\n", "CRASH", 25), ("=>> PBS: job killed: mem 70gb exceeded limit 64gb\n", "MEMORY", 25),
        ("TERM_RUNLIMIT: job killed after reaching LSF run time limit.\nExited with exit code 140.\n", "CRASH", 25), ("已杀死\n", "MEMORY", 25),
        ("段错误 (核心已转储)\n", "CRASH", 25), ("Terminated\n", "INTERRUPT", 25), ("^C\n", "INTERRUPT", 25), ("Detected KeyboardInterrupt, attempting graceful shutdown...\n", "INTERRUPT", 25),
        ("Killed: 9\n", "MEMORY", 25), ("Fatal Python error: Segmentation fault\n", "CRASH", 25), ("Killed process 12 (python)\n", "MEMORY", 25), ("./run.sh: line 3:  1234 Killed                  python train.py\n", "MEMORY", 25), ("Command exited with non-zero status 1\n", "CRASH", 25),
        ("RuntimeError: Function 'MulBackward0' returned nan values in its 0th output.\n", "CRASH", 25),
    ],
)  # fmt: skip
def test_ends_without_a_traceback(work: Path, end: str, rule: str, line: int) -> None:
    report = judged(work, "train.log", (STEPS + end).encode())
    assert [(found.rule, found.location.line) for found in report.findings] == [(f"TP-STOPPED-{rule}", line)]


@pytest.mark.parametrize(
    "end",
    [
        "Killed workers: 0\n", "Killed: 0\n", "Aborted runs: 0\n", "Terminated early: no\n", "Training terminated: max epochs reached.\n", "MemoryError count: 0\n",
        "process 12 exits with return code = 0\n", "Error using the cache, it was rebuilt\n", "out of memory events: 0\n", "Panic: none\n",
    ],
)  # fmt: skip
def test_words_at_the_end_that_tell_of_none(work: Path, end: str) -> None:
    assert rules(work, "train.log", STEPS + end) == set()


@pytest.mark.parametrize(
    "more",
    [
        "".join(f"step {e} loss: {2.4 * 0.9**e:.4f}\n" for e in range(20, 40)),  # resumed from a checkpoint
        "Error in atexit._run_exitfuncs:\n" + TRACEBACK + "ChildProcessError: no\n",
    ],
)
def test_what_went_on_or_only_cleared_away_did_not_stop(work: Path, more: str) -> None:
    crashed = f"{TRACEBACK}RuntimeError: no\n" if more.startswith("step") else ""
    assert rules(work, "train.log", STEPS + crashed + more) == set()


def test_a_crash_between_records_is_one_unless_more_follow(work: Path) -> None:
    records = [f'{{"step": {e}, "loss": {FALLING[e]}}}\n' for e in range(EPOCHS)]
    crash = f"{TRACEBACK}RuntimeError: no\n"
    assert rules(work, "train_log.jsonl", "".join([*records, crash])) == {"TP-STOPPED-CRASH"}
    assert rules(work, "train_log.jsonl", "".join([*records[:12], crash, *records[12:]])) == set()


def test_a_loss_that_begins_at_zero_is_held_against_what_it_was_then(work: Path) -> None:
    rows = "".join(f"{e},{0.0 if e < 2 else 2 * 0.99**e:.4f}\n" for e in range(100))
    assert "TP-FILE-CRASHED" not in rules(work, "train_log.csv", f"step,loss\n{rows}")


@pytest.mark.parametrize(
    "form",
    [
        "Train loss {e} {f} Grad Norm 1.23 2.12s/it\n", "loss[{e}] = {f}\n", "Train loss [{e}/60]: {f}\n", "loss #{e}: {f}\n",
        "Average loss over 100 batches: {f}\n", "Mean loss of 50 batches is {f}\n", "loss for 10 batches = {f}\n", "Training loss {e}% {f}\n",
        "avg loss 10: {f} avg loss 100: {r}\n", "epoch {e} loss: 0,{e}1\n",
    ],
)  # fmt: skip
def test_a_number_that_counts_is_not_the_loss(work: Path, form: str) -> None:
    run = target_of(work, "train.log", lines(form).encode())
    assert run.loss is not None
    expected = [float(f"0.{e}1") for e in range(EPOCHS)] if "0,{e}" in form else FALLING
    assert list(run.loss.values) == expected


@pytest.mark.parametrize(
    "form",
    [
        "loss 0.5 (0.6) {f}\n", "epoch {e} loss {f} 1.2s/it\n", "loss: {f} {r}\n", "loss {f}, {r}\n", "epoch {e} loss {f} {r}\n",
        "1|{e}|Loss: {f}:  55%|##  | {e}/60 [00:01<00:10,  1.5it/s]\n", "\r1|{e}|Loss: {f}:  55%|##  | {e}/60 [00:01<00:10]\r", "loss={f}: 30%|\n",
        "epoch {e} [loss: {f}] 12.3\n", "{e} (loss {f}) {e}\n", "[loss {f}] {e}/60\n", "epoch {e} loss {f}: 12.3 sec\n", "loss {f} 0.001 {e}\n",
        "loss {f} {e}\n",
    ],
)  # fmt: skip
def test_a_number_behind_the_loss_is_not_it(work: Path, form: str) -> None:
    run = target_of(work, "train.log", lines(form).encode())
    assert run.loss is not None
    assert run.loss.values[1] in {FALLING[1], 0.5}


@pytest.mark.parametrize(
    "form", ["epoch {e} loss {} 0.9\n", "batch={e} Loss={}: 100%|##| 391/391\n", "[loss {}] {e}/60\n"]
)
@pytest.mark.parametrize("noted", [2.5, 2, 0])
def test_a_loss_that_is_whole_for_once_is_still_one(work: Path, form: str, noted: float) -> None:
    values = [*FALLING[:6], noted, *FALLING[7:]]
    run = target_of(work, "train.log", "".join(form.format(x, e=e) for e, x in enumerate(values)).encode())
    assert run.loss is not None
    assert list(run.loss.values) == values


@pytest.mark.parametrize("count", [60, 600])
def test_what_counted_in_a_hundred_lines_counts_no_more_once_it_is_not_whole(work: Path, count: int) -> None:
    rows = [f"loss {e} {0.9 - e / 1000}\n" for e in range(count)] + [f"loss {e + 0.5} {e}\n" for e in range(count)]
    run = target_of(work, "train.log", "".join(rows).encode())
    assert run.loss is not None
    assert run.loss.values[0] == 0.9
    assert list(run.loss.values[-count:]) == [e + 0.5 for e in range(count)]


@pytest.mark.parametrize(
    "form",
    [
        "Episode {e}/60 | Score: 26 | Loss: {r}\n",
        "Episode: {e}, record 20, loss {r}\n",
        "epoch {e} AverageEpRet: {r} LossPi: {f}\n",
    ],
)
def test_an_agent_that_plays_is_told_by_its_episodes(work: Path, form: str) -> None:
    assert target_of(work, "train.log", lines(form).encode()).objective == "reinforcement"


def test_a_search_for_the_learning_rate_may_explode(work: Path) -> None:
    rows = "".join(f"{e},{1e-7 * 2**e},{2.3 if e < 20 else 2.3 * 1.8 ** (e - 20)}\n" for e in range(30))
    assert rules(work, "train_log.csv", f"step,lr,loss\n{rows}") == set()


@pytest.mark.parametrize(("empty", "found"), [(8, {"TP-NAN"}), (2, set())])
def test_cells_that_stay_empty_are_no_loss_any_more(work: Path, empty: int, found: set[str]) -> None:
    rows = "".join(f"{e},{FALLING[e] if e < EPOCHS - empty else ''},0.5\n" for e in range(EPOCHS))
    assert rules(work, "training_log.csv", f"epoch,loss,accuracy\n{rows}") == found


def test_an_evaluation_now_and_then_leaves_no_gap(work: Path) -> None:
    rows = "".join(f"{e},{FALLING[e]},{RISING[0] - e / 100 if e % 5 == 0 and e < 16 else ''}\n" for e in range(EPOCHS))
    assert rules(work, "training_log.csv", f"epoch,loss,val_loss\n{rows}") == set()


def test_epochs_tell_apart_what_steps_do_not(work: Path) -> None:
    run = target_of(work, "train.log", lines("Train Epoch: {e} [0/60000 (0%)]\tLoss: {f}\n").encode())
    assert run.loss is not None
    assert list(run.loss.steps) == list(range(EPOCHS))


def test_steps_without_end_tell_nothing_apart(work: Path) -> None:
    rows = "".join(f'{{"step": Infinity, "epoch": {e}, "loss": {FALLING[e]}}}\n' for e in range(EPOCHS))
    assert rules(work, "train_log.jsonl", rows) == {"TP-RUN-STEPS"}


@pytest.mark.parametrize("line", ["64 bytes: icmp_seq={e} packet loss: 0%\n", "BUY at 12.5 stop loss={r}\n"])
def test_a_loss_of_something_else_is_no_training(work: Path, line: str) -> None:
    (work / "out.log").write_text(lines(line))
    assert find(["."], Settings())[0].format == "missing"
