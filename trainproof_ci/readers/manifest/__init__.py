"""Readers of manifests: what a list of digests says, held against the files that lie there."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Chart
from trainproof_ci.places import SHOWN_PLACES, Location, Places
from trainproof_ci.readers.manifest.entries import Broken, Entry, Malformed, entry, is_ours, refuse_other_version
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.manifest.held import Held
    from trainproof_ci.registry import Rule

LARGEST = 16 << 20
PEEKED = 64
"""Listed paths that are looked up to tell a list about files here from one about files elsewhere."""
ABOUT = ("tool", "command", "run", "configuration")
_OURS = re.compile(rb'"tool"\s*:\s*"trainproof-ci\b')
_FILES = re.compile(rb'"files"\s*:\s*\[')
_PATH = re.compile(rb'"path"\s*:\s*"([^"\\]{1,512})"')
_CLAIM = re.compile(rb'"(?:sha256|sha1|sha512|md5|bytes)"\s*:')
_RECORDS = re.compile(rb'"records"\s*:')


class Manifest(NamedTuple):
    """A manifest held against its files. `ours` is false for lists that other tools wrote."""

    path: str
    format: str
    ours: bool
    held: "tuple[tuple[Entry, Held], ...]"
    malformed: tuple[Malformed, ...]
    unlisted: tuple[str, ...] = ()
    about: Mapping[str, Any] = {}
    """What the manifest says of the run: `command`, `run`, `configuration`."""

    @property
    def accepted(self) -> "Iterable[tuple[Entry, Held]]":
        """The entries that are not rejected."""
        return (pair for pair in self.held if pair[0].rejected is None)

    def place(self, entry: Entry | Malformed) -> Location:
        """The manifest's own line for an entry."""
        return Location(self.path, line=entry.line)

    def places(self, entries: Iterable[Entry]) -> Places:
        """The manifest's own lines for entries, recognised again by the path that they are about."""
        places = Places()
        for each in entries:
            places.add(self.place(each), each.path.encode("utf-8", "surrogateescape"))
        return places

    def files(self, entries: Sequence[Entry]) -> tuple[Location, ...]:
        """The files that the first entries are about, as related places."""
        top = os.path.dirname(self.path)
        return tuple(Location(each.below(top), line=1, note="the file") for each in entries[:SHOWN_PLACES])

    def lacks(self, need: str) -> str | None:
        """Why a rule cannot run: nobody claims that a foreign list is complete, or has rejected anything."""
        if need == "ours" and not self.ours:
            return "a list written by another tool"
        claims = {
            "digest": any(e.algorithm for e, _ in self.accepted),
            "bytes": any(e.bytes is not None for e, _ in self.accepted),
            "records": any(e.records is not None for e, _ in self.accepted),
            "encoding": any(e.encoding is not None for e, _ in self.accepted),
        }
        return None if claims.get(need, True) else f"no entry says its {need}"

    def summary(self) -> Mapping[str, object]:
        """Counts; names and digests stand in the manifest itself."""
        return {
            "entries": len(self.held) + len(self.malformed),
            "files_here": sum(held.by in {"file", "folder"} for _, held in self.held),
            "pointers": sum(held.by in {"lfs", "dvc"} for _, held in self.held),
            "bytes_verified": sum(held.artifact.bytes for _, held in self.held if held.artifact),
            "rejected": sum(entry.rejected is not None for entry, _ in self.held),
        }

    def charts(self) -> tuple[Chart, ...]:
        """None."""
        return ()


def recognise(head: Head) -> str | None:
    """The name of the format: "manifest" for JSON, "checksums", "dvc"; None for lists about files that are elsewhere."""
    from trainproof_ci.readers.manifest import checksums

    if head.suffix == ".dvc":
        return "dvc" if re.search(rb"(?m)^outs:", head.start) else None
    if head.start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return _json(head)
    if not checksums.named_like_one(head.name):
        return None
    text = head.start[: head.start.rfind(b"\n") + 1 or None].decode("utf-8", "surrogateescape")
    listed = list(checksums.entries(text, head.path))[: checksums.LISTED_AT_MOST]
    known = [each for each in listed if isinstance(each, Entry)]
    sure = len(known) * 2 > len(listed) or checksums.named_for_sure(head.name)
    return "checksums" if sure and _any_here(head, (each.path for each in known)) else None


def _json(head: Head) -> str | None:
    if not _FILES.search(head.start):
        return None
    if _OURS.search(head.start):
        return "manifest"
    if not (_PATH.search(head.start) and _CLAIM.search(head.start)):
        return None
    listed = (found.decode("utf-8", "surrogateescape") for found in _PATH.findall(head.start))
    return "manifest" if _RECORDS.search(head.start) or _any_here(head, listed) else None


