"""Git LFS pointers: a few lines of text in place of the bytes, whatever the kind of file."""

import os
from fnmatch import fnmatchcase

from trainproof_ci.errors import Unreadable
from trainproof_ci.patterns import later
from trainproof_ci.places import Location
from trainproof_ci.readers.source import Head, read_start

LONGEST_POINTER = 1024
_FIRST_LINE = later(
    rb"\A(?:\xef\xbb\xbf)?version https?://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1[ \t]*\r?\n"
)
_WHOLE = later(
    rb"\Aversion https?://[a-z.-]+/spec/v1\n(?:ext-[0-9]-\S+ sha256:[0-9a-f]{64}\n)*"
    rb"oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>[0-9]{1,19})\n\Z",
)


def is_pointer(head: Head) -> bool:
    """Whether the file begins like a Git LFS pointer and is as small as one."""
    return head.size <= LONGEST_POINTER and _FIRST_LINE.match(head.start) is not None


def lfs_object(head: Head) -> tuple[str, int] | None:
    """The (sha256 in hex, size in bytes) that a well-formed pointer promises, else None."""
    found = _WHOLE.match(head.start) if head.size <= LONGEST_POINTER else None
    return (found["oid"].decode(), int(found["size"])) if found else None


def refuse_pointer(head: Head) -> None:
    """Raise `Unreadable` when the file is a Git LFS pointer: not checked, or committed by mistake."""
    if not is_pointer(head):
        return
    here = Location(head.path, line=1, byte_offset=0)
    promised = lfs_object(head)
    if promised is None:
        raise Unreadable(
            "a malformed Git LFS pointer stands in place of the data",
            rule="TP-FILE-LFS-COMMITTED", measured=f"a pointer of {head.size} bytes without a whole oid and size",
            limit="the data, or a well-formed pointer", location=here,
        )  # fmt: skip
    tracked = _tracked_by_lfs(head.path)
    if tracked is False:
        raise Unreadable(
            f"a Git LFS pointer for {promised[1]} bytes was committed as the data: no .gitattributes line tracks this path",
            rule="TP-FILE-LFS-COMMITTED", measured="filter=lfs on 0 matching lines", limit="a tracked path", location=here,
        )  # fmt: skip
    hint = "fetch it with `lfs: true` on actions/checkout or `git lfs pull`"
    if tracked is None:
        hint += "; there is no .gitattributes, so it may also have been committed as data"
    raise Unreadable(
        f"a Git LFS pointer stands in place of {promised[1]} bytes; {hint}",
        rule="TP-FILE-LFS-POINTER", measured=f"{head.size} bytes of pointer", limit=f"{promised[1]} bytes of data", location=here,
    )  # fmt: skip


def _tracked_by_lfs(path: str) -> bool | None:
    """Whether a `.gitattributes` from the working directory down to the file gives it `filter=lfs`; None without any."""
    parts = path.split("/")
    verdict: bool | None = None
    for depth in range(len(parts)):
        attributes = os.path.join(*parts[:depth], ".gitattributes")
        try:
            text = read_start(attributes, 1 << 20).decode("utf-8", "replace")
        except Unreadable:
            continue
        verdict = bool(verdict)
        for line in text.split("\n"):
            pattern, *values = line.split() or [""]
            if pattern and not pattern.startswith("#") and _fits("/".join(parts[depth:]), pattern.strip('"')):
                verdict = _filter_of(values, verdict)
    return verdict


def _filter_of(values: list[str], before: bool) -> bool:
    for value in values:
        if value.startswith("filter=") or value in {"-filter", "!filter"}:
            before = value == "filter=lfs"
    return before


def _fits(path: str, pattern: str) -> bool:
    """The pattern rules of gitattributes: without a slash it is about the name, with one about the whole path."""
    from trainproof_ci.globs import matches  # only pointers need it

    if "/" not in pattern.rstrip("/"):
        return fnmatchcase(path.rsplit("/", 1)[-1], pattern)
    return matches(path, pattern.lstrip("/"))
