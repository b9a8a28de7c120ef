"""The header of a CSV log: what divides the cells and what the columns are called."""

from trainproof_ci.readers.run.catboost import columns_of_table
from trainproof_ci.readers.run.vocabulary import is_eval, is_loss

DELIMITERS = (",", ";", "\t", "|")
_DEFAULT = ","
_COUNTERS = frozenset({"", "wall time", "timestamp", "step", "iteration", "iter", "epoch", "index"})
_VALUES = frozenset({"value", "0"})
"""What pandas and TensorBoard call the only column of numbers."""


def delimiter_of(header: str) -> str:
    """The delimiter that the header has most of."""
    return max(DELIMITERS, key=header.count) if any(d in header for d in DELIMITERS) else _DEFAULT


def header_names(header: str) -> list[str]:
    """The names of the columns, without quotes and padding."""
    return [cell.strip().strip("\"'#").strip() for cell in header.rstrip("\r").split(delimiter_of(header))]


def names_of_columns(names: list[str], path: str) -> list[str]:
    """The names of the columns, where only that of the file says what they are: CatBoost's tables, curves that TensorBoard
    or pandas wrote as CSV, in which the loss is called `Value` or `0`, and a `val_loss.csv` of one column `loss`.
    """
    file = path.rsplit("/", 1)[-1]
    names, stem = columns_of_table(names, file), file.rsplit(".", 1)[0]
    counters, value = names[:-1], names[-1].lower() if names else ""
    if counters and value in _VALUES and _COUNTERS.issuperset(map(str.lower, counters)) and is_loss(stem):
        return [*(name or "step" for name in counters), "val loss" if is_eval(stem) else "loss"]
    if len(names) == 1 and is_loss(names[0]) and is_eval(stem) and not is_eval(names[0]):
        return [f"val {names[0]}"]
    return names
