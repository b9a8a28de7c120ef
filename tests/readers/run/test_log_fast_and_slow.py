"""What takes many lines of a log at once reads the same as line by line, whatever stands between the lines."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from trainproof_ci.discovery import Target
from trainproof_ci.errors import Unreadable
from trainproof_ci.readers.run import alike, console, console_cycles, csv_rows, csv_table, json_history, jsonl, lines
from trainproof_ci.readers.source import Source

Make = Callable[[random.Random], str]
LINES = (
    "iter {i}: loss {l}, time 3.{i}ms\n", "epoch: {e} step: {i} loss: {l}\n", "{{'loss': {l}, 'lr': 1e-05}}\n", "| loss | {l:<10} |\n",
    "| step | {i:<9} |\n", "---------------\n", "\n", "epoch {e}\n", "val loss: {l}\n", "\r {i}/1000 [00:{i}<10:00, loss={l}]",
    "hello world\n", "step {i}\r\n", "lr: 1,000\n", "\x1b[1mloss: {l}\x1b[0m\n", "Validation\n", "1.2.3 loss: {l}\n",
    "Traceback (most recent call last):\n", "2026-03-01 10:00:{i} loss={l}\n", "epoch  loss\n", "{{'loss':\n",
)  # fmt: skip


def some_console(random_: random.Random) -> str:
    text = ""
    for _ in range(random_.randint(1, 3)):
        cycle = random_.choices(LINES, k=random_.randint(1, 5))
        for i in range(random_.randint(3, 60)):
            loss = random_.choice([*[str(round(random_.random(), 3))] * 30, "nan", "1e-05", "1.2.3", "-0.3"])
            text += "".join(line.format(i=i, e=i // 10, l=loss) for line in cycle)
            if random_.random() < 0.02:
                text += random_.choice(LINES).format(i=5, e=2, l="0.5")
    return text[: random_.randint(1, len(text))] if random_.random() < 0.3 else text


def some_csv(random_: random.Random) -> str:
    rows = ["epoch,step,loss,val_loss"]
    for i in range(random_.randint(0, 40)):
        loss = random_.choice([*["0.25"] * 40, "nan", "N/A", " 3", "", " ", '"3.5"', '"4'])
        rows.append(f"{i // 10},{i},{loss},{random_.choice(['', '0.5'])}")
        if random_.random() < 0.03:
            rows.append(random_.choice(["", rows[0], "1,2", ",,,", "1,2,3,4,", "<<<<<<< x", "1\r2,3,4,5"]))
    end = random_.choice(["\n", "\r\n"])
    return end.join(rows) + random_.choice(["", end, end + end, "\n3,"])


def some_record(random_: random.Random, i: int) -> str:
    loss = random_.choice(
        [
            *[str(round(random_.random(), 4))] * 40,
            "NaN",
            "null",
            "01",
            "1.",
            ".5",
            "1e5",
            '"0.5"',
            '"x"',
            "[1]",
            "true",
            "-",
            "-x1",
            "Nan",
        ]
    )
    more = random_.choice([*[""] * 20, ', "loss": 3', ', "a": {"b": 1}', ', "t": "0:12"'])
    return f'{{"step": {i}, "loss": {loss}, "told": "{random_.choice(["0.1", "0:1"]) if random_.random() < 0.1 else "0:12"}"{more}}}'


def some_jsonl(random_: random.Random) -> str:
    rows = [some_record(random_, i) for i in range(random_.randint(1, 60))]
    return "".join(row + random_.choice([*["\n"] * 40, "\r\n", ",\n", "", "\n\n", "\nbanner\n"]) for row in rows)


def some_list(random_: random.Random) -> str:
    joint = random_.choice([", ", ",", ",\n  "])
    return f"[{joint.join(some_record(random_, i) for i in range(random_.randint(1, 60)))}]"


def some_indented(random_: random.Random) -> str:
    rows = [{"loss": random_.random(), "step": i, "lr": 1e-5} for i in range(40)]
    return json.dumps({"log_history": rows}, indent=2)[: random_.choice([None, 900])]


def told(reader: ModuleType, path: Path) -> str:
    try:
        with Source(str(path)) as source:
            reading = reader.read(source, Target(str(path), "run", "any"))
    except Unreadable as unreadable:
        return unreadable.reason
    columns = {
        name: [list(part) for part in one[1:6]] + [sorted(one.nulls), one.stepped]
        for name, one in reading.series.items()
    }
    return repr(
        (sorted(columns.items()), sorted(reading.odd.items()), reading.cut, reading.damage, reading.stop, reading.notes)
    )


def read_line_by_line(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(console_cycles.Cycles, "take", lambda _self, _text, at, _number: (at, 0))
    patch.setattr(csv_rows, "rows_of", lambda *_: None)
    patch.setattr(alike.Alike, "take", lambda _self, _text, _begun, at, line: (at, line))


@pytest.mark.parametrize(
    ("reader", "make"),
    [(console, some_console), (csv_table, some_csv), (jsonl, some_jsonl), (json_history, some_list), (json_history, some_indented)],
)  # fmt: skip
def test_many_lines_at_once_read_as_line_by_line(reader: ModuleType, make: Make, tmp_path: Path) -> None:
    random_ = random.Random(7)
    path = tmp_path / "train.log"
    for _ in range(60):
        path.write_text(make(random_), encoding="utf-8", newline="")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(lines, "BLOCK", random_.choice([100, 1000, 1 << 18]))
            patch.setattr(console_cycles, "WINDOW", random_.choice([500, 1 << 16]))
            fast = told(reader, path)
            read_line_by_line(patch)
            assert fast == told(reader, path)
