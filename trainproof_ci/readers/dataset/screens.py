"""Byte searches that prove a line or a block free of everything rare, before any value is looked at."""

import re

RARE = re.compile(
    rb"\\u(?:00[0189][0-9a-fA-F]|00[aA][dD]|00[cCdDeEfF]|20[0-6]|[fF][eE][fF][fF]|[fF][fF][fF]|[dD][89a-fA-F]|01|02[cC]|003[cC]|0026|00[7])"
)
"""Escapes that may spell what a text rule looks for."""


def is_plain(line: bytes) -> bool:
    """Whether no rule that needs "rare-text" can find anything in these bytes."""
    if not line.isascii() or b"\\b" in line or b"\\f" in line or b"<" in line or b"&" in line or b"[" in line:
        return False
    return b"\\u" not in line or RARE.search(line) is None
