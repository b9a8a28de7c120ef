"""Byte searches that prove a line, or a block of lines, free of everything rare before any value is looked at.

A search for one byte (memchr) costs a tenth of any other search, so each pattern is asked for only where its first byte
occurs at all, and each begins with one literal byte, which keeps the regular expressions in their fastest loop.
"""

import re
from collections.abc import Sequence

ENTITY = re.compile(rb"&(?:#|[a-zA-Z]{2,8};)")
"""What may be an HTML entity."""
ESCAPE = re.compile(
    rb"\\(?:b|\\u[dD]|u(?:00[0-7]|00[89][0-9a-fA-F]|00[aA][dD]|180[eE]|200[bB]|206[0-4]|[fF][eE][fF][fF]|[fF][fF][fF][dD]|[dD](?:[bB]40|[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F](?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F]))"
    rb"|00[c-fC-F][0-9a-fA-F](?:\\u(?:00[89aAbB]|20[123aA]|0[12]|2122)|[\x80-\xff])))"
)
"""Escapes that spell controls, ASCII, lone surrogates, invisible or replacement characters, or the first half of mojibake."""
RAW = (
    (b"\xc2", re.compile(rb"\xc2[\x80-\x9f\xad]")),  # C1 controls and the soft hyphen
    (b"\xc3", re.compile(rb"\xc3[\x82-\xb4](?:\xc2|\xc5|\xc6|\xcb|\xe2[\x80\x82\x84]|\\u)")),  # mojibake
    (b"\xe1", re.compile(rb"\xe1\xa0\x8e")),
    (b"\xe2", re.compile(rb"\xe2(?:\x80\x8b|\x81[\xa0-\xa4])")),  # zero width
    (b"\xef", re.compile(rb"\xef(?:\xbf\xbd|\xbb\xbf)")),  # U+FFFD, U+FEFF
    (b"\xf3", re.compile(rb"\xf3\xa0")),  # tags
)  # fmt: skip
TEMPLATE = (b"<|", b"_turn>", b"INST]", b"SYS>>")
"""What the control tokens of chat templates have in common; looked for in conversations only."""


def is_plain(data: bytes) -> bool:
    """Whether no rule that needs "rare-text" can find anything in these bytes."""
    if b"&" in data and ENTITY.search(data) is not None:
        return False
    if b"\x7f" in data or (b"\\" in data and ESCAPE.search(data) is not None):
        return False
    if data.isascii():
        return True
    return not any(first in data and pattern.search(data) is not None for first, pattern in RAW)


def is_plain_talk(data: bytes) -> bool:
    """The same for a conversation, whose messages must not hold control tokens either."""
    return is_plain(data) and not any(token in data for token in TEMPLATE)


def has_token(lines: Sequence[bytes]) -> bool:
    """Whether lines may hold control tokens of chat templates."""
    data = b"".join(lines)
    return (
        b"INST]" in data
        or (b"<" in data and b"<|" in data)
        or (b">" in data and (b"_turn>" in data or b"SYS>>" in data))
    )
