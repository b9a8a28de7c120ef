"""Reads one event file in one way, in a process of its own, and prints seconds of CPU, peak memory in MB, and values.

usage: read.py FILE WAY
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable


def bytes_only(path: str) -> int:
    with open(path, "rb") as file:
        return sum(len(chunk) for chunk in iter(lambda: file.read(2 << 20), b"")) * 0


def ours(path: str, checksums: str) -> int:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.run import tfevents
    from trainproof_ci.readers.source import Source

    if checksums != "accelerator":
        tfevents.accelerator = lambda: None
    if checksums == "table":
        tfevents.EVERY_CHECKSUM = 1 << 62
    with Source(path) as source:
        reading = tfevents.read(source, Target(path, "run", "tensorboard"))
    assert not reading.damage
    return sum(series.size for series in reading.series.values())


def trainproof(path: str) -> int:
    from trainproof.tfevents import read_scalars

    return sum(len(points) for points in read_scalars(path).values())


def tensorboard(path: str) -> int:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    loaded = EventAccumulator(path, size_guidance={"scalars": 0, "tensors": 0})
    loaded.Reload()
    scalars = sum(len(loaded.Scalars(tag)) for tag in loaded.Tags()["scalars"])
    return scalars + sum(len(loaded.Tensors(tag)) for tag in loaded.Tags()["tensors"])


WAYS: dict[str, Callable[[str], int]] = {
    "bytes": bytes_only,
    "framing": lambda path: ours(path, "framing"),
    "accelerator": lambda path: ours(path, "accelerator"),
    "table": lambda path: ours(path, "table"),
    "trainproof": trainproof,
    "EventAccumulator": tensorboard,
}


def main() -> None:
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    path, way = sys.argv[1:]
    begin = time.process_time()
    values = WAYS[way](path)
    seconds = time.process_time() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"way": way, "seconds": seconds, "mb": peak, "values": values}))


if __name__ == "__main__":
    main()
