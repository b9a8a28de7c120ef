"""LightGBM: the lines of `log_evaluation` on its console."""

import pathlib

import task

PACKAGES = ("lightgbm",)
FAULTS = ("healthy", "rate-x1000")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Sixty rounds of boosting; a thousand times the rate of 0.02 is no rate that boosting converges with."""
    import lightgbm

    del folder
    rows, held_out = task.Rows(), task.Rows(128, seed=2)
    train = lightgbm.Dataset(rows.x.numpy(), rows.y.numpy())
    valid = lightgbm.Dataset(held_out.x.numpy(), held_out.y.numpy(), reference=train)
    settings = {"objective": "l2", "metric": "l2", "learning_rate": fault.rate * 5, "num_threads": 1, "seed": task.SEED, "verbose": 0}
    lightgbm.train(
        settings, train, 60, valid_sets=[train, valid], valid_names=["training", "valid"],
        callbacks=[lightgbm.log_evaluation(1)],
    )  # fmt: skip
