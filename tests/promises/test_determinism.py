"""Same input, same output: byte for byte, whatever the order of the file system, the locale, the time zone, the processes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

FORMATS = ("text", "json", "sarif", "markdown", "html", "github")


def tree(folder: Path, *, backwards: bool) -> None:
    names = [f"data/{name}.jsonl" for name in ("b", "a", "\u00e9", "Z", "z", "10", "9")]
    rows = [json.dumps({"prompt": f"q {i}", "completion": f"a {i}"}) for i in range(50)]
    rows[7] = '{"prompt": "q", "completion": NaN}'
    rows[9] = rows[8]
    for name in reversed(names) if backwards else names:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text("\n".join(rows) + "\n")
    history = [{"step": i, "loss": 2.0 / i, "grad_norm": 1.0} for i in range(1, 60)]
    (folder / "trainer_state.json").write_text(json.dumps({"log_history": history}))


@pytest.mark.parametrize("name", FORMATS)
def test_reports_are_the_same_bytes(work: Path, command: Any, name: str) -> None:
    tree(work, backwards=False)
    first = command("check", "--format", name, "--jobs", "1").out
    assert first
    for environment in (
        {"LC_ALL": "C", "TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "7"},
        {"LANG": "de_DE.UTF-8", "TZ": "UTC"},
    ):
        assert command("check", "--format", name, "--jobs", "2", environment=environment).out == first
    shutil.rmtree(work / "data")
    tree(work, backwards=True)
    assert command("check", "--format", name, "--jobs", "3").out == first
