"""CatBoost: its console, and learn_error.tsv and catboost_training.json of its training folder."""

import pathlib
import shutil

import task

PACKAGES = ("catboost",)
FAULTS = ("healthy", "rate-x1000")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Sixty rounds of boosting; a thousand times the rate of 0.02 is no rate that boosting converges with."""
    import catboost

    rows, held_out = task.Rows(), task.Rows(128, seed=2)
    model = catboost.CatBoostRegressor(
        iterations=60, learning_rate=fault.rate * 5, depth=3, thread_count=1, random_seed=task.SEED, train_dir="info",
    )  # fmt: skip
    model.fit(rows.x.numpy(), rows.y.numpy(), eval_set=(held_out.x.numpy(), held_out.y.numpy()), verbose=1, use_best_model=False)
    for name in ("learn_error.tsv", "catboost_training.json"):
        shutil.copyfile(f"info/{name}", folder / name)
