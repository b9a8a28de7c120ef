"""One check over many machines: the same bytes as one machine, and a division that holds for a terabyte."""

import json
from pathlib import Path

import pytest

from trainproof_ci.config import Settings, parsed
from trainproof_ci.discovery import Target, find
from trainproof_ci.errors import UsageError
from trainproof_ci.model import Report
from trainproof_ci.reports import FORMATS, renderer
from trainproof_ci.session import Request, judged
from trainproof_ci.shards import Shard, joined, parse, share
from trainproof_ci.together import groups

CONFIGURATION = b"""\
version: 1
ignore:
  - {rule: TP-JSON-NONFINITE, files: data/part-01.jsonl, reason: a test of the reader}
  - {rule: TP-JSON-EXTRA, files: "data/**", reason: stale everywhere}
"""


@pytest.fixture
def tree(work: Path) -> Settings:
    (work / "data").mkdir()
    (work / "runs").mkdir()
    for number in range(40):
        rows = [f'{{"prompt": "q {number} {i}", "completion": "a {i}"}}' for i in range(3 + number)]
        if number % 3 == 1:
            rows[1] = f'{{"prompt": "q {number}", "completion": NaN}}'
        if number % 7 == 3:
            rows += rows[:12]
        (work / f"data/part-{number:02}.jsonl").write_text("\n".join(rows) + "\n")
    (work / "data/b\udcff\u00e9.jsonl").write_bytes(b'{"prompt": "x", "completion": "y"}\n\xff\n')
    (work / "data/pointer.jsonl").write_text(
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 9\n"
    )
    history = [{"step": i, "loss": 2.0 / i} for i in range(1, 30)]
    (work / "runs/trainer_state.json").write_text(json.dumps({"log_history": history}, indent=1))
    return parsed(CONFIGURATION, "c.yml")._replace(jobs=1)


def reports(settings: Settings, of: int) -> list[str]:
    return [judged(Request(shard=Shard(n, of)), settings).shard_report(Shard(n, of)) for n in range(1, of + 1)]


@pytest.mark.parametrize("of", [1, 2, 7, 32])
def test_joined_shards_are_the_unsharded_report_byte_for_byte(tree: Settings, of: int) -> None:
    whole = judged(Request(), tree).report
    assert any("stale ignore: TP-JSON-EXTRA" in note for note in whole.notes)
    merged = joined([json.loads(text) for text in reports(tree, of)])
    for name in FORMATS:
        assert rendered(name, merged) == rendered(name, whole), name
    assert merged.exit_code == whole.exit_code


def rendered(name: str, report: Report) -> str:
    try:
        return renderer(name)(report)
    except ModuleNotFoundError:
        return ""  # a report that is not written yet


def test_a_missing_double_or_foreign_shard_joins_nothing(tree: Settings) -> None:
    parts = [json.loads(text) for text in reports(tree, 3)]
    for wrong in (parts[:2], [*parts, parts[0]], [*parts[:2], parts[1]], [{}], [{"shard": 1}], []):
        with pytest.raises(UsageError):
            joined(wrong)
    foreign = json.loads(reports(tree._replace(loss_key="x"), 3)[2])
    with pytest.raises(UsageError, match="different trees"):
        joined([*parts[:2], foreign])


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/257", "a/b", "1/2/3", "-1/2", "\u0661/\u0662 "])
def test_a_shard_that_is_none(text: str) -> None:
    with pytest.raises(UsageError):
        parse(text)


def test_splits_stay_together(work: Path) -> None:
    for name in ("train", "valid", "test"):
        for number in range(9):
            (work / f"{number}-{name}.jsonl").write_text(f'{{"text": "{name} {number}"}}\n' * (number + 1))
    targets = find(["."], Settings())
    for number in range(1, 5):
        mine = {target.path for target in share(targets, Shard(number, 4), Settings())}
        for path in mine:
            assert {path.replace(path.split("-")[1][:-6], name) for name in ("train", "valid", "test")} <= mine


MANIFEST = '{"tool": "trainproof-ci 0.1.0", "files": [{"path": "a.jsonl", "records": 1}, {"path": "c.jsonl"}]}\n'
LISTS = {
    "manifest.json": MANIFEST,
    "SHA256SUMS": f"{'0' * 64}  a.jsonl\n{'1' * 64}  c.jsonl\n",
    "set.dvc": f"outs:\n- {{path: a.jsonl, md5: {'a' * 32}}}\n- {{path: c.jsonl, md5: {'b' * 32}}}\n",
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_files_stays_with_them(work: Path, name: str) -> None:
    for data in "abcd":
        (work / f"{data}.jsonl").write_text(f'{{"text": "{data}"}}\n')
    (work / name).write_text(LISTS[name])
    found = [[target.path for target in group] for group in groups(find(["."], Settings()), Settings())]
    assert sorted((name, "a.jsonl", "c.jsonl")) in [sorted(group) for group in found]
    assert ["b.jsonl"] in found


def test_a_list_that_cannot_be_read_is_alone(work: Path) -> None:
    (work / "a.jsonl").write_text('{"text": "a"}\n')
    (work / "manifest.json").write_text(MANIFEST[:-9])
    found = [[target.path for target in group] for group in groups(find(["."], Settings()), Settings())]
    assert found == [["a.jsonl"], ["manifest.json"]]


def test_a_terabyte_over_256_jobs() -> None:
    """4,000 shards of 250 MB and 50 files of 1 to 4 GB: no job has more than 1 % over the mean, all is judged once."""
    targets = [Target(f"data/part-{n:05}.jsonl", "dataset", "jsonl", 250_000_000 + n % 977 * 1000) for n in range(4000)]
    targets += [Target(f"big/{n:02}.jsonl", "dataset", "jsonl", 1_000_000_000 + n * 61_000_000) for n in range(50)]
    loads, seen = [], 0
    for number in range(1, 257):
        mine = share(targets, Shard(number, 256), Settings())
        loads.append(sum(target.size for target in mine))
        seen += len(mine)
    assert seen == len(targets)
    mean = sum(loads) / 256
    assert max(loads) <= mean * 1.05
    assert sum(loads) > 1e12
