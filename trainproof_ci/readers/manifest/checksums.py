"""Checksum lists: `SHA256SUMS` and its kin, in the layout of coreutils or of BSD, and `NAME.sha256` with a bare digest."""

import os
import re
from collections.abc import Iterator

from trainproof_ci.readers.manifest.entries import HEX_DIGITS, Broken, Entry, Malformed, checked_digest, inside

_NAME = re.compile(r"(?:sha|md5|checksums?\b|.*\.(?:sha\d+|md5)(?:sums?)?\Z)", re.IGNORECASE)
_LIST = re.compile(r"(?:sha(?:1|256|512)|md5)sums?(?:\.txt)?\Z", re.IGNORECASE)
_ALGORITHM = re.compile(r"(md5|sha512|sha256|sha1)", re.IGNORECASE)
_LINE = re.compile(r"(?P<escaped>\\?)(?P<digest>[0-9A-Fa-f]{8,160})[ \t][ \t*]?(?P<path>.+)\Z")
_TAGGED = re.compile(r"(?P<name>[A-Z0-9-]{3,8}) \((?P<path>.+)\) = (?P<digest>[0-9A-Fa-f]{8,160})\Z")
_BARE = re.compile(r"[0-9A-Fa-f]{8,160}\Z")
_BY_LENGTH = {length: name for name, length in HEX_DIGITS.items()}
LISTED_AT_MOST = 1000
"""Lines of the head that are looked at to recognise a list."""


def named_like_one(name: str) -> bool:
    """Whether a file's name says that it holds checksums."""
    return _NAME.match(name) is not None


def named_for_sure(name: str) -> bool:
    """Whether nothing but a list of checksums is called so, however damaged it is."""
    return _LIST.match(name) is not None


def entries(text: str, path: str) -> Iterator[Entry | Malformed]:
    """The entries of a list, line by line; blank lines and `#` comments are none."""
    name = path.rsplit("/", 1)[-1]
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield _entry(line, number, name)
        except Broken as broken:
            yield Malformed(number, broken.problem, broken.found)


def _entry(line: str, number: int, name: str) -> Entry:
    tagged = _TAGGED.match(line)
    if tagged:
        algorithm = tagged["name"].lower().replace("-", "")
        if algorithm not in HEX_DIGITS:
            raise Broken("the digest must be MD5, SHA-1, SHA-256 or SHA-512", "another algorithm")
        return Entry(inside(tagged["path"]), number, algorithm, checked_digest(algorithm, tagged["digest"]))
    plain = _LINE.match(line)
    if plain is None and _BARE.match(line.strip()):
        digest, path = line.strip(), os.path.splitext(name)[0]
        if path == name:
            raise Broken("a digest alone belongs to the file that its list is named after", "a list named after none")
    elif plain is not None:
        digest, path = plain["digest"], _unescaped(plain["path"]) if plain["escaped"] else plain["path"]
    else:
        raise Broken("a line must be a digest and a file name", f"{len(line)} characters of something else")
    said = _ALGORITHM.search(name)
    algorithm = said[1].lower() if said else _BY_LENGTH.get(len(digest), "sha256")
    return Entry(inside(path), number, algorithm, checked_digest(algorithm, digest))


def _unescaped(path: str) -> str:
    return path.replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\")
