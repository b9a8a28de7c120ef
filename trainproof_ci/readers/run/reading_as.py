"""The reader for a file that was named outright although its format was not recognised."""

import re

from trainproof_ci.readers.run.documents import not_a_log
from trainproof_ci.readers.run.encodings import encoding_of
from trainproof_ci.readers.run.formats import READERS, Reader, reader
from trainproof_ci.typed import TYPE_CHECKING

_ARRAY = re.compile(r"\[\s*(?:[\[{\"\]]|[-\d.eE+]+\s*[,\]]\s*(?:[-\d\]\n]|$))")
"""The beginning of a JSON array; `[12:03:01]` and `[10] train-rmse` begin lines of text."""

if TYPE_CHECKING:
    from trainproof_ci.readers.source import Head


def likely_reader(head: "Head") -> Reader:
    """The reader to try. Raises `Unreadable` for an empty file and for bytes that are no text."""
    if not head.size:
        raise not_a_log(head.path, "the file is empty")
    known = next((name for name in READERS if reader(name).recognise(head)), None)
    if known is not None:
        return reader(known)
    text = head.start.decode(encoding_of(head.start[:4096]), "replace").lstrip("\ufeff \t\r\n")
    if _ARRAY.match(text) or (text.startswith("{") and "\n{" not in text):
        return reader("json-history")
    if text.startswith("{"):
        return reader("jsonl")
    return reader("csv" if head.suffix in {".csv", ".tsv"} else "console")
