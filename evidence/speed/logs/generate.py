#!/usr/bin/env python3
"""Write one seeded log of each format, all of the same healthy run: a loss that falls, its rate and gradient norm.

usage: generate.py FOLDER [--steps 125000] [--seed 4]
"""

import argparse
import json
import math
import os
import random
import struct
from collections.abc import Iterator

from trainproof_ci.readers.run.tfevents_checksum import accelerator, crc32c, masked

Row = tuple[int, float, float, float, float]
"""Step, epoch, loss, learning rate, gradient norm."""


def rows(steps: int, seed: int) -> Iterator[Row]:
    """The run: ten epochs, a warm-up of a hundredth, a cosine to the end."""
    random_ = random.Random(seed)
    for step in range(1, steps + 1):
        done = step / steps
        loss = 0.6 + 2.2 * math.exp(-6 * done) + random_.gauss(0, 0.05)
        rate = 3e-4 * (done / 0.01 if done < 0.01 else 0.5 * (1 + math.cos(math.pi * done)))
        yield step, round(10 * done, 4), round(loss, 4), rate, round(0.8 + random_.random() / 2, 4)


def hf_record(row: Row) -> dict[str, float]:
    """A record of the Hugging Face Trainer, as its callbacks log it."""
    step, epoch, loss, rate, norm = row
    return {"loss": loss, "grad_norm": norm, "learning_rate": rate, "epoch": epoch, "step": step}


def csv(run: list[Row]) -> Iterator[str]:
    yield "epoch,step,loss,lr,grad_norm\n"
    for step, epoch, loss, rate, norm in run:
        yield f"{epoch},{step},{loss},{rate!r},{norm}\n"


def lightning(run: list[Row]) -> Iterator[str]:
    """Sparse: a validation loss stands in a row of its own."""
    yield "epoch,lr-AdamW,step,train_loss,val_loss\n"
    for step, epoch, loss, rate, _ in run:
        yield f"{int(epoch)},{rate!r},{step},{loss},\n"
        if step % 1000 == 0:
            yield f"{int(epoch)},,{step},,{loss + 0.1:.4f}\n"


def jsonl(run: list[Row]) -> Iterator[str]:
    for row in run:
        yield json.dumps(hf_record(row)) + "\n"


def llama_factory(run: list[Row]) -> Iterator[str]:
    """Records with texts among the numbers."""
    for step, epoch, loss, rate, _ in run:
        said = {"current_steps": step, "total_steps": len(run), "loss": loss, "lr": rate, "epoch": epoch,
                "percentage": round(100 * step / len(run), 2), "elapsed_time": "0:12:01", "remaining_time": "1:00:12"}  # fmt: skip
        yield json.dumps(said) + "\n"


def json_list(run: list[Row]) -> Iterator[str]:
    yield json.dumps([hf_record(row) for row in run])


def json_history(run: list[Row]) -> Iterator[str]:
    """As Keras dumps it: a list a name."""
    yield json.dumps({"loss": [row[2] for row in run], "lr": [row[3] for row in run], "grad_norm": [row[4] for row in run]})


def trainer_state(run: list[Row]) -> Iterator[str]:
    state = {"best_metric": None, "epoch": 10.0, "global_step": len(run), "log_history": [hf_record(row) for row in run],
             "max_steps": len(run), "num_train_epochs": 10}  # fmt: skip
    yield json.dumps(state, indent=2) + "\n"


def hf_console(run: list[Row]) -> Iterator[str]:
    for _, epoch, loss, rate, norm in run:
        yield f"{ {'loss': loss, 'grad_norm': norm, 'learning_rate': rate, 'epoch': epoch} }\n"


