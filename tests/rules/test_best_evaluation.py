"""The step whose checkpoint is to be kept is that of the lowest evaluation itself, in words and in the picture."""

import json
from pathlib import Path

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check


def test_the_single_lowest_evaluation_is_named_and_marked(work: Path) -> None:
    evals = [*(2 - 0.1 * i for i in range(10)), *(1.1 + 0.15 * i for i in range(10))]
    evals[6] = 0.9  # a lucky one: the lowest of all, though not of the medians
    rows = [{"step": i, "loss": 3 - 0.1 * i, "eval_loss": value} for i, value in enumerate(evals)]
    (work / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (report,) = check(find(["."], Settings()), Settings()).targets
    (finding,) = report.findings
    assert finding.rule == "TP-OVERFIT"
    assert "0.9 at step 6" in finding.message
    assert "keep the checkpoint of step 6," in finding.message
    (best,) = finding.related
    assert (best.line, best.step, best.note) == (7, 6, "the best evaluation")
    (chart,) = (chart for chart in report.charts if chart.role == "evals")
    assert (6, "TP-OVERFIT") in chart.marks
