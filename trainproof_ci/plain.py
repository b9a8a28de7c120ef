"""A plain command line, read without argparse: loading that takes longer than a small file to judge.

Plain are `--option VALUE` with the name in full, then paths that do not begin with a hyphen. Everything else, a mistake
among it, is left to argparse, so there is one place that explains; what is read here means the same there.
"""

from collections.abc import Sequence
from types import SimpleNamespace

from trainproof_ci.typed import Any


class Plain:
    """Stands where a command declares its arguments; knows of `add_argument` what is needed for plain words."""

    def __init__(self) -> None:
        self._defaults: dict[str, Any] = {}
        self._options: dict[str, dict[str, Any]] = {}
        self._words = ""

    def add_argument(self, name: str, **about: Any) -> None:
        """Take a declaration as argparse does: an option by one long name, or words of any number."""
        dest = name.lstrip("-").replace("-", "_")
        flag = about.get("action") == "store_true"
        self._defaults[dest] = about.get("default", False if flag else None)
        if name.startswith("--"):
            self._options[name] = {**about, "dest": dest, "flag": flag}
        else:
            self._words = dest

    def read(self, words: Sequence[str]) -> SimpleNamespace | None:
        """The value of every argument by its name; None where argparse has to look."""
        values, place = self._defaults.copy(), 0
        while place < len(words) and words[place].startswith("-"):
            option = self._options.get(words[place])
            if option is None or "nargs" in option:
                return None
            place += 1
            if option["flag"]:
                values[option["dest"]] = True
                continue
            if place == len(words) or words[place].startswith("-"):
                return None
            try:
                value = option.get("type", str)(words[place])
            except ValueError:
                return None
            if value not in option.get("choices", (value,)):
                return None
            values[option["dest"]] = value
            place += 1
        if any(word.startswith("-") for word in words[place:]):
            return None
        if place < len(words):
            values[self._words] = list(words[place:])
        return SimpleNamespace(**values)
