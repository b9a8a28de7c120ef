#!/usr/bin/env python3
"""Write the seeded data sets of the speed table: long prompt/completion rows, short ones, conversations, and a small file.

usage: generate.py FOLDER [--megabytes 200] [--rows 2000000] [--many ROWS] [--seed 7]

With --many, twenty million say, another file of short rows is written, on which only trainproof-ci is measured.
"""

import argparse
import json
import os
import random

WORDS = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which "
    "one you were her all she there would their we him been has when who will more no if out so said what up its about "
    "into than them can only other new some could time these two may then do first any my now such like our over man me "
    "even most made after also did many before must through back years where much your way well down should because "
    "each just those people how too little state good very make world still own see men work long get here between both "
    "river stone window garden market winter letter engine copper silver harbour village teacher question answer number"
).split()
ACCENTED = "café naïve über façade señor Zürich Łódź São résumé crème jalapeño Ångström – — “quoted” … déjà".split()
OTHER = "мир город 水 学校 日本語 नमस्ते שלום سلام θάλασσα 😀 👍🏽".split()


def sentence(random_: random.Random, length: int, foreign: float) -> str:
    """Some words, with a foreign one now and then."""
    words = random_.choices(WORDS, k=length)
    if foreign and random_.random() < foreign:
        words[random_.randrange(length)] = random_.choice(ACCENTED if random_.random() < 0.7 else OTHER)
    return " ".join(words).capitalize() + random_.choice(".?!") + random_.choice((" ", "\n", " ", "\n\n"))


def long_rows(path: str, size: int, seed: int) -> None:
    """About 1.3 KB a row; 28 % of the rows are not ASCII, and 30 % of all rows are written with \\u escapes."""
    random_ = random.Random(seed)
    number = written = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        while written < size:
            foreign = 0.4 if random_.random() < 0.4 else 0.0
            prompt = f"Question {number}: " + "".join(sentence(random_, 12, foreign) for _ in range(random_.randint(1, 5)))
            answer = "".join(sentence(random_, 14, foreign) for _ in range(random_.randint(4, 20)))
            row = {"prompt": prompt.strip(), "completion": answer.strip()}
            line = json.dumps(row, ensure_ascii=random_.random() < 0.3) + "\n"
            file.write(line)
            written += len(line.encode())
            number += 1


def short_rows(path: str, rows: int, seed: int) -> None:
    """About 56 bytes a row."""
    random_ = random.Random(seed)
    with open(path, "w", encoding="utf-8", newline="") as file:
        for number in range(rows):
            file.write(f'{{"prompt": "q{number} {random_.choice(WORDS)}", "completion": "a{number} {random_.choice(WORDS)}"}}\n')


def conversations(path: str, size: int, seed: int) -> None:
    """Two to six messages a row."""
    random_ = random.Random(seed)
    number = written = 0
    with open(path, "w", encoding="utf-8", newline="") as file:
        while written < size:
            turns = [{"role": "system", "content": "You are a helpful assistant."}]
            for turn in range(random_.randint(1, 3)):
                asked = f"Question {number}.{turn}: " + sentence(random_, 14, 0.1).strip()
                answer = "".join(sentence(random_, 14, 0.1) for _ in range(random_.randint(3, 9))).strip()
                turns += [{"role": "user", "content": asked}, {"role": "assistant", "content": answer}]
            line = json.dumps({"messages": turns}, ensure_ascii=False) + "\n"
            file.write(line)
            written += len(line.encode())
            number += 1


def main() -> None:
    """Write what is not there yet."""
    cli = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    cli.add_argument("folder")
    cli.add_argument("--megabytes", type=int, default=200)
    cli.add_argument("--rows", type=int, default=2_000_000)
    cli.add_argument("--many", type=int, default=0)
    cli.add_argument("--seed", type=int, default=7)
    chosen = cli.parse_args()
    os.makedirs(chosen.folder, exist_ok=True)
    size = chosen.megabytes * 1_000_000
    files = (
        ("long.jsonl", long_rows, size), ("short.jsonl", short_rows, chosen.rows), ("chat.jsonl", conversations, size),
        ("small.jsonl", long_rows, 1_000_000), ("many.jsonl", short_rows, chosen.many),
    )  # fmt: skip
    for name, write, amount in files:
        path = os.path.join(chosen.folder, name)
        if not amount:
            continue
        if not os.path.exists(path):
            write(path, amount, chosen.seed)
        print(path, os.path.getsize(path))


if __name__ == "__main__":
    main()
