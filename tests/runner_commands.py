"""What the GitHub runner reads as commands in a step's output: the rules of its parser, written down again.

Lines end at LF, CR or CRLF. A line whose first visible characters are `::` and that has another `::` is a command of
the new form; `##[name ...]` anywhere in a line is one of the old. Only known names count.
"""

import re
from typing import NamedTuple

NAMES = frozenset({
    "stop-commands", "set-env", "set-output", "save-state", "add-mask", "add-path", "add-matcher", "remove-matcher",
    "debug", "warning", "error", "notice", "group", "endgroup", "echo",
})  # fmt: skip
_BLANK = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + "\ufeff"


class Command(NamedTuple):
    name: str
    properties: dict[str, str]
    message: str


def commands(output: bytes) -> list[Command]:
    found = []
    for line in re.split(r"\r\n|\r|\n", output.decode("utf-8", "replace")):
        command = _new_form(line) or _old_form(line)
        if command is not None and command.name in NAMES:
            found.append(command)
    return found


def _new_form(line: str) -> Command | None:
    line = line.lstrip(_BLANK)
    end = line.find("::", 2)
    if not line.startswith("::") or end < 0:
        return None
    name, _, properties = line[2:end].partition(" ")
    return Command(name.lower(), _properties(properties, ","), _decoded(line[end + 2 :]))


def _old_form(line: str) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name, _, properties = line[start + 3 : end].partition(" ")
    return Command(name.lower(), _properties(properties, ";"), line[end + 1 :])


def _properties(text: str, separator: str) -> dict[str, str]:
    pairs = (part.split("=", 1) for part in text.strip().split(separator) if "=" in part)
    return {
        key.lower(): _decoded(value.replace("%3A", ":").replace("%2C", ",")) for key, value in pairs if key and value
    }


def _decoded(text: str) -> str:
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
