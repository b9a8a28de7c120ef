"""What lies beside the log of a run that could not take in its data: is the dataset here what was meant?"""

import os
import re

from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Severity
from trainproof_ci.places import Location
from trainproof_ci.readers.run.encodings import decoded
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.discovery import Target
    from trainproof_ci.model import TargetReport
    from trainproof_ci.readers.run.facts import RunLog

SEARCHED = 1 << 20
"""Bytes at the beginning and at the end of the log in which names of data files are looked for."""
MOST_FILES = 6
LARGEST = 32 << 20
"""Bytes of a file that is judged beside a log; a larger one is a target of its own."""
_NAMED = re.compile(r"[\w./\-]{1,200}\.(?:jsonl|ndjson|json|csv|tsv|txt|parquet)\b")
_MANIFESTS = ("manifest.json", "SHA256SUMS", "sha256sums.txt")


def with_data_beside(run: "RunLog") -> "RunLog":
    """The run with the data files that its log names and the manifests beside them, which are to be judged with it."""
    named, manifests = _paths(run.path)
    data = _targets(named)
    notes = run.notes
    if len(data) > MOST_FILES:
        notes += (f"the log names {len(data)} data files that are here; {MOST_FILES} were looked at",)
    if large := len(named) - len(data):
        notes += (f"{large} files that the log names were not looked at: no dataset, or more than {LARGEST >> 20} MiB",)
    return run._replace(asks=(*data[:MOST_FILES], *_targets(manifests)), notes=notes)


def places_of(reports: "Sequence[TargetReport]") -> tuple[Location, ...]:
    """The first failure of each, else the file itself. The note says the rule that fires there, or that nothing does."""
    found = []
    for report in reports:
        worst = next((one for one in report.findings if one.severity is Severity.FAIL), None)
        if worst is not None:
            found.append(worst.location._replace(note=f"{worst.rule} fires here"))
        elif report.judged:
            found.append(Location(report.path, line=1, note="nothing is wrong with this file here"))
    return tuple(found)


def _paths(log: str) -> tuple[list[str], list[str]]:
    """The data files that the log names and that are here, and the manifests beside the log and beside them."""
    folder = os.path.dirname(log)
    with open(log, "rb") as file:
        text = decoded(file.read(SEARCHED))
        file.seek(max(0, os.fstat(file.fileno()).st_size - SEARCHED))
        text += decoded(file.read(SEARCHED))
    found: dict[str, None] = {}
    for name in dict.fromkeys(_NAMED.findall(text)):
        for path in (name, os.path.join(folder, name)):
            clean = os.path.normpath(path).replace(os.sep, "/")
            if not os.path.isabs(clean) and not clean.startswith("../") and clean != log and os.path.isfile(clean):
                found[clean] = None
    places = dict.fromkeys((folder, *(os.path.dirname(path) for path in found)))
    beside = (os.path.join(place, name) for place in places for name in _MANIFESTS)
    manifests = [path.replace(os.sep, "/") for path in beside if os.path.isfile(path)]
    return [path for path in found if path not in manifests], manifests


def _targets(paths: list[str]) -> "list[Target]":
    """Those of the files that are datasets or manifests of a size to be judged in passing."""
    from trainproof_ci.discovery import classify

    root = os.path.realpath(".")
    kept = []
    for path in paths:
        try:
            target = classify(path, root)
        except Unreadable:
            continue
        if (
            target is not None
            and target.kind in {"dataset", "manifest"}
            and target.size <= LARGEST
            and not target.refusal
        ):
            kept.append(target)
    return kept
