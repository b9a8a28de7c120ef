"""The plan of the house: data flows one way, and no room grows past what one reads at a glance."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "trainproof_ci"
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 250, 40
IN_ONE_PIECE = {"_stride"}
"""Loops over every record of a file of gigabytes, in which each call of a function would be felt."""
ENDS = ("adapters", "commands", "cli", "reports", "guardian")
"""Where reports go out; what reads and judges knows nothing of them."""
KNOWS_NOTHING_OF = {
    "readers": ("rules", *ENDS),
    "rules": ENDS,
    "reports": ("readers", "rules", "adapters", "commands", "cli", "guardian", "engine", "discovery"),
}
CORE = ("model", "places", "errors", "registry", "engine", "discovery", "changes", "together", "git", "globs", "config")


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a module imports, without the package's own name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "trainproof_ci":
            below = node.module.removeprefix("trainproof_ci").lstrip(".")
            yield from (f"{below}.{alias.name}".lstrip(".") for alias in node.names)


@pytest.mark.parametrize("room", KNOWS_NOTHING_OF)
def test_data_flows_one_way(room: str) -> None:
    backwards = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((PACKAGE / room).rglob("*.py"))
        for name in imported(path)
        if name.split(".")[0] in KNOWS_NOTHING_OF[room]
    ]
    assert backwards == []


@pytest.mark.parametrize("name", CORE)
def test_the_core_knows_no_ends(name: str) -> None:
    assert [found for found in imported(PACKAGE / f"{name}.py") if found.split(".")[0] in ENDS] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_budgets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_MODULE
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    long = {node.name: length for node in functions if (length := lines(node)) > LONGEST_FUNCTION}
    assert long.keys() <= IN_ONE_PIECE, long


def lines(function: ast.FunctionDef) -> int:
    """The lines of a function without its docstring, which documents a rule."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    spoken = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - spoken
