"""Makes the injected-fault runs: seven ways x three seeds of one real fine-tune, on the CPU, with one command.

    python evidence/injected/make.py                    all 21 runs, and the checkpoint killed while it was saved
    python evidence/injected/make.py healthy lr-zero    these ways only
    python evidence/injected/make.py --guarded lr-zero  under the guardian: at which step does it stop?
    python evidence/injected/make.py --base --data      the base model and the datasets too (from the running Python's source)

Needs torch, transformers, accelerate and tensorboard; the versions used are in each `run.json`.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from forks import forked  # noqa: E402 - shared by the folders of runs
SEEDS = (1, 2, 3)
KEPT_WEIGHTS = {("healthy", 1), ("fp16-overflow", 1)}
"""Runs whose last weights are kept: a whole checkpoint of one, and the weights that became NaN of another."""


def main() -> None:
    sys.path.insert(0, str(HERE))
    import faults  # heavy imports, paid once: every run is a fork of this process
    import names
    import torch

    cli = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cli.add_argument("ways", nargs="*", help=f"of {', '.join(faults.WAYS)}")
    cli.add_argument("--seed", type=int, action="append", help="only these seeds")
    cli.add_argument("--base", action="store_true", help="make the base model again")
    cli.add_argument("--data", action="store_true", help="make the datasets again")
    cli.add_argument("--guarded", action="store_true", help="train under the guardian with stop_on_fail; keep no logs")
    cli.add_argument("--output", type=pathlib.Path, default=HERE, help="where the runs go (default: beside this script)")
    given = cli.parse_args()
    torch.set_num_threads(1)
    if given.data or not (HERE / "data").is_dir():
        names.write(HERE / "data")
    if given.base or not (HERE / "base").is_dir():
        forked(lambda: make_base(names))
    started = time.monotonic()
    for way in given.ways or faults.WAYS:
        for seed in given.seed or SEEDS:
            before = time.monotonic()
            if given.guarded:
                forked(lambda way=way, seed=seed: make_guarded(way, seed))
                continue
            forked(lambda way=way, seed=seed: make_run(way, seed, given.output / "runs" / f"{way}-{seed}"))
            print(f"{way} seed {seed}: {time.monotonic() - before:.1f} s", flush=True)
    if not given.ways and not given.guarded:
        import killed

        killed.make(given.output / "killed-mid-save")
    print(f"all: {time.monotonic() - started:.0f} s")


def make_base(names: object) -> None:
    import model

    model.make_base(HERE / "base", names.library_names()[1])


def make_run(name: str, seed: int, folder: pathlib.Path) -> None:
    """Train one way with one seed and keep its logs: `trainer_state.json`, event file, console text, `run.json`."""
    import faults
    import model
    import names

    way = faults.WAYS[name]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        os.environ["TENSORBOARD_LOGGING_DIR"] = "events"
        console = os.open("console.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(console, 1)
        os.dup2(console, 2)
        data = {split: rows(names, model, file) for split, file in (("train", way.dataset), ("eval", "eval"))}
        trainer = train(way, seed, data)
        sys.stdout.flush()
        keep(name, seed, folder, trainer)
        os.chdir(HERE)


def make_guarded(name: str, seed: int) -> None:
    """Train under the guardian and print where it stopped; the logs are thrown away."""
    import faults
    import model
    import names

    sys.path.insert(0, str(HERE.parent.parent))
    from trainproof_ci.guardian.huggingface import GuardianCallback

    way = faults.WAYS[name]
    stdout = os.dup(1)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        os.environ["TENSORBOARD_LOGGING_DIR"] = "events"
        console = os.open("console.txt", os.O_WRONLY | os.O_CREAT)
        os.dup2(console, 1)
        os.dup2(console, 2)
        data = {split: rows(names, model, file) for split, file in (("train", way.dataset), ("eval", "eval"))}
        guardian = GuardianCallback(policy="stop_on_fail")
        trainer = train(way, seed, data, [guardian])
        os.chdir(HERE)
    ended, steps = trainer.state.global_step, trainer.args.max_steps
    how = f"stopped at step {ended} of {steps}" if ended < steps else "not stopped"
    rules = " ".join(sorted({f.rule for _, f in guardian.report.findings}))
    os.write(stdout, f"{name} seed {seed}: {how}; {guardian.report.verdict.value} {rules}\n".encode())


def rows(names: object, model: object, file: str) -> list[dict[str, list[int]]]:
    return [model.encode(r["prompt"], r["completion"]) for r in names.read(HERE / "data" / f"{file}.jsonl")]


def train(way: object, seed: int, data: dict[str, list[dict[str, list[int]]]], callbacks: list[object] | None = None) -> object:
    import faults
    import model
    import transformers

    transformers.set_seed(seed)
    trainer = transformers.Trainer(
        model=faults.prepared(model.new_model() if way.fresh else model.load_base(HERE / "base"), way), args=faults.arguments(way, seed, "out"),
        train_dataset=data["train"], eval_dataset=data["eval"], data_collator=model.collate,
        callbacks=callbacks,
    )  # fmt: skip
    trainer.train()
    return trainer


def keep(name: str, seed: int, folder: pathlib.Path, trainer: object) -> None:
    """Move what the run wrote to its folder, under names without time, host and process."""
    import faults

    verdict = folder / "verdict.json"
    locked = verdict.read_bytes() if verdict.exists() else None
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if locked is not None:
        verdict.write_bytes(locked)
    trainer.state.save_to_json(str(folder / "trainer_state.json"))
    shutil.copyfile("console.txt", folder / "console.txt")
    for events in pathlib.Path("events").glob("events.out.tfevents.*.0"):
        shutil.copyfile(events, folder / f"events.out.tfevents.{seed}")
    if (name, seed) in KEPT_WEIGHTS:
        keep_weights(name, folder, trainer)
    (folder / "run.json").write_text(json.dumps(about(name, seed, faults.WAYS[name]), indent=1) + "\n")


def keep_weights(name: str, folder: pathlib.Path, trainer: object) -> None:
    import torch

    if name == "healthy":
        trainer._save_checkpoint(trainer.model, trial=None)
        saved = next(pathlib.Path("out").glob("checkpoint-*"))
        for unwanted in ("training_args.bin",):
            (saved / unwanted).unlink(missing_ok=True)
        shutil.copytree(saved, folder / saved.name)
    else:
        torch.save(trainer.model.state_dict(), folder / "weights.pt")


def about(name: str, seed: int, way: object) -> dict[str, object]:
    import faults
    import torch
    import transformers

    healthy = {"steps": faults.STEPS, "batch": faults.BATCH, "learning_rate": faults.RATE, "warmup_steps": faults.WARM_UP}
    return {
        "command": f"python evidence/injected/make.py {name} --seed {seed}",
        "what": way.what, "dataset": f"data/{way.dataset}.jsonl", "held_out": "data/eval.jsonl", "seed": seed,
        "settings": healthy | way.changed, "fp16": way.half,
        "versions": {"python": sys.version.split()[0], "torch": torch.__version__, "transformers": transformers.__version__},
    }  # fmt: skip


if __name__ == "__main__":
    main()
