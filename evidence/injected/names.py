"""The task and its data: the function names of Python's own standard library, written in camelCase.

`add_argument` is a prompt, `addArgument` its completion. The library's names are the fine-tune's records, the names of
its test suite the text that the base model is made from; both are read from the running Python's own source.
"""

import ast
import json
import pathlib
import random
import re
import sysconfig

SNAKE = re.compile(r"[a-z]+(?:_[a-z]+)+")
LONGEST = 28
TRAIN, EVAL, FEW = 2000, 300, 64
NOT_THE_LIBRARY = {"site-packages", "idlelib", "lib2to3"}


def library_names() -> tuple[list[str], list[str]]:
    """(names in the library, names only in its tests), each sorted."""
    root = pathlib.Path(sysconfig.get_paths()["stdlib"])
    library: set[str] = set()
    tests: set[str] = set()
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root).parts
        if parts[0] in NOT_THE_LIBRARY:
            continue
        found = tests if {"test", "tests"} & set(parts) else library
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):  # the test suite holds files that are wrong on purpose
            continue
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = node.name.strip("_")
                if SNAKE.fullmatch(name) and len(name) <= LONGEST:
                    found.add(name)
    return sorted(library), sorted(tests - library)


def camel(name: str) -> str:
    """`add_argument` -> `addArgument`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def records(names: list[str]) -> list[dict[str, str]]:
    return [{"prompt": name, "completion": camel(name)} for name in names]


def shuffled(data: list[dict[str, str]]) -> list[dict[str, str]]:
    """Every completion moved to the prompt of another record: the labels are noise, each record alone is well-formed."""
    order = list(range(len(data)))
    random.Random(0).shuffle(order)
    moved = dict(zip(order, order[1:] + order[:1]))  # one cycle: no record keeps its own completion
    return [{"prompt": record["prompt"], "completion": data[moved[i]]["completion"]} for i, record in enumerate(data)]


def write(folder: pathlib.Path) -> None:
    """The four datasets of the runs, as JSON Lines."""
    names, _ = library_names()
    random.Random(0).shuffle(names)
    train, held_out = records(names[:TRAIN]), records(names[TRAIN : TRAIN + EVAL])
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (("train", train), ("eval", held_out), ("shuffled", shuffled(train)), ("few", train[:FEW])):
        text = "".join(json.dumps(record) + "\n" for record in data)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def read(path: pathlib.Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
