"""Many targets judged in several processes, which end with the one that started them."""

from concurrent.futures import ProcessPoolExecutor

from trainproof_ci.typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainproof_ci.config import Settings
    from trainproof_ci.discovery import Target
    from trainproof_ci.model import TargetReport


def in_processes(
    judge: "Callable[[Sequence[Target], Settings], list[TargetReport]]",
    targets: "list[Target]",
    settings: "Settings",
    workers: int,
) -> "list[TargetReport]":
    """What `judge` says of all targets, in their order, asked in as many processes as there are `workers`."""
    alone = settings._replace(jobs=1)
    with ProcessPoolExecutor(workers, initializer=_leave_interrupts) as pool:
        try:
            size = max(1, len(targets) // (workers * 8))
            shares = [targets[at : at + size] for at in range(0, len(targets), size)]
            running = [pool.submit(judge, share, alone) for share in shares]  # `map` would cancel, noisily
            return [report for share in running for report in share.result()]
        except BaseException:
            _end_workers()  # or leaving the pool waits until they have judged what they were given
            raise


def _leave_interrupts() -> None:
    """In a worker: an interrupt from the terminal reaches every process, and the first one answers it for all."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_workers() -> None:
    from multiprocessing import active_children

    for worker in active_children():
        worker.terminate()
