"""How the import of an entry point ended."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places, safe_key
from trainproof_ci.readers.environment import Environment
from trainproof_ci.readers.environment.probe import Outcome
from trainproof_ci.registry import Limits, rule


def _ended(environment: Environment, how: str) -> Iterator[tuple[Outcome, Places]]:
    for outcome in environment.imports:
        if outcome.how == how:
            yield outcome, Places(Location(outcome.target, max(1, outcome.line)))


@rule("TP-ENV-IMPORT-FAIL", Severity.FAIL, needs=("imports",))
def import_failed(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """The entry point cannot be imported: it raises, or it is not there.

    Why: the job would end the same way, after it waited for its machine.
    Fix: the message names the error and, for a missing module, its name; install it, or correct the file.
    Stands down: where no import is declared.
    """
    for outcome, places in _ended(environment, "failed"):
        named = f" ({'.'.join(safe_key(part) for part in outcome.name.split('.')[:8])})" if outcome.name else ""
        yield Firing(
            f"importing it raises {safe_key(outcome.error)}{named}", safe_key(outcome.error), "no error", places
        )
    for outcome, places in _ended(environment, "missing"):
        what = "the interpreter that should import it" if outcome.name == "interpreter" else "the entry point"
        yield Firing(f"{what} is not there", "no file", "a file", places)


@rule("TP-ENV-IMPORT-CRASH", Severity.FAIL, needs=("imports",))
def import_crashed(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """Importing the entry point ends the interpreter with a signal.

    Why: a compiled extension that does not fit the machine (another CUDA, another CPU, another ABI) crashes instead of
    raising, and leaves no traceback.
    Fix: install builds that belong together; `python -X faulthandler` shows where.
    Stands down: where no import is declared.
    """
    for outcome, places in _ended(environment, "crashed"):
        yield Firing("importing it crashes the interpreter", f"signal {outcome.code}", "no signal", places)


@rule("TP-ENV-IMPORT-TIMEOUT", Severity.FAIL, needs=("imports",))
def import_hung(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """Importing the entry point does not end.

    Why: it waits for a network, a lock or a terminal, or it trains at import: work belongs under `if __name__ == "__main__"`.
    Fix: move the work out of the import; `--seconds` allows for a slow one.
    Stands down: where no import is declared.
    """
    for outcome, places in _ended(environment, "hung"):
        yield Firing("importing it does not end", f"more than {outcome.seconds:g} s", f"{outcome.seconds:g} s", places)


@rule("TP-ENV-IMPORT-EXITED", Severity.FAIL, needs=("imports",))
def import_exited(environment: Environment, limits: Limits) -> Iterator[Firing]:
    """Importing the entry point ends the process.

    Why: `sys.exit` or `parse_args` at the top of the file runs on import; whatever imports it ends with it.
    Fix: move it under `if __name__ == "__main__"`.
    Stands down: where no import is declared.
    """
    for outcome, places in _ended(environment, "exited"):
        yield Firing("importing it ends the process", f"exit {outcome.code}", "no exit", places)
