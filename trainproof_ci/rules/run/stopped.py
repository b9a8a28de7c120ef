"""What stopped the run, told from the end of its console log."""

from collections.abc import Iterator
from math import isfinite

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.run.facts import RunLog
from trainproof_ci.registry import Limits, rule


def _fire(run: RunLog, kind: str, sentence: str) -> Iterator[Firing]:
    stop = run.reading.stop
    if stop is None and run.format != "console":
        raise StandDown("not a console log, so it does not say what stopped the run")
    if stop is None or stop.kind != kind:
        return
    good = _last_good(run)
    reached = f"after step {good.step:g}" if good is not None and good.step is not None else "before the first step"
    yield Firing(
        f"{sentence} ({stop.error}), {reached}{_data(run)}", f"the log ends in an error at line {stop.line}", "a run that ends by itself",
        Places(Location(run.path, line=stop.line)), (*((good,) if good is not None else ()), *run.beside),
    )  # fmt: skip


def _data(run: RunLog) -> str:
    """What is known of the data that the run was to take in."""
    said = [f"{place.path}{f':{place.line}' if place.line else ''}: {place.note}" for place in run.beside]
    if not said:
        return ""
    lead = (
        "the data beside the log" if any("fires" in one for one in said) else "the worker had other data than lies here"
    )
    return f"; {lead}: {', '.join(said)}"


def _last_good(run: RunLog) -> Location | None:
    """Where the last finite loss stands."""
    if run.loss is None:
        return None
    good = next((i for i in range(run.loss.size - 1, -1, -1) if isfinite(run.loss.values[i])), None)
    return None if good is None else run.location(run.loss, good, "the last good step")


@rule("TP-STOPPED-INTAKE", Severity.FAIL)
def stopped_at_intake(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The run stopped before its first step because it could not take in its data.

    Why: a parse, encoding, size or missing-file error before any step means that the worker did not receive the dataset
    that was meant. Findings about datasets and manifests that lie beside the log are named as related places.

    Fix: check the dataset and the manifest (`trainproof-ci check`, `trainproof-ci manifest verify`) where the run starts.

    Stands down: where the log is not console text. An error after which training went on does not count.
    """
    yield from _fire(run, "intake", "the worker did not receive the dataset that was meant")


@rule("TP-STOPPED-MEMORY", Severity.FAIL)
def stopped_by_memory(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The run stopped because memory ran out.

    Why: the accelerator's or the host's memory did not suffice for a step; what was trained since the last checkpoint is
    lost.

    Fix: a smaller batch with accumulation, shorter sequences, activation checkpointing; resume from the last checkpoint.

    Stands down: where the log is not console text. An error after which training went on does not count.
    """
    yield from _fire(run, "memory", "the run ran out of memory")


@rule("TP-STOPPED-CONFIG", Severity.FAIL)
def stopped_by_configuration(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The run stopped before its first step because of an invalid option.

    Why: nothing was trained; the command line or the configuration names what the trainer does not know.

    Fix: correct the option; validate the configuration before the run is queued.

    Stands down: where the log is not console text. An error after which training went on does not count.
    """
    yield from _fire(run, "config", "an option is invalid")


@rule("TP-STOPPED-CRASH", Severity.FAIL)
def stopped_by_a_crash(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The run stopped with an error.

    Why: the log ends in a traceback or in the word of a killed process, and no step was logged after it.

    Fix: the line of the error names it; resume from the last checkpoint before the last good step.

    Stands down: where the log is not console text. An error after which training went on does not count.
    """
    yield from _fire(run, "crash", "the run crashed")


@rule("TP-STOPPED-INTERRUPT", Severity.NOTE)
def stopped_by_hand(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """The run was interrupted from outside.

    Why: a KeyboardInterrupt is a decision, not a fault; the run is judged as far as it came.

    Fix: nothing, if it was meant.

    Stands down: where the log is not console text.
    """
    yield from _fire(run, "interrupted", "the run was interrupted from outside")
