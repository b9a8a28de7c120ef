"""File names that try to get out of every sink: 62 by hand, and a generator of others."""

import random

BY_HAND: tuple[bytes, ...] = (
    b"line\n::error title=owned::owned", b"return\r::set-output name=verdict::PASS", b"both\r\n::warning::owned",
    b"old##[error]owned", b"##[add-mask]loss", b"##[stop-commands]token", b"x ##[set-output name=verdict]PASS",
    b"::error::owned", b"  ::warning::owned", b"\t::notice::owned", "\u2028::error::owned".encode(),
    "\u00a0::error::owned".encode(), "\u3000::error::owned".encode(), b"::stop-commands::t", b"::add-mask::e", b"a::error::b",
    b"$(touch canary)", b"`touch canary`", b"a;touch canary;", b"a&&touch canary", b"a|touch canary|", b"${{ github.token }}",
    b"$GITHUB_TOKEN", b"-rf", b"--format=json", b"--output=owned", b"%0A%3A%2C%25", b"a%0D%0A::error::b", b"%2e%2e%2fb",
    "right\u202eto left\u202c".encode(), "zero\u200bwidth".encode(), "joined\u200d\u2060".encode(), "soft\u00adhyphen".encode(),
    "tag\U000e0041\U000e0042".encode(), "tr\u0430in".encode(), "cafe\u0301".encode(), "caf\u00e9".encode(), b"L" * 240,
    b" leading and trailing ", b"quote'double\"", b"back\\slash\\n", b"a | b || c", b"[x](javascript:alert(1))",
    b"![x](http:evil.example)", b"<javascript:alert(1)>", b"tick``s`s", b"# heading", b"<img src=x onerror=alert(1)>",
    b"<!-- comment", b"<details open>", b"<\x2fscript>", b"@octocat please", b"fixes #1", b"GH-1 and o\x2fr#2",
    b"\x1b[2J\x1b]0;owned\x07", b"\x1b]8;;http:evil\x07x", b"bell\x07\x08\x08", b"delete\x7f", "c1\u009b31m".encode(),
    b"not\xff\xfeutf8", b"latin\xe9", b"surrogate\xed\xa0\x80",
)  # fmt: skip
PIECES: tuple[bytes, ...] = (
    b"::", b"##[", b"]", b"error", b"warning", b"set-output name=a", b"add-mask", b"stop-commands", b"\n", b"\r", b"\t", b" ", b"%",
    b"%0A", b"%3A", b"%2C", b"%25", b",", b"line=9", b"|", b"`", b"<b>", b"&lt;", b"[", b"](", b")", b"!", b"@", b"#", b"\\", b"'",
    b'"', b"{", b"}", b"${{", b"}}", b"\x1b[", b"\x00"[:0], b"\x7f", b"\xff", "\u2028".encode(), "\u202e".encode(), "\u200b".encode(),
    "\u0085".encode(), b"a", b"B", b"7", b".", b"-", b"~", b"*", b"_", b"=", b"EOF", b"trainproof-", "\U0001f600".encode(), b"https:",
)  # fmt: skip


def generated(count: int, seed: int = 20_261_129) -> list[bytes]:
    """`count` names of up to 12 pieces each; none is empty, holds a slash or is longer than 200 bytes."""
    chance = random.Random(seed)
    names: list[bytes] = []
    while len(names) < count:
        name = b"".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12)))[:200]
        if name and name not in {b".", b".."}:
            names.append(name)
    return names