def tqdm(run: list[Row]) -> Iterator[str]:
    """A progress bar: every step overwrites the one before."""
    for step, _, loss, rate, _ in run:
        percent = 100 * step // len(run)
        bar = "█" * (percent // 10) + " " * (10 - percent // 10)
        yield f"\rEpoch 0: {percent:3d}%|{bar}| {step}/{len(run)} [{step // 600:02d}:{step // 10 % 60:02d}<20:00, 10.02it/s, loss={loss:.3f}, lr={rate:.2e}]"
    yield "\n"


def nanogpt(run: list[Row]) -> Iterator[str]:
    for step, _, loss, _, _ in run:
        yield f"iter {step}: loss {loss:.4f}, time {80 + step % 7}.{step % 100:02d}ms, mfu 31.{step % 100:02d}%\n"


def key_value(run: list[Row]) -> Iterator[str]:
    for step, epoch, loss, rate, norm in run:
        yield f"2026-03-01 10:{step // 60 % 60:02d}:{step % 60:02d} INFO epoch: {int(epoch)} step: {step} loss: {loss:.4f} lr: {rate:.3e} grad_norm: {norm}\n"


def coqui(run: list[Row]) -> Iterator[str]:
    for step, _, loss, rate, norm in run:
        yield f"\x1b[1m   --> TIME: 2026-03-01 10:{step // 60 % 60:02d}:{step % 60:02d} -- STEP: {step}/{len(run)} -- GLOBAL_STEP: {step}\x1b[0m\n"
        yield f"     | > loss: {loss:.5f}  ({loss:.5f})\n     | > grad_norm: {norm:.5f}  ({norm:.5f})\n     | > current_lr: {rate:.8f} \n"
        yield f"     | > step_time: 0.4{step % 10}  (0.4521)\n\n"


def boxes(run: list[Row]) -> Iterator[str]:
    """A box of ruled lines a step, as reinforcement learners print."""
    rule = "-" * 34 + "\n"
    for step, epoch, loss, rate, norm in run:
        yield f"{rule}| step          | {step:<14} |\n| epoch         | {epoch:<14} |\n| loss          | {loss:<14} |\n"
        yield f"| grad_norm     | {norm:<14} |\n{rule}"


def record(payload: bytes) -> bytes:
    """A framed record of an event file."""
    compute = accelerator() or crc32c
    length = struct.pack("<Q", len(payload))
    return b"".join((length, struct.pack("<I", masked(compute(length))), payload, struct.pack("<I", masked(compute(payload)))))


def events(run: list[Row], tags: int) -> Iterator[bytes]:
    """An event a value; so many tags a step."""
    from struct import pack

    def field(number: int, content: bytes) -> bytes:
        return bytes((number << 3 | 2, len(content))) + content

    yield record(b"\x09" + pack("<d", 1.7e9) + field(3, b"brain.Event:2"))
    for step, epoch, loss, rate, norm in run:
        told, left = bytearray(b"\x10"), step
        while left > 0x7F:
            told.append(left & 0x7F | 0x80)
            left >>= 7
        told.append(left)
        told_of = ((b"train/loss", loss), (b"train/lr", rate), (b"train/grad_norm", norm), (b"train/epoch", epoch))
        for tag, value in told_of[:tags]:
            summary = field(1, field(1, tag) + b"\x15" + pack("<f", value))
            yield record(b"\x09" + pack("<d", 1.7e9 + step / 10) + bytes(told) + field(5, summary))


TEXTS = {
    "progress.csv": csv, "lightning/metrics.csv": lightning, "train_log.jsonl": jsonl, "trainer_log.jsonl": llama_factory,
    "train_history.json": json_list, "keras_history.json": json_history, "trainer_state.json": trainer_state,
    "hf_train.log": hf_console, "tqdm_train.log": tqdm, "nanogpt_train.log": nanogpt, "key_value_train.log": key_value,
    "coqui/trainer_0_log.txt": coqui, "boxes_train.log": boxes,
}  # fmt: skip
EVENTS = {"events_loss": 1, "events": 4}
"""Folders of event files, and the tags that each has: 125,000 events of the loss alone, and 500,000."""


def write(folder: str, steps: int, seed: int) -> None:
    """Every log that is not there yet."""
    run = list(rows(steps, seed))
    for name, make in TEXTS.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.writelines(make(run))
    for name, tags in EVENTS.items():
        path = os.path.join(folder, name, "events.out.tfevents.1700000000.host")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if not os.path.exists(path):
            with open(path, "wb", buffering=1 << 20) as binary:
                binary.writelines(events(run, tags))


def main() -> None:
    """Write the logs."""
    cli = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    cli.add_argument("folder")
    cli.add_argument("--steps", type=int, default=125_000)
    cli.add_argument("--seed", type=int, default=4)
    chosen = cli.parse_args()
    write(chosen.folder, chosen.steps, chosen.seed)


if __name__ == "__main__":
    main()
