"""TensorBoard event files (not read yet)."""

from typing import TYPE_CHECKING

from trainproof_ci.readers.run.facts import Reading

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source


def recognise(head: "Head") -> bool:  # noqa: ARG001 - no event file is read yet
    """Nothing yet."""
    return False


def read(source: "Source", target: "Target") -> Reading:  # noqa: ARG001 - no event file is read yet
    """Nothing yet."""
    return Reading({})
