"""The digest of a run's own configuration: recorded beside the data, compared before a resume."""

from collections.abc import Mapping

from trainproof_ci.intake.artifact import block_bytes, measure
from trainproof_ci.readers.source import Source
from trainproof_ci.typed import Any


def recorded(path: str) -> dict[str, str]:
    """What a manifest records of the configuration at `path`. Raises `Unreadable`."""
    with Source(path) as source:
        return {"path": path, "sha256": measure(source.file, block_bytes(source.size)).sha256}


def recorded_digest(about: Mapping[str, Any]) -> str | None:
    """The digest that a manifest records of the configuration, if it records a whole one."""
    configuration = about.get("configuration")
    digest = configuration.get("sha256") if isinstance(configuration, dict) else None
    return digest.lower() if isinstance(digest, str) and len(digest) == 64 else None
