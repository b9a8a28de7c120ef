"""A stand-in for a training command: writes a JSONL log and console lines as told, quickly and without a model."""

import json
import os
import signal
import sys
import time

LOG = "run_log.jsonl"


def losses(kind: str, points: int) -> list[float]:
    falling = [3.0 / (1 + 0.2 * i) + 0.3 for i in range(points)]
    if kind == "nan":
        return [*falling[:5], *[float("nan")] * (points - 5)]
    return falling


def say(word: str) -> None:
    sys.stdout.write(word + "\n")
    sys.stdout.flush()


def write(points: list[float]) -> None:
    with open(LOG, "a", encoding="utf-8") as log:
        for step, loss in enumerate(points):
            log.write(json.dumps({"step": step, "loss": loss, "learning_rate": 1e-3}) + "\n")
            log.flush()
            time.sleep(0.01)


def main(ending: str, kind: str) -> int:
    sys.stdout.buffer.write(b"begin\r\xff\xfe 50%\r\n")
    sys.stderr.buffer.write(b"to the error stream\n")
    sys.stdout.flush()
    if ending == "deaf":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    write(losses(kind, 40))
    if ending in {"hang", "deaf"}:
        say("waiting")
        time.sleep(60)
    if ending == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    say("end")
    return int(ending) if ending.isdigit() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
