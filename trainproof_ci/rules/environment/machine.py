"""The machine against what a run declares to need: memory, disk, a checkpoint that fits the model."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.environment import Environment
from trainproof_ci.registry import Limits, rule

UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size(number: int) -> str:
    """A number of bytes in the unit that reads well."""
    value, unit = float(number), 0
    while value >= 1024 and unit < len(UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.4g} {UNITS[unit]}"


@rule("TP-ENV-UNKNOWN", Severity.NOT_CHECKED)
def unknown(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """Something that was declared could not be measured.

    Why: a machine that does not say how much memory it has has not passed a check of it; and in `pull_request_target`
    and `workflow_run` nothing is imported, because a fork's code would run with the rights of the base.
    Fix: the message says what is missing; run the check where it can be measured.
    Stands down: never.
    """
    here = Places(Location(environment.path, 1))
    if environment.declared.memory is not None and environment.memory is None:
        yield Firing("this machine does not say how much memory it has", "unknown", "a number of bytes", here)
    if environment.declared.disk is not None and environment.disk is None:
        yield Firing("this machine does not say how much room the disk has", "unknown", "a number of bytes", here)
    for outcome in environment.imports:
        if outcome.how == "refused":
            what = "nothing is imported in this event: a fork's code would run with the rights of the base repository"
            yield Firing(what, "not imported", "an import", Places(Location(outcome.target, 1)))


@rule("TP-ENV-MEM", Severity.FAIL, needs=("memory",))
def too_little_memory(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """The machine has less memory available than the run is declared to need.

    Why: the run would be killed when it has used it up, often hours in, and leave a checkpoint cut short.
    Fix: a larger machine, smaller batches, or a declaration (`--memory`) that is true.
    Stands down: where no memory is declared.
    """
    if environment.memory is None:
        raise StandDown("this machine does not say how much memory it has")
    free, measured = environment.memory.available, f"{size(environment.memory.available)} {environment.memory.source}"
    yield from _too_little(environment, environment.declared.memory, free, measured, "less memory than declared")


@rule("TP-ENV-DISK", Severity.FAIL, needs=("disk",))
def too_little_disk(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """The file system has less room than the run is declared to need.

    Why: a disk that fills up ends a save in the middle of it.
    Fix: clear the disk, keep fewer checkpoints, or declare (`--disk`) what is true.
    Stands down: where no disk is declared.
    """
    if environment.disk is None:
        raise StandDown("this machine does not say how much room the disk has")
    free, measured = environment.disk, f"{size(environment.disk)} free"
    yield from _too_little(
        environment, environment.declared.disk, free, measured, "less room on the disk than declared"
    )


def _too_little(
    environment: Environment, declared: int | None, free: int, measured: str, message: str
) -> Iterator[Firing]:
    assert declared is not None
    if free < declared:
        yield Firing(message, measured, f"at least {size(declared)}", Places(Location(environment.path, 1)))


@rule("TP-ENV-STRUCTURE", Severity.FAIL, needs=("into",))
def other_structure(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """The checkpoint does not fit the model: names or shapes of its tensors differ.

    Why: `load_state_dict` raises on them, or, with `strict=False`, leaves layers as they were initialised.
    Fix: build the model of the checkpoint's configuration, or map the names. Other element types only warn: they load,
    converted.
    Stands down: unless two checkpoints are given (`--checkpoint A --into B`).
    """
    difference = environment.difference
    assert difference is not None
    here = Places(Location(difference.source, 1))
    related = (Location(difference.target, 1, note="the structure it must fit"),)
    parts = [
        (difference.missing, "names only the model has"),
        (difference.extra, "names only the checkpoint has"),
        (tuple(f"{name} {list(own)} for {list(other)}" for name, own, other in difference.shapes), "other shapes"),
    ]
    wrong = [f"{len(names)} {what}, the first {names[0]}" for names, what in parts if names]
    if wrong:
        count = sum(len(names) for names, _ in parts)
        yield Firing(
            f"the checkpoint does not fit: {'; '.join(wrong)}",
            f"{count} tensors differ",
            f"0, {difference.common} are common",
            here,
            related,
        )
    elif difference.dtypes:
        name, own, other = difference.dtypes[0]
        yield Firing(
            f"the element types differ, the first {name}: {own} for {other}",
            f"{len(difference.dtypes)} types",
            "0",
            here,
            related,
            Severity.WARN,
        )
