"""One firing for all the entries of a manifest that are wrong in one way."""

from collections.abc import Sequence

from trainproof_ci.model import Firing
from trainproof_ci.readers.manifest import Manifest
from trainproof_ci.readers.manifest.entries import Entry, and_more
from trainproof_ci.readers.manifest.held import Held


def fired(manifest: Manifest, wrong: Sequence[tuple[Entry, Held]], message: str, measured: str, limit: str) -> Firing:
    """The words and numbers are those of the first of `wrong`; the places are all of them, with their files."""
    entries = [entry for entry, _ in wrong]
    said = f"{message}{and_more(len(wrong))}"
    return Firing(said, measured, limit, manifest.places(entries), related=manifest.files(entries))
