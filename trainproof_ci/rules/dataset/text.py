"""Characters in the texts that nobody meant: destroyed, wrongly decoded, controlling, invisible."""

import re
from collections.abc import Iterator

from trainproof_ci.model import Severity
from trainproof_ci.patterns import later
from trainproof_ci.places import safe_path
from trainproof_ci.readers.dataset.record import Fault, Record, texts
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule

CONTROL = later("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")
"""Controls but for tab, line feed, carriage return, form feed, vertical tab, the separators and NEL."""


@rule("TP-ENC-REPLACEMENT", Severity.WARN, needs=("rare-text",), per="record")
def replacement_character(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A text holds U+FFFD, the replacement character.

    Why: an earlier decoder met bytes it could not read and threw them away; what stood there is lost.
    Fix: decode the source again with its real encoding.
    Stands down: a text that is about the character, in quotes or by name.
    """
    for key, text in texts(record.value):
        if "\ufffd" in text and not _speaks_of_it(text):
            yield Fault(
                "replacement characters in the text", f"{text.count(chr(0xFFFD))} U+FFFD", "0", key=safe_path(key)
            )
            return


def _speaks_of_it(text: str) -> bool:
    return any(word in text.lower() for word in ("replacement character", "u+fffd", "\\\\ufffd", "mojibake"))


@rule("TP-ENC-MOJIBAKE", Severity.WARN, needs=("rare-text",), per="record")
def mojibake(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """UTF-8 was read as cp1252: `cafÃ©` in place of `café`.

    Why: the model learns the broken spelling; its tokens are others than those of the word.
    Fix: re-encode as cp1252 and decode as UTF-8 once. Only what this repairs fires; Ã and Â of Portuguese, Romanian or
    French text stay quiet, and so do Ø and Ù but where two sequences follow each other, as in Arabic and Hebrew words.
    """
    for key, text in texts(record.value):
        found = sum(1 for match in _TWICE.finditer(text) if _decodes(match, text))
        if found:
            yield Fault("text that is UTF-8 read as cp1252", f"{found} sequences", "0", key=safe_path(key))
            return


_CONTINUATION = "\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178"
_TWICE = later(
    f"[\u00c2-\u00df][{_CONTINUATION}]|[\u00e0-\u00ef][{_CONTINUATION}]{{2}}|[\u00f0-\u00f4][{_CONTINUATION}]{{3}}"
)
_SYMBOLS = later("[\u00a1-\u00bf]")


def _decodes(match: "re.Match[str]", text: str) -> bool:
    """Whether the sequence is UTF-8 that was read as cp1252, and not two characters that happen to meet."""
    try:
        repaired = _cp1252(match[0]).decode()
    except UnicodeError:
        return False
    if len(match[0]) > 2:
        return repaired.isprintable() and not repaired.isspace()
    before, after = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    lead, sign = match[0][0], match[0][1]
    if lead == "\u00c2":
        return _is_split_sign(sign, before)
    if lead in _ARABIC_OR_HEBREW:
        return _TWICE.match(text, match.end()) is not None
    return lead in "\u00c3\u00c4\u00c5\u00d0\u00d1\u00ce\u00cf" and (
        before.islower() or after.islower() or _TWICE.match(text, match.end()) is not None
    )


_ARABIC_OR_HEBREW = "\u00d7\u00d8\u00d9\u00da\u00db"
"""What letters of these scripts begin with: of one alone nobody can say that it is not meant, as in `\u00d8\u2026` or `3\u00d7\u00b2`."""


def _is_split_sign(sign: str, before: str) -> bool:
    """Whether a capital A with a circumflex is the first half of a sign, and not the end of a word before that sign."""
    if sign in "\u00a9\u00ae":
        return not before.isupper()
    if sign == "\u00a0":
        return before.islower() or before.isdecimal() or (before != "" and before in ".,;:!?%)")
    return _SYMBOLS.match(sign) is not None and sign not in "\u00bb\u00ab"


def _cp1252(text: str) -> bytes:
    """The bytes a Windows decoder made these characters of; it maps the five bytes that cp1252 leaves out to themselves."""
    return b"".join(bytes([ord(char)]) if "\x80" <= char <= "\x9f" else char.encode("cp1252") for char in text)


@rule("TP-ENC-CONTROL", Severity.WARN, needs=("rare-text",), per="record")
def control_character(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A text holds a control character.

    Why: NUL cuts the text in C readers, ESC sequences are a terminal's colours, C1 controls are punctuation of cp1252
    that was read as Latin-1; none of them is language.
    Fix: remove or decode them. Tab, line ends, form feed and vertical tab are ordinary.
    """
    for key, text in texts(record.value):
        found = CONTROL.findall(text)
        if found:
            first = ord(found[0])
            yield Fault(
                "control characters in the text",
                f"{len(found)} controls, the first U+{first:04X}",
                "0",
                key=safe_path(key),
            )
            return


_UNSEEN = "[\u200b\u2060\u180e\ufeff\u00ad\u2061-\u2064\U000e0020-\U000e007f]"
INVISIBLE = later(_UNSEEN)
_JOINED = later(f"[a-zA-Z]{_UNSEEN}+[a-zA-Z]")
_TAGS = later("\U0001f3f4[\U000e0020-\U000e007f]+")
"""A flag of England, Scotland or Wales is spelled with invisible tags."""


@rule("TP-ENC-INVISIBLE", Severity.WARN, needs=("rare-text",), per="record")
def invisible_character(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """Invisible characters stand inside Latin words, or hidden tags spell a text.

    Why: a word with a zero-width space in it has other tokens and looks the same in review; tag characters can carry
    a hidden instruction.
    Fix: remove them. Joiners and direction marks are orthography in many scripts and in emoji and stay quiet, as does
    a zero-width space between words of Thai, Khmer or Japanese.
    """
    for key, text in texts(record.value):
        if INVISIBLE.search(text) is None:
            continue
        found = len(_JOINED.findall(text)) + len(re.findall("[\U000e0020-\U000e007f]", _TAGS.sub("", text)))
        if found:
            yield Fault("invisible characters inside words", f"{found} places in one text", "0", key=safe_path(key))
            return
