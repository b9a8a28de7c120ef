"""Holding a manifest's entries against what lies there: the file itself, or a pointer to it."""

import hashlib
import json
import os

from trainproof_ci.errors import Unreadable
from trainproof_ci.intake.artifact import Artifact, block_bytes, difference, measure
from trainproof_ci.readers.manifest.dvc import OLD_TEXT_MD5
from trainproof_ci.readers.manifest.entries import Entry
from trainproof_ci.readers.pointers import is_pointer, lfs_object
from trainproof_ci.readers.source import Head, Source, refuse_special
from trainproof_ci.typed import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings

MOST_FOLDER_FILES = 100_000


class Held(NamedTuple):
    """What lies where an entry points.

    `by` is "file", "folder", "lfs" (a Git LFS pointer), "dvc" (a `.dvc` file beside), "missing" or "refused".
    """

    by: str
    artifact: Artifact | None = None
    records: int | None = None
    encoding: str | None = None
    why: str = ""
    """Why records and encoding could not be counted, or the file not be read."""
    files: int | None = None

    def other_size(self, entry: Entry) -> bool:
        """Whether the size is known to be another than recorded."""
        if self.artifact is None:
            return False
        if None not in {entry.files, self.files} and entry.files != self.files:
            return True
        return entry.bytes is not None and self.artifact.bytes != entry.bytes

    def other_digest(self, entry: Entry) -> bool:
        """Whether the digest is known to be another although the size is as recorded."""
        if self.artifact is None or entry.algorithm is None or self.other_size(entry):
            return False
        return self.artifact.digests.get(entry.algorithm, entry.digest) != entry.digest

    def difference(self, entry: Entry) -> str:
        """In words, how what lies there differs from what was recorded."""
        assert self.artifact is not None
        if self.by in {"lfs", "dvc"}:
            return "the pointer in its place is for another file"
        if self.by == "folder":
            return "the folder holds other files"
        return difference(entry.bytes, entry.blocks, self.artifact)


class Verification:
    """Measures each file once, however often it is listed."""

    def __init__(self, folder: str, settings: "Settings", *, pointers: bool = True) -> None:
        """`pointers` says whether a `.dvc` file may stand for a missing file; it may not vouch for itself."""
        self.folder, self.settings, self.pointers = folder, settings, pointers
        self.root = os.path.realpath(".")
        self._measured: dict[tuple[str, str | None, int | None, bool], Held] = {}

    def hold(self, entry: Entry) -> Held:
        """What lies at the entry's path."""
        counted = entry.records is not None or entry.encoding is not None
        key = (entry.path, entry.algorithm, entry.bytes, counted)
        if key not in self._measured:
            self._measured[key] = self._held(entry, counted)
        return self._measured[key]

    def _held(self, entry: Entry, counted: bool) -> Held:
        path = entry.below(self.folder)
        if not os.path.lexists(path):
            return (_beside(path) if self.pointers else None) or Held("missing")
        try:
            refuse_special(path, self.root)
            head = Head.of(path)
            if is_pointer(head):
                return _pointed(head)
            held = Held("file", _measured(path, entry))
        except IsADirectoryError:
            return _folder(path)
        except Unreadable as unreadable:
            return Held("refused", why=unreadable.reason)
        return self._counted(path, held) if counted else held

    def _counted(self, path: str, held: Held) -> Held:
        """Add the records and the encoding that the dataset's own reader finds."""
        from trainproof_ci.discovery import classify
        from trainproof_ci.registry import facts_module

        target = classify(path, self.root)
        if target is None or target.kind != "dataset" or target.refusal is not None:
            return held._replace(why="not recognised as a dataset, so its records are not counted")
        try:
            summary = facts_module("dataset").read(target, self.settings, ()).summary()
        except Unreadable as unreadable:
            return held._replace(why=unreadable.reason)
        records, encoding = summary.get("records"), summary.get("encoding")
        return held._replace(
            records=records if isinstance(records, int) else None,
            encoding=encoding if isinstance(encoding, str) else None,
            why="" if isinstance(records, int) else "its format has no count of records",
        )


def _measured(path: str, entry: Entry) -> Artifact:
    block = block_bytes(entry.bytes if entry.bytes is not None else os.path.getsize(path))
    with Source(path) as source:
        if entry.algorithm == OLD_TEXT_MD5:
            found = measure(source.file, block, ("md5",))
            source.file.seek(0)
            old = _unix_md5(source.file)
            digests = {OLD_TEXT_MD5: entry.digest if entry.digest in {old, found.digests["md5"]} else old}
            return found._replace(digests=digests)
        return measure(source.file, block, (entry.algorithm or "sha256",))


def _unix_md5(file: BinaryIO) -> str:
    digest = hashlib.md5(usedforsecurity=False)
    carried = b""
    while chunk := file.read(1 << 20):
        text = carried + chunk
        carried = b"\r" if text.endswith(b"\r") else b""
        digest.update(text.removesuffix(carried).replace(b"\r\n", b"\n") if carried else text.replace(b"\r\n", b"\n"))
    digest.update(carried)
    return digest.hexdigest()


def _pointed(head: Head) -> Held:
    promised = lfs_object(head)
    if promised is None:
        return Held("refused", why="a malformed Git LFS pointer stands in its place")
    return Held("lfs", Artifact(promised[1], {"sha256": promised[0]}), why="a Git LFS pointer says nothing of records")


def _beside(path: str) -> Held | None:
    """The `.dvc` file of a file that is not here."""
    from trainproof_ci.readers.manifest import dvc

    pointer = path + ".dvc"
    try:
        with Source(pointer) as source:
            outs = dvc.entries(source.file.read(64 << 10), pointer)
    except Unreadable:
        return None
    out = outs[0]
    if not isinstance(out, Entry) or out.bytes is None or out.path != path.rsplit("/", 1)[-1]:
        return None
    return Held("dvc", Artifact(out.bytes, {"md5": out.digest}), why="only its DVC pointer is here")


def _folder(path: str) -> Held:
    """A folder as DVC digests it: the MD5 of a listing of its files' MD5s."""
    listing: list[dict[str, str]] = []
    total = 0
    for top, folders, names in os.walk(path):
        folders.sort()
        for name in names:
            full = os.path.join(top, name)
            if len(listing) >= MOST_FOLDER_FILES or os.path.islink(full):
                return Held("refused", why=f"a folder with a link in it, or of more than {MOST_FOLDER_FILES} files")
            with Source(full) as source:
                found = measure(source.file, block_bytes(source.size), ("md5",))
            total += found.bytes
            relative = os.path.relpath(full, path).replace(os.sep, "/")
            listing.append({"md5": found.digests["md5"], "relpath": relative})
    listing.sort(key=lambda each: each["relpath"])
    digest = hashlib.md5(json.dumps(listing, sort_keys=True).encode(), usedforsecurity=False).hexdigest()
    return Held("folder", Artifact(total, {"md5": digest, OLD_TEXT_MD5: digest}), files=len(listing))
