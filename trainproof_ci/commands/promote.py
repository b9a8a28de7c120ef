"""`promote SRC DEST`: put a file in its place, verified where it arrived; the destination is the old file or the new."""

import argparse
import os
from types import SimpleNamespace

from trainproof_ci.commands.check import settings_from, tell
from trainproof_ci.commands.manifest import add_judging_arguments
from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from trainproof_ci.readers.manifest.entries import Entry


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("source", metavar="SRC", help="the file to promote")
    parser.add_argument("destination", metavar="DEST", help="a path, a folder, or any URL that fsspec can write")
    parser.add_argument("--manifest", metavar="FILE", help="hold the file against its entry there before anything else")
    add_judging_arguments(parser)


def run(arguments: SimpleNamespace) -> int:
    """Promote and tell; exit 0 means that the destination is the new file."""
    from trainproof_ci.intake.promotion import promote
    from trainproof_ci.model import Report

    settings = settings_from(arguments)
    if not os.path.lexists(arguments.source):
        raise UsageError("there is no such file to promote")
    recorded = _recorded(arguments.source, arguments.manifest) if arguments.manifest else None
    reports = promote(arguments.source, arguments.destination, recorded, settings)
    return tell(Report(tuple(reports), settings.policy), arguments)


def _recorded(source: str, manifest: str) -> "Entry":
    """The entry of the manifest that is about the file; a rejected one before an accepted one of the same digest."""
    from trainproof_ci.intake.artifact import measure
    from trainproof_ci.readers.manifest import parse
    from trainproof_ci.readers.manifest.entries import Entry
    from trainproof_ci.readers.source import Source

    try:
        with Source(manifest) as file:
            listed, _ = parse(file.file.read(), manifest, "unknown")
        with Source(source) as file:
            digest = measure(file.file, file.size).sha256
    except Unreadable as why:
        raise UsageError(f"the manifest cannot be used: {why.reason}") from None
    folder = os.path.dirname(os.path.abspath(manifest))
    entries = [each for each in listed if isinstance(each, Entry)]
    for entry in entries:
        if entry.rejected is not None and entry.digest == digest:
            return entry
    for entry in entries:
        if entry.rejected is None and os.path.join(folder, entry.path) == os.path.abspath(source):
            return entry
    raise UsageError("the manifest does not list the file")
