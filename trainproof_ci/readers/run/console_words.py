"""What a line of console text without numbers says: the rule of a box, a header, a phase, part of an error."""

import re
from functools import lru_cache

from trainproof_ci.readers.run.console_keys import EVALUATIONS, misspelt
from trainproof_ci.readers.run.console_lines import SIGNS
from trainproof_ci.readers.run.console_tables import Table, header
from trainproof_ci.typed import NamedTuple

_RULE = re.compile(r"[\s|+:=]*[-─━═]{4,}[\s|+:=\-─━═┼┬┴]*")
_ABOUT_DATA = re.compile(
    r"\b(?:(?:pre)?load(?:ing|ed)?|read(?:ing)?|creat\w+|found|build\w*|prepar\w+|data|datasets?|samples|images|files)\b",
    re.IGNORECASE,
)
"""What a line speaks of that tells of data, not of a phase that begins."""
_HEADING = re.compile(
    rf"(?<![\w/])(?:({EVALUATIONS})|(train|training))(?![\w/])",
    re.IGNORECASE,
)
LONGEST_HEADING = 60


class Wording(NamedTuple):
    """What a line without numbers says; `evaluating` is None where it is no heading of a phase."""

    rule: bool = False
    table: Table | None = None
    evaluating: bool | None = None
    error: bool = False
    odd: tuple[str, ...] = ()
    """Losses in whose place stands a word that means no value."""


@lru_cache(maxsize=4096)
def wording(text: str) -> Wording:
    """What a line without numbers says."""
    error = any(sign in text for sign in SIGNS)
    if _RULE.fullmatch(text):
        return Wording(rule=True)
    opened = header(text)
    if opened is not None:
        return Wording(table=opened)
    speaks = len(text) <= LONGEST_HEADING and _ABOUT_DATA.search(text) is None
    found = _HEADING.search(text) if speaks else None
    said = None if found is None else found[1] is not None
    return Wording(evaluating=said, error=error, odd=misspelt(text, stepped=False))
