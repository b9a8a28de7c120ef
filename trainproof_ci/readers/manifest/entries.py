"""One line of a manifest: what it says of a file, or what is wrong with it."""

import os
import re
from collections.abc import Mapping

from trainproof_ci.errors import Unreadable
from trainproof_ci.places import Location
from trainproof_ci.typed import Any, NamedTuple

HEX_DIGITS = {"md5": 32, "sha1": 40, "sha256": 64, "sha512": 128}
LARGEST_COUNT = (1 << 63) - 1
LONGEST_PATH = 4096
_HEX = re.compile(r"[0-9a-f]+\Z")
_DRIVE = re.compile(r"[A-Za-z]:")


class Entry(NamedTuple):
    """What a manifest says of one file; None where it says nothing. `path` is relative to the manifest."""

    path: str
    line: int
    algorithm: str | None = None
    digest: str = ""
    bytes: int | None = None
    records: int | None = None
    encoding: str | None = None
    split: str | None = None
    blocks: tuple[str, ...] = ()
    rejected: str | None = None
    """Why the artifact was rejected, for one that was."""
    files: int | None = None
    """The number of files, for an entry about a folder."""

    def below(self, folder: str) -> str:
        """Its path from the working directory, where the manifest lies in `folder`."""
        return os.path.normpath(os.path.join(folder, self.path)).replace(os.sep, "/")


class Malformed(NamedTuple):
    """An entry that cannot be used, and why."""

    line: int
    problem: str
    found: str


class Broken(ValueError):  # noqa: N818 - a state of the entry, as `Unreadable` is one of the file
    """An entry cannot be used: `problem` and what was `found` instead."""

    def __init__(self, problem: str, found: str) -> None:
        super().__init__(problem)
        self.problem, self.found = problem, found


def entry(plain: Any, line: int, *, rejected: bool = False) -> Entry:
    """The entry that a JSON value describes. Raises `Broken`."""
    if not isinstance(plain, dict):
        raise Broken("an entry must be an object", type(plain).__name__)
    algorithm, digest = _digest(plain)
    return Entry(
        path=inside(plain.get("path")),
        line=line,
        algorithm=algorithm,
        digest=digest,
        bytes=_count(plain, "bytes"),
        records=_count(plain, "records"),
        encoding=_word(plain, "encoding"),
        split=_word(plain, "split"),
        blocks=_blocks(plain),
        rejected=(_word(plain, "reason") or "no reason recorded") if rejected else None,
    )


def inside(path: Any) -> str:
    """A relative path that stays in the manifest's folder. Raises `Broken`."""
    if not isinstance(path, str) or not path:
        raise Broken("an entry needs a path", type(path).__name__ if path else "none")
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path or _DRIVE.match(path):
        raise Broken("a path must stay inside the manifest's folder", f"a path of {len(parts)} segments that leaves it")
    if len(path) > LONGEST_PATH or "\0" in path or any("\ud800" <= letter < "\udc80" for letter in path):
        raise Broken("a path must be a file name", f"{len(path)} characters that name no file")
    return "/".join(part for part in parts if part not in {"", "."}) or "."


def checked_digest(algorithm: str, digest: Any) -> str:
    """A whole digest in lower case. Raises `Broken`; a prefix never matches."""
    wanted = HEX_DIGITS[algorithm]
    if not isinstance(digest, str) or len(digest) != wanted or not _HEX.match(digest.lower()):
        found = f"{len(digest)} characters" if isinstance(digest, str) else type(digest).__name__
        raise Broken(f"a {algorithm} must have {wanted} hexadecimal digits", found)
    return digest.lower()


def _digest(plain: Mapping[str, Any]) -> tuple[str | None, str]:
    for algorithm in ("sha256", "sha512", "sha1", "md5"):
        if plain.get(algorithm) is not None:
            return algorithm, checked_digest(algorithm, plain[algorithm])
    return None, ""


def _count(plain: Mapping[str, Any], key: str) -> int | None:
    count = plain.get(key)
    if count is None:
        return None
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= LARGEST_COUNT:
        found = "a negative number" if isinstance(count, int) and count < 0 else type(count).__name__
        raise Broken(f"{key} must be a whole number from 0", found)
    return count


def _word(plain: Mapping[str, Any], key: str) -> str | None:
    word = plain.get(key)
    if word is None or (isinstance(word, str) and len(word) <= 1024):
        return word
    raise Broken(f"{key} must be a text", type(word).__name__)


def _blocks(plain: Mapping[str, Any]) -> tuple[str, ...]:
    joined = plain.get("blocks")
    if joined is None:
        return ()
    if not isinstance(joined, str) or len(joined) % 8 or len(joined) > 128 or not (not joined or _HEX.match(joined)):
        raise Broken("blocks must be up to 16 CRC-32s in hexadecimal", type(joined).__name__)
    return tuple(joined[at : at + 8] for at in range(0, len(joined), 8))


def and_more(count: int) -> str:
    """What a message adds when `count` entries share a fault."""
    return f" (and {count - 1} more)" if count > 1 else ""


def is_ours(document: Mapping[str, Any]) -> bool:
    """Whether `manifest write` wrote it."""
    return str(document.get("tool", "")).startswith("trainproof-ci")


def refuse_other_version(document: Mapping[str, Any], path: str) -> None:
    """Raise `Unreadable` for a manifest of ours that a later version wrote: what it means is not known here."""
    version = document.get("version", 1)
    if is_ours(document) and version != 1:
        raise Unreadable(
            "a manifest of another version is not read", measured=f"version {version}" if type(version) is int else "a version that is no number", limit="version 1",
            location=Location(path, line=1),
        )  # fmt: skip
