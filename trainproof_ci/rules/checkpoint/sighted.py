"""Turns what a reader came upon into findings; the rules say how bad it is and in which words."""

from collections.abc import Iterator, Mapping

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.checkpoint.facts import Checkpoint
from trainproof_ci.readers.checkpoint.sightings import Seen, Sighting

Words = Mapping[Seen, str]
"""What a rule says of each kind that is its own; in braces the facts that the reader told with it."""
PREVIOUS = "; resume from the previous checkpoint"


def fired(checkpoint: Checkpoint, words: Words, mild: frozenset[Seen] = frozenset()) -> Iterator[Firing]:
    """A firing for each message, with every place it is about.

    It warns of what no reader of checkpoints looks at and of the kinds that are `mild`.
    """
    by_message: dict[tuple[str, bool], list[Sighting]] = {}
    for seen in checkpoint.all_sightings():
        if seen.what in words:
            message = words[seen.what].format_map(seen.told)
            by_message.setdefault((message, seen.unread or seen.what in mild), []).append(seen)
    for (message, warns), alike in by_message.items():
        places = Places()
        for seen in alike:
            line = 1 if seen.offset is None else None
            places.add(Location(seen.path or checkpoint.path, line, byte_offset=seen.offset))
        yield Firing(message, alike[0].measured, alike[0].wanted, places, severity=Severity.WARN if warns else None)


def advised(checkpoint: Checkpoint, firings: Iterator[Firing]) -> Iterator[Firing]:
    """Say in each message which checkpoint to go on from, where the reader looked for one."""
    if checkpoint.earlier is None:
        yield from firings
        return
    newest = checkpoint.earlier
    advice = f"; resume from {newest}" if newest else "; no earlier checkpoint beside it is complete"
    for firing in firings:
        yield firing._replace(message=firing.message.removesuffix(PREVIOUS) + advice)
