"""Fuzz one reader, guided by coverage: `python tests/fuzz/fuzz.py READER [--seconds 600]`; needs atheris.

With `--inputs` it tries so many, the same ones every time. Whatever the bytes, judging them ends in facts or in a reason: any exception, RecursionError and MemoryError among
them, and any file that takes longer than 5 s is a finding, kept as `crash-*` or `timeout-*` in the folder `--found`.
"""

import argparse
import importlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent.parent), str(HERE.parent / "rules")]


class Reader(NamedTuple):
    """The name under which the bytes are laid out, what they are read as, and which rule cases begin the search."""

    file: str
    kind: str
    beside: tuple[tuple[str, bytes], ...] = ()


PAIR = (("train.en", b"one\ntwo\nthree\n"),)
YOLO = (("data.yaml", b"nc: 2\nnames: [cat, dog]\ntrain: images\n"), ("images/a.jpg", b"\xff\xd8"))
READERS = {
    "checksums": Reader("SHA256SUMS", "manifest", (("train.jsonl", b"{}\n"),)),
    "csv": Reader("train.csv", "dataset"),
    "dvc": Reader("train.jsonl.dvc", "manifest"),
    "generation-config": Reader("generation_config.json", "tokenizer"),
    "gzip": Reader("train.jsonl.gz", "dataset"),
    "hf-index": Reader("model.safetensors.index.json", "checkpoint"),
    "json-array": Reader("train.json", "dataset"),
    "jsonl": Reader("train.jsonl", "dataset"),
    "labels": Reader("labels/a.txt", "dataset", YOLO),
    "log-console": Reader("train.log", "run"),
    "log-csv": Reader("metrics.csv", "run"),
    "log-events": Reader("events.out.tfevents.1700000000.host", "run"),
    "log-history": Reader("history.json", "run"),
    "log-jsonl": Reader("log.jsonl", "run"),
    "log-trainer-state": Reader("trainer_state.json", "run"),
    "manifest": Reader("manifest.json", "manifest", (("train.jsonl", b"{}\n"),)),
    "metadata": Reader("metadata.csv", "dataset", (("wavs/a.wav", b"RIFF"),)),
    "parallel": Reader("train.de", "dataset", PAIR),
    "parquet": Reader("train.parquet", "dataset"),
    "safetensors": Reader("model.safetensors", "checkpoint"),
    "tokenizer": Reader("tokenizer.json", "tokenizer"),
    "tokenizer-config": Reader("tokenizer_config.json", "tokenizer"),
    "torch": Reader("model.pt", "checkpoint"),
    "tsv": Reader("train.tsv", "dataset"),
    "zstd": Reader("train.jsonl.zst", "dataset"),
}


def seeds(reader: Reader, folder: Path) -> None:
    """Write what the rule cases lay out under the suffix of this reader."""
    from test_cases import CASES, as_bytes

    suffix = os.path.splitext(reader.file)[1]
    for rule, cases in CASES.items():
        for number, case in enumerate(cases):
            for name, content in case["files"].items():
                data = as_bytes(content) if os.path.splitext(name)[1] == suffix else b""
                if 0 < len(data) <= LONGEST:
                    (folder / f"{rule}-{number}-{len(data)}").write_bytes(data)


LONGEST = 1 << 14


def judging(reader: Reader) -> Callable[[bytes], None]:
    """What judges bytes in the folder one is in, and lets every exception out."""
    from trainproof_ci import discovery, engine
    from trainproof_ci.config import Settings
    from trainproof_ci.reports import renderer

    def out(error: BaseException) -> None:
        raise error

    for module in (discovery, engine):
        setattr(module, "defect", out)  # noqa: B010 - what spares the other files would hide the defect here
    for name, content in (*reader.beside, (reader.file, b"")):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    settings = Settings()

    def judge(data: bytes) -> None:
        with open(reader.file, "wb") as file:
            file.write(data)
        report = engine.check(discovery.find([reader.file], settings, reader.kind), settings)
        for form in ("json", "markdown", "sarif"):
            renderer(form)(report)

    return judge


def main() -> None:
    cli = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    cli.add_argument("reader", choices=sorted(READERS))
    bounds = cli.add_mutually_exclusive_group()
    bounds.add_argument("--seconds", type=int, default=600)
    bounds.add_argument("--inputs", type=int, help="try so many inputs, drawn alike every time")
    cli.add_argument(
        "--found", type=Path, default=Path("fuzz-found"), help="where inputs that break something are kept"
    )
    given = cli.parse_args()
    import atheris

    reader = READERS[given.reader]
    with atheris.instrument_imports(include=["trainproof_ci"]):
        package = importlib.import_module(f"trainproof_ci.readers.{reader.kind}")
        for path in sorted(Path(package.__path__[0]).glob("*.py")):
            importlib.import_module(f"{package.__name__}.{path.stem}" if path.stem != "__init__" else package.__name__)
    given.found.mkdir(parents=True, exist_ok=True)
    found = given.found.resolve()
    with tempfile.TemporaryDirectory() as corpus, tempfile.TemporaryDirectory() as work:
        seeds(reader, Path(corpus))
        os.chdir(work)
        arguments = [
            sys.argv[0], corpus, "-timeout=5", "-rss_limit_mb=1000",
            *([f"-runs={given.inputs}", "-seed=1"] if given.inputs else [f"-max_total_time={given.seconds}"]),
            f"-max_len={LONGEST}", f"-artifact_prefix={found}/", "-print_final_stats=1",
        ]  # fmt: skip
        atheris.Setup(arguments, judging(reader))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
