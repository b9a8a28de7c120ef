"""Readers of a manifest."""

from trainproof_ci.readers.source import Head


def recognise(head: Head) -> str | None:  # noqa: ARG001 - none yet
    """The name of the format, or None."""
    return None
