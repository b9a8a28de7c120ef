"""`catboost_training.json`: what CatBoost minimised, round by round. Its `learn_error.tsv` is read as a table."""

import re
from collections.abc import Iterator, Mapping, Sequence

from trainproof_ci.readers.run.columns import Columns
from trainproof_ci.readers.run.documents import Document, not_a_log
from trainproof_ci.readers.run.facts import Reading
from trainproof_ci.readers.run.records import number
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trainproof_ci.discovery import Target
    from trainproof_ci.readers.source import Head, Source

_META = re.compile(r'"meta"\s*:\s*(?=\{)')
_ITERATIONS = re.compile(r'"iterations"\s*:\s*(?=\[)')
MINIMISED = frozenset(
    {"Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll", "RMSE", "MultiRMSE", "RMSEWithUncertainty", "MAE", "MAPE", "Quantile",
     "MultiQuantile", "Expectile", "LogLinQuantile", "Poisson", "Huber", "Lq", "Tweedie", "LogCosh"}
)  # fmt: skip
"""Metrics of CatBoost that can be trained on and that fall while it learns."""
SETS = ("learn", "test")
TABLES = frozenset({"learn_error.tsv", "test_error.tsv"})


def recognise(head: "Head") -> bool:
    """An object with the metrics of a training and its iterations."""
    start = head.start.lstrip(b"\xef\xbb\xbf \t\r\n")
    return start.startswith(b"{") and b'"learn_metrics"' in head.start and b'"iterations"' in head.start


def columns_of_table(names: list[str], file: str) -> list[str]:
    """The names of the columns of `iter<tab>RMSE`: only that of the file says that it is the loss of a training."""
    if file in TABLES and names[:1] == ["iter"] and len(names) > 1 and names[1].split(":")[0] in MINIMISED:
        return ["iter", "loss", *names[2:]]
    return names


def read(source: "Source", target: "Target") -> Reading:
    """Read round after round; the first metric that is to fall is the loss."""
    document = Document(source, target.path)
    meta, found = _META.search(document.text), _ITERATIONS.search(document.text)
    if meta is None or found is None:
        raise not_a_log(target.path, "no iterations in this file of CatBoost")
    names = _names(document, meta.end())
    columns = Columns()
    for line, entry in document.entries(found.end()):
        if isinstance(entry, dict):
            step = number(entry.get("iteration"))
            columns.add(line, list(_values(entry, names)), float("nan") if step is None else step)
    document.check_end()
    return Reading(columns.series(), columns.odd, cut=document.cut, damage=document.damage)


def _names(document: Document, position: int) -> Mapping[str, Sequence[str]]:
    """What the numbers of each set are: "learn loss" for the first metric that is to fall, else the metric's own name."""
    try:
        meta, _ = document.value(position)
    except ValueError:
        return {}
    names = {}
    for kind in SETS:
        metrics = meta.get(f"{kind}_metrics")
        known = [metric if isinstance(metric, dict) else {} for metric in metrics] if isinstance(metrics, list) else []
        first = next((at for at, metric in enumerate(known) if metric.get("best_value") == "Min"), -1)
        names[kind] = [
            f"{kind} loss" if at == first else f"{kind} {metric.get('name')}" for at, metric in enumerate(known)
        ]
    return names


def _values(entry: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, float]]:
    for kind, own in names.items():
        values = entry.get(kind)
        for name, value in zip(own, values if isinstance(values, list) else (), strict=False):
            if (found := number(value)) is not None:
                yield name, found
