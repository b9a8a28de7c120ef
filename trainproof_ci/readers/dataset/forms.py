"""The written form of flat records: the bytes around their texts, which are the same from line to line.

Where the bytes around the texts of a line are known and proved, the line needs no parse: what stands between them is
text as long as no quote, no control character and no doubtful escape occurs in it. Texts are compared as they are
written, in one spelling: of all escapes only those of line ends, tabs and quotes, and an escaped backslash as two marks.
"""

from collections.abc import Iterable
from json import JSONDecoder
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring

from trainproof_ci.patterns import later
from trainproof_ci.readers.dataset.screens import is_plain
from trainproof_ci.typed import Any, NamedTuple, NoReturn

ODD = later(rb"\\[u/]")
"""Escapes of what could be written in another way."""
QUOTE, ESCAPED_QUOTE = b'"', b'\\"'
QUOTED = b"\0\0"
"""What stands for an escaped quote where a line is split at quotes."""
BACKSLASHES, MARKS = b"\\\\", b"\1\1"
"""An escaped backslash, and what stands for it where every other backslash must begin an escape."""


def marked(data: bytes) -> bytes:
    """Bytes with the marks for escaped backslashes; the same object where there are none, or the marks mean something else."""
    return data.replace(BACKSLASHES, MARKS) if MARKS[:1] not in data else data


def spelled(text: str) -> bytes:
    """A text in the one spelling in which texts are compared."""
    return encode_basestring(text)[1:-1].encode("utf-8", "surrogatepass").replace(BACKSLASHES, MARKS)


def shown(written: bytes) -> str:
    """The text that is written so."""
    escaped = written.replace(MARKS, BACKSLASHES).replace(QUOTED, ESCAPED_QUOTE)
    text: str = scanstring(escaped.decode() + '"', 0)[0]
    return text


def respelled(written: bytes) -> bytes:
    """A text as it is written, in the one spelling."""
    return written if ODD.search(written) is None else spelled(shown(written))


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


SCAN: Any = vars(JSONDecoder(object_pairs_hook=tuple, parse_constant=_refuse))["scan_once"]
"""One parse: an object becomes its pairs in order, so that a repeated key cannot hide."""


class Form(NamedTuple):
    """The bytes before the first text, between the texts and after the last one; the keys in order."""

    head: bytes
    between: tuple[bytes, ...]
    tail: bytes
    keys: tuple[str, ...]

    def line(self, texts: Iterable[bytes]) -> bytes:
        """The line that holds these texts."""
        first, *rest = texts
        return self.head + first + b"".join(map(b"".join, zip(self.between, rest, strict=True))) + self.tail


def form_of(line: bytes, keys: tuple[str, ...]) -> Form | None:
    """The form of a line whose record has these keys and nothing but texts; None where it has not one that is proved."""
    parts = line.replace(BACKSLASHES, b"").replace(ESCAPED_QUOTE, b"").split(QUOTE)
    if len(parts) != 4 * len(keys) + 1 or not line.endswith((b"}\n", b"}\r\n")):
        return None
    head = QUOTE.join([*parts[:3], b""])
    between = tuple(QUOTE.join([b"", *parts[at : at + 3], b""]) for at in range(4, len(parts) - 1, 4))
    form = Form(head, between, QUOTE + parts[-1], keys)
    fixed = b"\n".join((form.head, *form.between, form.tail))
    if b"\\" in fixed or b"\0" in fixed or not fixed.isascii() or not is_plain(fixed):
        return None
    sample = form.line([b"x"] * len(keys)).decode()
    try:
        found, end = SCAN(sample, 0)
    except (ValueError, StopIteration):
        return None
    return form if found == tuple((key, "x") for key in keys) and sample[end:] in {"\n", "\r\n"} else None