def _any_here(head: Head, listed: Iterable[str]) -> bool:
    return any(head.beside(path) for path, _ in zip(listed, range(PEEKED), strict=False) if ".." not in path)


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> Manifest:
    """Read the manifest and measure every file that it lists. Raises `Unreadable`."""
    from trainproof_ci.readers.manifest.held import Verification  # recognising a file needs none of it

    del rules
    listed, about = parse(_bytes(target.path), target.path, target.format)
    ours = is_ours(about)
    verification = Verification(os.path.dirname(target.path), settings, pointers=target.format != "dvc")
    known, malformed = _unique(listed)
    held = tuple((each, verification.hold(each)) for each in known)
    _refuse_absent(target, held)
    unlisted = _unlisted(target.path, known) if ours else ()
    return Manifest(target.path, target.format, ours, held, malformed, unlisted, about)


def listed_paths(target: "Target") -> list[str]:
    """The paths of a manifest's entries, rejected ones too, from the working directory; no file of them is opened.

    None where the manifest cannot be read: its own report says why.
    """
    if target.refusal is not None:
        return []
    try:
        listed, _ = parse(_bytes(target.path), target.path, target.format)
    except Unreadable:
        return []
    folder = os.path.dirname(target.path)
    return [each.below(folder) for each in listed if isinstance(each, Entry)]


def _bytes(path: str) -> bytes:
    with Source(path) as source:
        data = source.file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise Unreadable(
            "the manifest is too large to be read", measured=f"{source.size} bytes", limit=f"{LARGEST} bytes",
            location=Location(path, line=1),
        )  # fmt: skip
    return data


def parse(data: bytes, path: str, form: str) -> tuple[list[Entry | Malformed], Mapping[str, Any]]:
    """The entries of a manifest in any of the formats, and what a JSON one says about the run."""
    if form == "unknown":  # named on purpose although nothing that it lists is here
        form = "dvc" if path.endswith(".dvc") else "manifest" if data.lstrip().startswith(b"{") else "checksums"
    if form == "dvc":
        from trainproof_ci.readers.manifest import dvc

        return dvc.entries(data, path), {}
    text = data.decode("utf-8-sig", "surrogateescape")
    if form == "checksums":
        from trainproof_ci.readers.manifest import checksums

        return list(checksums.entries(text, path)), {}
    from trainproof_ci.readers.manifest.located_json import top_level

    document = top_level(text, path)
    refuse_other_version(document, path)
    listed = [*_listed(document, "files"), *_listed(document, "rejected")]
    about: dict[str, Any] = {key: document[key] for key in ABOUT if key in document}
    return listed, about


def _listed(document: Mapping[str, Any], key: str) -> list[Entry | Malformed]:
    from trainproof_ci.readers.manifest.located_json import Located, Repeated

    elements = document.get(key, [])
    if not isinstance(elements, list):
        return [Malformed(1, f"{key} must be a list", type(elements).__name__)]
    found: list[Entry | Malformed] = []
    for element in elements:
        plain, line = element if isinstance(element, Located) else (element, 1)
        if isinstance(plain, Repeated):
            found.append(Malformed(line, "a key stands twice in it", "an ambiguous entry"))
            continue
        try:
            found.append(entry(plain, line, rejected=key == "rejected"))
        except Broken as broken:
            found.append(Malformed(line, broken.problem, broken.found))
    return found


def _unique(listed: Iterable[Entry | Malformed]) -> tuple[list[Entry], tuple[Malformed, ...]]:
    """Split off what is malformed; a path accepted twice is. A rejected one may be listed again and again."""
    known: list[Entry] = []
    malformed: list[Malformed] = []
    seen: set[str] = set()
    for each in listed:
        if isinstance(each, Malformed):
            malformed.append(each)
        elif each.rejected is None and each.path in seen:
            malformed.append(Malformed(each.line, "a path is listed twice", "the second entry of a path"))
        else:
            known.append(each)
            if each.rejected is None:
                seen.add(each.path)
    return known, tuple(malformed)


def _refuse_absent(target: "Target", held: "Sequence[tuple[Entry, Held]]") -> None:
    """A `.dvc` file without its data is a pointer, not a manifest that lost its files."""
    absent = [entry for entry, found in held if found.by == "missing"]
    if target.format == "dvc" and absent and len(absent) == len(held):
        size = absent[0].bytes
        raise Unreadable(
            "only the DVC pointer is here, not the data; run `dvc pull` before the check",
            rule="TP-FILE-DVC-POINTER", measured=f"0 of {'unknown' if size is None else size} bytes", limit="the data",
            location=Location(target.path, line=absent[0].line),
        )  # fmt: skip


def _unlisted(path: str, known: Iterable[Entry]) -> tuple[str, ...]:
    """Datasets that lie beside listed files without being listed."""
    from trainproof_ci.discovery import classify, guess_kind

    top = os.path.dirname(path)
    listed = {each.below(top) for each in known}
    root = os.path.realpath(".")
    found: list[str] = []
    for folder in sorted({os.path.dirname(each) for each in listed}):
        for name in sorted(os.listdir(folder or ".")) if os.path.isdir(folder or ".") else ():
            full = f"{folder}/{name}" if folder else name
            if full not in listed and guess_kind(full) == "dataset":
                target = classify(full, root)
                if target is not None and target.kind == "dataset" and target.refusal is None:
                    found.append(full)
    return tuple(found)
