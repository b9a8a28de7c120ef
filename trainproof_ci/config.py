"""`.trainproof.yml` and the command line -> frozen Settings. The JSON Schema beside this file names every key once."""

import os
from collections.abc import Mapping

from trainproof_ci.errors import Unreadable, UsageError
from trainproof_ci.globs import matches
from trainproof_ci.model import Policy, Severity
from trainproof_ci.typed import Any, NamedTuple

DEFAULT_NAME = ".trainproof.yml"


class DatasetOptions(NamedTuple):
    """What the configuration says about a dataset; every field but `files` is None or empty where it says nothing."""

    files: str = "**"
    target: str | None = None
    shape: str | None = None
    fields: Mapping[str, str] = {}
    split: str | None = None
    roles: str | None = None
    columns: tuple[str, ...] = ()
    num_labels: int | None = None
    min_records: int | None = None
    max_bytes: int | None = None
    max_chars: int | None = None
    max_audio_seconds: float | None = None
    phrases: tuple[str, ...] = ()
    strict_keys: bool = False


class Split(NamedTuple):
    """A pair of files that must not share records."""

    train: str
    eval: str


class RunOptions(NamedTuple):
    """What the configuration says about a training log."""

    files: str = "**"
    baseline: str | None = None
    loss_key: str | None = None


class RuleOptions(NamedTuple):
    """What the configuration says about one rule."""

    off: bool = False
    severity: Severity | None = None
    limits: Mapping[str, float] = {}


class Ignore(NamedTuple):
    """A finding set aside, with its reason."""

    rule: str
    files: str
    reason: str


class EnvironmentOptions(NamedTuple):
    """What the command line declares about the machine a run needs. `memory` and `disk` are bytes, None where not declared.

    `imports` are files or modules that must import within `seconds`, with the interpreter `python` (None: the one of
    the PATH); `disk_at` is the folder whose file system must have the room; `into` is a pair of checkpoints, the
    first of which must fit the structure of the second.
    """

    imports: tuple[str, ...] = ()
    memory: int | None = None
    disk: int | None = None
    disk_at: str = "."
    seconds: float = 120.0
    python: str | None = None
    into: tuple[str, str] | None = None


class Settings(NamedTuple):
    """Everything the core is told. `changed_lines` maps a path to its changed (first, last) line ranges, None for all."""

    exclude: tuple[str, ...] = ()
    datasets: tuple[DatasetOptions, ...] = ()
    splits: tuple[Split, ...] = ()
    runs: tuple[RunOptions, ...] = ()
    rules: Mapping[str, RuleOptions] = {}
    ignore: tuple[Ignore, ...] = ()
    known_findings: str | None = None
    known: Mapping[tuple[str, str], frozenset[int]] = {}
    policy: Policy = Policy()
    jobs: int = 1
    loss_key: str | None = None
    deadline: float = 600.0
    changed_lines: Mapping[str, tuple[tuple[int, int], ...]] | None = None
    deep: bool = False
    """All weights of a checkpoint are looked at, not only as many as a quick check reads."""
    environment: EnvironmentOptions = EnvironmentOptions()
    live: bool = False
    """Training logs are still being written: one that grows while it is read is judged as far as it was read."""

    @property
    def file_patterns(self) -> tuple[str, ...]:
        """The patterns of the files that the configuration names: they are judged even when not recognised."""
        return (*(entry.files for entry in self.datasets), *(entry.files for entry in self.runs))

    def dataset(self, path: str) -> DatasetOptions:
        """The options of the dataset at `path`: the first entry that fits."""
        return next((entry for entry in self.datasets if matches(path, entry.files)), DatasetOptions())

    def run(self, path: str) -> RunOptions:
        """The options of the training log at `path`: the first entry that fits."""
        return next((entry for entry in self.runs if matches(path, entry.files)), RunOptions())


def _beside(name: str) -> bytes:
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:
        return file.read()


def schema() -> dict[str, Any]:
    """The JSON Schema of the configuration."""
    import json  # only a run with a configuration needs it

    found: dict[str, Any] = json.loads(_beside("config.schema.json"))
    return found


def load_settings(path: str | None) -> Settings:
    """Read the configuration at `path`, or the default file if there is one. Raises `UsageError`."""
    name = path or DEFAULT_NAME
    if path is None and not os.path.lexists(DEFAULT_NAME):
        return Settings()
    data = _bytes_of(name, (64 << 10) + 1, "the configuration")
    return parsed(data, os.path.basename(name))


def _bytes_of(path: str, most: int, what: str) -> bytes:
    from trainproof_ci.readers.source import read_start  # only a run with a configuration needs it

    try:
        return read_start(path, most)
    except Unreadable as why:
        raise UsageError(f"{what} cannot be read: {why.reason}") from None


def parsed(data: bytes, name: str) -> Settings:
    """The settings of a configuration's bytes; `name` is what errors call it. Raises `UsageError`."""
    from trainproof_ci import yaml_file  # only a run with a configuration needs it
    from trainproof_ci.config_check import checked

    return _settings(checked(yaml_file.load(data, name), schema(), name))


def with_known_findings(settings: Settings, data: bytes | None = None) -> Settings:
    """The settings with the baseline they name, read from disk unless `data` is given. Raises `UsageError`."""
    if settings.known_findings is None:
        return settings
    from trainproof_ci import known  # only a run with a baseline needs it

    if data is None:
        data = _bytes_of(settings.known_findings, known.LARGEST + 1, "the known findings")
    return settings._replace(known=known.load(data, os.path.basename(settings.known_findings)))


def _settings(plain: Mapping[str, Any]) -> Settings:
    return Settings(
        exclude=tuple(plain.get("exclude", ())),
        datasets=tuple(DatasetOptions(**_fields(entry)) for entry in plain.get("datasets", ())),
        splits=tuple(Split(**_fields(entry)) for entry in plain.get("splits", ())),
        runs=tuple(RunOptions(**_fields(entry)) for entry in plain.get("runs", ())),
        rules={rule_id: _rule_options(entry) for rule_id, entry in plain.get("rules", {}).items()},
        ignore=tuple(Ignore(**_fields(entry)) for entry in plain.get("ignore", ())),
        known_findings=plain.get("known-findings"),
    )


def _fields(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def _rule_options(entry: Mapping[str, Any]) -> RuleOptions:
    severity = entry.get("severity")
    limits = {key: value for key, value in entry.items() if key != "severity"}
    if severity in {"off", False}:
        return RuleOptions(off=True, limits=limits)
    return RuleOptions(severity=Severity(severity.upper()) if severity else None, limits=limits)
