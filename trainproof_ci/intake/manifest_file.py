"""Writing a manifest: one file a line, sorted by path, with what was rejected kept in sight."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence

from trainproof_ci import __version__
from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.intake.artifact import Artifact, block_bytes, measure
from trainproof_ci.model import Severity, TargetReport
from trainproof_ci.places import Location
from trainproof_ci.readers.dataset.splits import split_of
from trainproof_ci.readers.manifest import parse
from trainproof_ci.readers.manifest.entries import Entry
from trainproof_ci.readers.pointers import is_pointer, lfs_object
from trainproof_ci.readers.source import Head, Source
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target

Line = dict[str, Any]


def render(about: Mapping[str, Any], files: Iterable[Line], rejected: Iterable[Line]) -> bytes:
    """The manifest as bytes: the same input gives the same bytes on every machine."""
    head = {"version": 1, "tool": f"trainproof-ci {__version__}", **about}
    members = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    members.append(_block("files", files))
    turned_away = sorted(rejected, key=lambda line: (line["path"], line.get("sha256", "")))
    if turned_away:
        members.append(_block("rejected", turned_away))
    return ("{\n" + ",\n".join(members) + "\n}\n").encode("ascii")


def _block(key: str, lines: Iterable[Line]) -> str:
    written = ",\n".join("  " + json.dumps(line) for line in sorted(lines, key=lambda line: line["path"]))
    return f' "{key}": [\n{written}\n ]' if written else f' "{key}": []'


def sorted_out(
    targets: Sequence["Target"],
    reports: Sequence[TargetReport],
    folder: str,
    before: Sequence[Entry],
    settings: "Settings",
) -> tuple[list[Line], list[Line]]:
    """The lines of the accepted and of the rejected files of judged targets; paths are relative to `folder`.

    `before` are the rejected entries of the manifest that is replaced: they stay, and a file with the digest of one
    of them is rejected again whatever it was judged to be now.
    """
    by_path = {(report.path, report.kind): report for report in reports}
    files: list[Line] = []
    rejected = {(entry.path, entry.digest): _rejected_before(entry) for entry in before}
    reasons = {entry.digest: entry.rejected for entry in before}
    for target in targets:
        report = by_path[target.path, target.kind]
        for path in _paths(target):
            line = _line(path, folder, report, alone=not target.members)
            if target.kind == "dataset" and (split := split_of(path, settings)) is not None:
                line["split"] = split
            why = _why(report) or reasons.get(line["sha256"])
            if why is None:
                files.append(line)
            else:
                kept = {key: line[key] for key in ("path", "bytes", "sha256")}
                rejected[line["path"], line["sha256"]] = {**kept, "reason": why}
    return files, list(rejected.values())


def rejected_in(path: str) -> list[Entry]:
    """The rejected entries of the manifest at `path`; none where there is no manifest yet. Raises `Unreadable`."""
    if not os.path.lexists(path):
        return []
    with Source(path) as source:
        listed, _ = parse(source.file.read(), path, "manifest")
    return [each for each in listed if isinstance(each, Entry) and each.rejected is not None]


def _rejected_before(entry: Entry) -> Line:
    line: Line = {"path": entry.path}
    if entry.bytes is not None:
        line["bytes"] = entry.bytes
    if entry.algorithm is not None:
        line[entry.algorithm] = entry.digest
    return {**line, "reason": entry.rejected}


def _paths(target: "Target") -> list[str]:
    return list(target.members) if target.members else [target.path] if target.is_file else []


def _why(report: TargetReport) -> str | None:
    """The rules that a rejected artifact broke."""
    broken = sorted({finding.rule for finding in report.findings if finding.severity is Severity.FAIL})
    return ", ".join(broken) or None


def _line(path: str, folder: str, report: TargetReport, *, alone: bool) -> Line:
    relative = os.path.relpath(path, folder or ".").replace(os.sep, "/")
    if relative.startswith("../"):
        raise UsageError("a manifest lists files in its own folder and below; use --output to put it above them")
    artifact = _artifact(path)
    line: Line = {"path": relative, "bytes": artifact.bytes, "sha256": artifact.sha256}
    if alone:
        seen = report.facts.get("sha256")
        if isinstance(seen, str) and seen != artifact.sha256 and artifact.blocks:
            raise Unreadable(
                "a file changed between its check and its entry in the manifest; nothing was written",
                rule="TP-FILE-CHANGED-WHILE-READ", measured="two digests", limit="one", location=Location(path, line=1),
            )  # fmt: skip
        facts = ("records", "encoding", "shape")
        line |= {key: report.facts[key] for key in facts if report.facts.get(key) is not None}
    if artifact.blocks:
        line["blocks"] = "".join(artifact.blocks)
    return line


def _artifact(path: str) -> Artifact:
    """The file's own measurements, or what the Git LFS pointer in its place promises."""
    head = Head.of(path)
    promised = lfs_object(head) if is_pointer(head) else None
    if promised is not None:
        return Artifact(promised[1], {"sha256": promised[0]})
    with Source(path) as source:
        return measure(source.file, block_bytes(source.size))
