"""Byte searches that prove a line, or a block of lines, free of everything rare before any value is looked at.

A search for one byte (memchr) costs a tenth of any other search, so each pattern is asked for only where its first byte
occurs at all, and each begins with one literal byte, which keeps the regular expressions in their fastest loop.
"""

from trainproof_ci.patterns import Narrowed, later

ENTITY = later(rb"&(?:#|[a-zA-Z]{2,8};)")
"""What may be an HTML entity."""
_AFTER = rb"(?:\\u(?:(?:00[89aAbB]|20[123aA]|0[12][0-9a-fA-F])[0-9a-fA-F]|2122)|(?:[\xc2\xc5\xc6\xcb]|\xe2[\x80\x82\x84])[\x80-\xbf])"
"""What the second and later bytes of a character become in mojibake: a few letters, quotes and signs."""
_NEXT = rb"[\\\xc2\xc5\xc6\xcb\xe2]"
"""The byte that any of them begins with."""


def _rare(mojibake: bytes) -> bytes:
    r"""Codes of controls, ASCII, invisible and replacement characters, mojibake and lone surrogates, after `\u`."""
    return (
        rb"(?:00(?:[0-7]|[89][0-9a-fA-F]|[aA][dD]|" + mojibake + rb")"
        rb"|180[eE]|200[bB]|206[0-4]|[fF](?:[eE][fF][fF]|[fF][fF][dD])"
        rb"|[dD](?:[bB]40|[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|[c-fC-F](?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F])))"
    )


def _doubtful(rare: bytes) -> bytes:
    return rb'\\(?:[^nrtf"/u]|u(?:' + rare + rb"|(?![0-9a-fA-F]{4}))|\Z)"


_RARE = _rare(rb"[cCdD][0-9a-fA-F]" + _AFTER + rb"|[eEfF][0-9a-fA-F]" + _AFTER * 2)
_UNCOMMON = later(rb'\\(?:[^nrtf"/]|\Z)')
_SUSPECT = Narrowed(_UNCOMMON, _doubtful(_rare(rb"[c-fC-F][0-9a-fA-F]" + _NEXT)))
"""Finds something wherever either of the next two does; they take longer to compile than a small file to read."""
DOUBTFUL = Narrowed(_SUSPECT, _doubtful(_RARE))
"""What is no escape, an escape of something rare, or a backslash that is escaped itself."""
ESCAPE = Narrowed(_SUSPECT, rb"\\(?:b|\\u[dD]|u" + _RARE + rb")")
"""Escapes that spell what is rare; a backslash that is escaped itself may hide half of a surrogate pair."""
RAW = (
    (b"\xc2", later(rb"\xc2[\x80-\x9f\xad]")),  # C1 controls and the soft hyphen
    (b"\xc3", Narrowed(later(rb"\xc3[\x82-\xb4]" + _NEXT), rb"\xc3(?:[\x82-\x9f]" + _AFTER + rb"|[\xa0-\xb4]" + _AFTER * 2 + rb")")),  # mojibake
    (b"\xe1", later(rb"\xe1\xa0\x8e")),
    (b"\xe2", later(rb"\xe2(?:\x80\x8b|\x81[\xa0-\xa4])")),  # zero width
    (b"\xef", later(rb"\xef(?:\xbf\xbd|\xbb\xbf)")),  # U+FFFD, U+FEFF
    (b"\xf3", later(rb"\xf3\xa0")),  # tags
)  # fmt: skip
TOKENS = (
    (b"<", later(rb"<(?:\||<\\?/?SYS>>|(?:start|end)_of_turn>|\\?/s>)")),
    (b"[", later(rb"\[\\?/?INST\]")),
)
"""What the control tokens of chat templates begin with, a slash written as it is or escaped."""


def is_plain(data: bytes) -> bool:
    """Whether no rule that needs "rare-text" can find anything in these bytes."""
    if b"&" in data and ENTITY.search(data) is not None:
        return False
    if b"\x7f" in data or (b"\\" in data and ESCAPE.search(data) is not None):
        return False
    return data.isascii() or not _has_raw(data)


def is_plain_text(data: bytes) -> bool:
    """The same for text in which an escape or an entity is no more than it looks like."""
    return len(data.translate(None, CONTROLS)) == len(data) and (data.isascii() or not _has_raw(data))


CONTROLS = bytes([*range(0x09), *range(0x0E, 0x1C), 0x7F])
"""Controls as they are, which `translate` takes out ten times as fast as a pattern finds them."""


def _has_raw(data: bytes) -> bool:
    return any(first in data and pattern.search(data) is not None for first, pattern in RAW)


def is_plain_reply(data: bytes) -> bool:
    """The same for a record with messages or answers, which must not hold control tokens either."""
    return is_plain(data) and not has_token(data)


def has_token(data: bytes) -> bool:
    """Whether there may be control tokens of chat templates."""
    return any(first in data and pattern.search(data) is not None for first, pattern in TOKENS)
