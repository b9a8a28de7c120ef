"""How fast the run went: steps that became slow, a loader that is waited for, throughput, utilisation."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from trainproof_ci.errors import StandDown
from trainproof_ci.median import median
from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.run.facts import RunLog, Series
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.run.course import Course, course

STEP_TIMES = frozenset(
    {"time", "step_time", "iter_time", "batch_time", "time_per_step", "time/iter", "iteration_time", "batch_cost", "step_time_ms", "iter_time_ms", "train_step_timing in s", "s/it", "sec/step", "perf/step_time", "train/step_time", "step_time_s", "train/step_time_s", "step_s", "dt", "time (ms)", "iteration (ms)"}
)  # fmt: skip
LOADER_TIMES = frozenset(
    {
        "data_time",
        "data",
        "reader_cost",
        "load_time",
        "dataloader_time",
        "data_loading_time",
        "data_load_time",
        "train/data_time",
        "data time",
    }
)
RATES = frozenset(
    {
        "train_steps_per_second",
        "steps_per_second",
        "it/s",
        "iter/s",
        "steps/s",
        "samples_per_second",
        "train_samples_per_second",
        "time/fps",
        "fps",
        "tokens_per_second",
        "tok/s",
        "tokens/s",
        "train_speed(iter/s)",
        "throughput",
        "tokens_per_second_per_gpu",
    }
)
_POINTS = 20


def _named(series: Mapping[str, Series], names: frozenset[str]) -> Series | None:
    return next((one for name, one in series.items() if name.strip().lower() in names), None)


def _of_the_run(run: RunLog, names: frozenset[str]) -> Series | None:
    """The first column of these names; of several runs in one file the part of the last, which is judged."""
    series = _named(run.series, names)
    if series is None or run.segments == 1 or run.loss is None:
        return series
    first, last = run.loss.places[0], run.loss.places[-1]
    return series.picked([at for at, place in enumerate(series.places) if first <= place <= last])


def _step_times(run: RunLog) -> Course:
    """Seconds (or what the trainer counts in) a step; differences where the time is the one since the start."""
    series = _of_the_run(run, STEP_TIMES)
    if series is None:
        raise StandDown("no time of a step is logged")
    found = course(series)
    if found.size < _POINTS:
        raise StandDown("fewer than 20 step times")
    values = found.values
    if sum(later > before for before, later in pairwise(values)) > 0.95 * found.size:
        gaps = [later - before for before, later in pairwise(values)]
        return Course(
            [gap for gap in gaps if gap > 0], [w for gap, w in zip(gaps, found.where[1:], strict=True) if gap > 0]
        )
    return found


@rule("TP-STEP-CLIFF", Severity.WARN, limits={"ratio": 3})
def steps_became_slow(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """A step takes three times as long at the end as in the first half.

    Why: memory that swaps, a disk that fills, a graph that grows: the rest of the run costs a multiple.

    Fix: look at memory and disk at the step named; keep no tensors with their graph.

    Stands down: where no step time is logged, or fewer than 20.
    """
    found = _step_times(run)
    fifth = found.size // 5
    early, late = median(found.values[: found.size // 2]), median(found.values[-fifth:])
    if early <= 0:
        raise StandDown("the step times of the first half are 0")
    if late <= limits["ratio"] * early:
        return
    series = _of_the_run(run, STEP_TIMES)
    assert series is not None
    slow = next(i for i, value in enumerate(found.values) if i >= found.size // 2 and value > limits["ratio"] * early)
    yield Firing(
        f"steps became slow around step {series.steps[found.where[slow]]:g}", f"{late / early:.3g} x the first half",
        f"at most {limits['ratio']:g} x", run.places(series, [found.where[slow]]),
    )  # fmt: skip


@rule("TP-LOADER-BOUND", Severity.WARN, limits={"share": 0.5})
def loader_is_waited_for(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """Most of the time of a step is spent waiting for data.

    Why: the accelerator is paid for and idles.

    Fix: more loader workers, data on a local disk, decoding done beforehand.

    Stands down: where the times of step and loader are not both logged, or fewer than 20.
    """
    loader = _of_the_run(run, LOADER_TIMES)
    if loader is None:
        raise StandDown("no time of the data loader is logged")
    times = _step_times(run)
    waits = course(loader)
    if waits.size < _POINTS:
        raise StandDown("fewer than 20 loader times")
    step = median(times.values)
    if step <= 0:
        raise StandDown("the step times are 0")
    share = median(waits.values) / step
    if limits["share"] < share <= 1:
        yield Firing(
            "the run waits for its data loader", f"{share:.0%} of the time of a step", f"at most {limits['share']:.0%}",
            run.places(loader, [waits.where[-1]]),
        )  # fmt: skip


@rule("TP-THROUGHPUT", Severity.NOTE)
def throughput(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """How fast the run went, as the trainer logged it.

    Why: a number to compare the next run with; it never changes a verdict.

    Fix: nothing.

    Stands down: where no rate is logged.
    """
    series = _of_the_run(run, RATES)
    if series is None or not course(series).size:
        raise StandDown("no throughput is logged")
    found = course(series)
    if median(found.values) <= 0:
        return
    yield Firing(
        f"throughput: a median of {median(found.values):.4g} {series.name.strip().lower()}", f"{found.size} values", "none",
        run.places(series, [found.where[-1]]),
    )  # fmt: skip


@rule("TP-GPU-UTIL", Severity.NOTE)
def utilisation(run: RunLog, limits: Limits) -> Iterator[Firing]:
    """How busy the accelerator was, as the trainer logged it.

    Why: a number worth showing beside the throughput; it never changes a verdict.

    Fix: nothing.

    Stands down: where no utilisation is logged.
    """
    series = next((one for name, one in run.series.items() if _is_utilisation(name.lower())), None)
    if series is None or not course(series).size:
        raise StandDown("no utilisation is logged")
    found = course(series)
    if not 0 <= median(found.values) <= 100:
        return
    yield Firing(
        f"accelerator utilisation: a median of {median(found.values):.3g}", f"{found.size} values", "none",
        run.places(series, [found.where[-1]]),
    )  # fmt: skip


def _is_utilisation(name: str) -> bool:
    return "util" in name and ("gpu" in name or "device" in name or "accelerator" in name)
