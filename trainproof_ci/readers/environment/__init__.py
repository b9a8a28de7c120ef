"""Reader of the environment: the machine and the entry point against what the command line declares."""

from collections.abc import Mapping

from trainproof_ci.config import EnvironmentOptions
from trainproof_ci.model import Chart
from trainproof_ci.readers.environment.machine import Memory, free_disk, memory
from trainproof_ci.readers.environment.probe import Outcome, probe
from trainproof_ci.typed import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.checkpoint.structure import Difference
    from trainproof_ci.readers.source import Head
    from trainproof_ci.registry import Rule


class Environment(NamedTuple):
    """What was measured. `memory` and `disk` are None where the machine does not say; `difference` compares two checkpoints."""

    path: str
    declared: EnvironmentOptions
    imports: tuple[Outcome, ...]
    memory: Memory | None
    disk: int | None
    difference: "Difference | None" = None

    def lacks(self, need: str) -> str | None:
        """Why `need` is not there: "imports", "memory", "disk", "into"."""
        declared = {
            "imports": self.declared.imports or None,
            "memory": self.declared.memory,
            "disk": self.declared.disk,
            "into": self.difference,
        }
        return None if declared[need] is not None else f"nothing is declared with --{need.removesuffix('s')}"

    def summary(self) -> Mapping[str, object]:
        """What the machine has, and how each import ended."""
        facts: dict[str, object] = {"imports": {outcome.target: outcome.how for outcome in self.imports}}
        if self.memory is not None:
            facts["memory"] = self.memory.available
        if self.disk is not None:
            facts["disk"] = self.disk
        return facts

    def charts(self) -> tuple[Chart, ...]:
        """None: a machine is no series."""
        return ()


def recognise(head: "Head") -> str | None:  # noqa: ARG001 - an environment is no file
    """Nothing: an environment is no file."""
    return None


def read(target: "Target", settings: "Settings", rules: "Sequence[Rule]") -> Environment:  # noqa: ARG001 - every rule needs its own part
    """Measure what is declared, and nothing else. Raises `Unreadable` for a checkpoint that cannot be compared."""
    declared = settings.environment
    difference = None
    if declared.into is not None:
        from trainproof_ci.readers.checkpoint.structure import compare  # only a pair of checkpoints needs it

        difference = compare(*declared.into)
    return Environment(
        target.path,
        declared,
        tuple(probe(name, declared.seconds, declared.python) for name in declared.imports),
        memory() if declared.memory is not None else None,
        free_disk(declared.disk_at) if declared.disk is not None else None,
        difference,
    )
