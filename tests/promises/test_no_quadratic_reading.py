"""Inputs on which a reader once copied all that was left for each step: they must be judged long before the deadline."""

from pathlib import Path

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check


@pytest.mark.parametrize(
    "text",
    [
        '{"prompt": "a", "completion": "b"}\n' + "\n" * 100_000,
        '{"prompt": "a", "completion": "' + "Ã©" * 100_000 + '"}\n',
    ],
    ids=["blank lines", "mojibake"],
)
def test_it_ends(work: Path, text: str) -> None:
    (work / "train.jsonl").write_text(text, encoding="utf-8")
    (report,) = check(find(["train.jsonl"], Settings()), Settings(deadline=60)).targets
    assert "TP-FILE-DEADLINE" not in {finding.rule for finding in report.findings}
