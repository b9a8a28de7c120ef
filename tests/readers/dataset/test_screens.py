"""What a rule about rare characters finds, the screens find before it, however it is written."""

import json
import random

from trainproof_ci.readers.dataset.record import Record
from trainproof_ci.readers.dataset.screens import has_token, is_plain
from trainproof_ci.rules.dataset import text as rules
from trainproof_ci.rules.dataset.tokens import tokens_in

CHARACTERS = [
    *'a5\u00d7\u00d8\u00d9\u00da\u00db\u00a0\u00ae\u00e9 \u00e0\u00c2\u00c3\u00c4\u00e7\u00ef\u00f0\u00f4\u00df\u00ce\u00d0\u00d1\u20ac\u201d\u2026\u2122\u0192\u0161\u02dc\u00a9\u00bb\x85\x81\u00ad\u200b\u2062\u180e\ufeff\ufffd\x07\x7f\U000e0041\u017e\u0178\u2014 bz\n"\\/', "\U0001f600",
]  # fmt: skip
RULES = (rules.replacement_character, rules.mojibake, rules.control_character, rules.invisible_character)


def spelled(text: str, random_: random.Random) -> bytes:
    """A text as JSON, each character as it is or as an escape."""
    return b"".join(json.dumps(char, ensure_ascii=random_.random() < 0.5).encode()[1:-1] for char in text)


def test_nothing_that_a_rule_finds_is_plain() -> None:
    random_ = random.Random(1)
    found = 0
    for _ in range(6000):
        text = "".join(random_.choices(CHARACTERS, k=random_.randint(1, 7)))
        record = Record(1, 1, 0, {"text": text}, b"")
        if any(list(rule.each(record, None, {})) for rule in RULES if rule.each is not None):
            found += 1
            for written in (
                spelled(text, random_),
                json.dumps(text).encode(),
                json.dumps(text, ensure_ascii=False).encode(),
            ):
                assert not is_plain(written), ascii(text)
    assert found > 1000


def test_ordinary_writing_of_many_languages_is_plain() -> None:
    texts = [
        "\u201ccaf\u00e9\u201d \u2013 d\u00e9j\u00e0 vu\u2026",
        "na\u00efve, se\u00f1or",
        "a\u00e7\u00e3o n\u00e3o",
        "\u00dcbergr\u00f6\u00dfe",
        "vi\u1ec7t nam",
        "\u65e5\u672c\u8a9e\u3002",
        "C:\\new",
        "R&D",
        "\U0001f44d\U0001f3fd",
        "a < b",
    ]
    for text in texts:
        assert is_plain(json.dumps(text, ensure_ascii=False).encode()), text
        assert is_plain(json.dumps(text).encode()), text


def test_every_control_token_is_seen_with_its_slash_escaped_or_not() -> None:
    for token in (
        "<|im_end|>",
        "<start_of_turn>",
        "<end_of_turn>",
        "[INST]",
        "[/INST]",
        "<<SYS>>",
        "<</SYS>>",
        "An elm.</s>",
    ):
        assert tokens_in(token)
        assert has_token(token.encode())
        assert has_token(token.replace("/", "\\/").encode())
    assert not has_token(b"a < b [1] <b> INST")
