"""XGBoost: the lines of `verbose_eval` on its console."""

import pathlib

import task

PACKAGES = ("xgboost",)
FAULTS = ("healthy", "rate-x1000")
CONSOLE_IS_LOG = True


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Sixty rounds of boosting; a thousand times the rate of 0.02 is no rate that boosting converges with."""
    import xgboost

    del folder
    rows, held_out = task.Rows(), task.Rows(128, seed=2)
    train = xgboost.DMatrix(rows.x.numpy(), rows.y.numpy())
    valid = xgboost.DMatrix(held_out.x.numpy(), held_out.y.numpy())
    settings = {"objective": "reg:squarederror", "eta": fault.rate * 5, "max_depth": 3, "nthread": 1, "seed": task.SEED}
    xgboost.train(settings, train, 60, evals=[(train, "train"), (valid, "eval")], verbose_eval=True)
