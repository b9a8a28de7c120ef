"""The tables of README.md, made from what they describe: `python3 tests/readme_tables.py` writes them anew."""

import re
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from trainproof_ci.cli import COMMANDS  # noqa: E402 - found by the line above when run as a script
from trainproof_ci.model import ExitCode  # noqa: E402 - the path is set above

MEANINGS = {
    ExitCode.OK: "success; something was judged and nothing is FAIL or NOT-CHECKED",
    ExitCode.FAIL: "failure; at least one FAIL, which is printed",
    ExitCode.NOT_CHECKED: "neutral; no FAIL, but something could not be judged",
    ExitCode.USAGE: "the command line or the configuration is wrong",
    ExitCode.CRASH: "an error of ours; please report it",
}


def _rows(*rows: tuple[str, ...]) -> str:
    head, *others = rows
    lines = [head, tuple("---" for _ in head), *others]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def tables() -> dict[str, str]:
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    hooks: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    default = {"": "", "${{ github.token }}": "the job's token"}
    return {
        "inputs": _rows(
            ("input", "default", "what it does"),
            *(
                (f"`{name}`", default.get(i["default"], f"`{i['default']}`"), i["description"])
                for name, i in action["inputs"].items()
            ),
        ),
        "outputs": _rows(
            ("output", "what it holds"), *((f"`{name}`", o["description"]) for name, o in action["outputs"].items())
        ),
        "exit-codes": _rows(("code", "meaning"), *((str(int(code)), MEANINGS[code]) for code in ExitCode)),
        "hooks": _rows(("hook", "what it judges"), *((f"`{hook['id']}`", hook["description"]) for hook in hooks)),
        "commands": _rows(("command", "does"), *((f"`{name}`", text) for name, text in COMMANDS.items())),
    }


def filled(readme: str) -> str:
    """`readme` with every table between its marks made anew."""
    for name, table in tables().items():
        mark = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        assert mark.search(readme), f"README.md has no place for the table {name}"
        readme = mark.sub(lambda found, table=table: f"{found[1]}{table}{found[2]}", readme)
    return readme


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(filled(path.read_text("utf-8")), "utf-8")
