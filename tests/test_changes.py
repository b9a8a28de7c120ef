"""What a change touched: real git repositories, and GitHub's lists over the loopback API."""

import os
from pathlib import Path
from typing import Any

import pytest
from act_runner import git, repository
from loopback import Fault, Loopback, serving

from trainproof_ci.adapters.api import Api
from trainproof_ci.adapters.changed_files import of_event
from trainproof_ci.adapters.event import Event
from trainproof_ci.changes import WHOLE, Changes, against
from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.session import Request, judged
from trainproof_ci.together import concerned

ROWS = [f'{{"prompt": "question {i}", "completion": "answer {i}"}}' for i in range(1, 13)]
EVENT = Event("pull_request", "o/r", "", "1" * 40, None, None, 7, "lint")


def text(rows: list[str]) -> str:
    return "".join(row + "\n" for row in rows)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        f"data/{name}.jsonl": text([row.replace("answer", name) for row in ROWS]) for name in ("one", "two", "three")
    }
    made = repository(tmp_path / "repo", {**files, "docs/x.md": "x\n"})
    monkeypatch.chdir(made)
    return made


def write(repo: Path, name: str, rows: list[str]) -> None:
    path = repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(rows))


def sure(changes: Changes | str) -> Changes:
    assert isinstance(changes, Changes), changes
    return changes


def test_lines_of_a_changed_file(repo: Path) -> None:
    rows = ROWS.copy()
    rows[3] = '{"prompt": "x", "completion": "++ b/data/two.jsonl"}'
    rows[8:10] = ["@@ -1 +1,9 @@", "diff --git a/x b/x"]
    write(repo, "data/one.jsonl", [row.replace("answer", "one") for row in rows])
    changes = sure(against("HEAD", ""))
    assert dict(changes.files) == {"data/one.jsonl": ((4, 4), (9, 10))}
    assert changes.total == 1


def test_a_rename_a_deletion_and_a_new_file(repo: Path) -> None:
    git(repo, "mv", "data/one.jsonl", "data/renamed.jsonl")
    git(repo, "rm", "-q", "data/two.jsonl")
    write(repo, "data/new.jsonl", ROWS)
    changes = sure(against("HEAD", ""))
    assert set(changes.gone) == {"data/one.jsonl", "data/two.jsonl"}
    assert changes.files["data/renamed.jsonl"] == ()
    kept = concerned(find(["."], Settings()), changes, Settings())
    assert [target.path for target in kept] == ["data/new.jsonl", "data/renamed.jsonl"]
    assert changes.lines("data/new.jsonl") == WHOLE


def test_names_that_git_would_quote(repo: Path) -> None:
    name = 'data/t\t"n\n\u2028.jsonl'
    write(repo, name, ROWS)
    git(repo, "add", "-A")
    assert list(sure(against("HEAD", "")).files) == [name]


def test_nothing_concerned_says_so(repo: Path) -> None:
    (repo / "docs/x.md").write_text("y\n")
    report = judged(Request(changes=against("HEAD", "")), Settings()).report
    assert report.targets == ()
    assert report.exit_code == 0
    assert "nothing to judge among 1 changed file" in report.notes[0]


def test_a_finding_on_an_untouched_line_is_marked_and_need_not_fail(repo: Path) -> None:
    rows = ROWS.copy()
    rows[1] = rows[1].replace('"answer 2"', "NaN")
    write(repo, "data/one.jsonl", rows)
    git(repo, "commit", "-qam", "bad")
    rows[5] = rows[5].replace("answer", "changed")
    write(repo, "data/one.jsonl", rows)
    report = judged(Request(changes=against("HEAD", "")), Settings()).report
    found = [finding for _, finding in report.findings if finding.rule == "TP-JSON-NONFINITE"]
    assert [finding.on_changed_lines for finding in found] == [False]
    assert report.exit_code == 1
    assert report._replace(policy=report.policy._replace(fail_on="changed")).exit_code == 0


def test_a_changed_configuration_concerns_everything(repo: Path) -> None:
    (repo / ".trainproof.yml").write_text("version: 1\n")
    git(repo, "add", "-A")
    targets = find(["."], Settings())
    assert concerned(targets, sure(against("HEAD", "")), Settings()) == targets


def test_a_changed_split_concerns_its_partner(repo: Path) -> None:
    for name in ("train", "eval"):
        write(repo, f"data/set-{name}.jsonl", [row.replace("answer", name) for row in ROWS])
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "splits")
    write(repo, "data/set-eval.jsonl", ROWS)
    kept = concerned(find(["."], Settings()), sure(against("HEAD", "")), Settings())
    assert [target.path for target in kept] == ["data/set-eval.jsonl", "data/set-train.jsonl"]


def test_what_the_job_made_counts_as_changed(repo: Path) -> None:
    (repo / ".gitignore").write_text("runs/\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "ignore")
    (repo / "runs").mkdir()
    write(repo, "runs/log.jsonl", ROWS)
    kept = concerned(find(["runs"], Settings()), sure(against("HEAD", "")), Settings())
    assert [target.path for target in kept] == ["runs/log.jsonl"]


def test_the_first_parent_of_the_merge_commit(repo: Path) -> None:
    git(repo, "checkout", "-qb", "change")
    write(repo, "data/two.jsonl", ROWS[:5])
    git(repo, "commit", "-qam", "change")
    git(repo, "checkout", "-q", "main")
    write(repo, "data/three.jsonl", ROWS)
    git(repo, "commit", "-qam", "meanwhile")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "change")
    assert list(sure(of_event(EVENT, "", None)).files) == ["data/two.jsonl"]


def test_a_folder_of_the_repository(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(repo, "data/one.jsonl", ROWS)
    (repo / "docs/x.md").write_text("y\n")
    monkeypatch.chdir(repo / "data")
    changes = sure(against("HEAD", "data/"))
    assert list(changes.files) == ["one.jsonl"]
    assert changes.total == 2


def test_a_submodule_that_moved(repo: Path, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner", {"a.jsonl": text(ROWS)})
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "sub")
    git(repo, "commit", "-qm", "submodule")
    (repo / "sub/b.jsonl").write_text(text(ROWS[:3]))
    git(repo / "sub", "add", "-A")
    git(repo / "sub", "commit", "-qm", "more")
    changes = sure(against("HEAD", ""))
    assert list(changes.files) == ["sub"]


def shallow(repo: Path, tmp_path: Path) -> Path:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repo}", str(clone))
    return clone


def test_a_shallow_clone_asks_the_api(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shallow(repo, tmp_path))
    platform = Loopback(validate=False)
    platform.files = [{"filename": f"other/{n}", "status": "added"} for n in range(150)]
    platform.files += [
        {"filename": "data/one.jsonl", "status": "modified", "patch": "@@ -3,4 +3,4 @@\n a\n-b\n+c\n d"},
        {"filename": "data/new.jsonl", "status": "renamed", "previous_filename": "data/two.jsonl"},
        {"filename": "data/three.jsonl", "status": "removed"},
    ]
    with serving(platform) as address:
        changes = sure(of_event(EVENT._replace(base="2" * 40), "", Api(address, "t")))
    assert changes.total == 153
    assert changes.files["data/one.jsonl"] == ((3, 4), (4, 4))
    assert changes.files["data/new.jsonl"] == WHOLE
    assert set(changes.gone) == {"data/two.jsonl", "data/three.jsonl"}
    assert "API" in changes.how


@pytest.mark.parametrize(
    ("files", "fault", "why"),
    [
        ([{"filename": f"x{n}"} for n in range(3000)], None, "no more than 3000"),
        ([], None, "lists no changed file"),
        ([], Fault("GET", 0, 404), "404"),
    ],
    ids=["too many", "none", "refused"],
)
def test_a_list_that_may_not_be_whole_judges_everything(
    repo: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: list[dict[str, Any]],
    fault: Fault | None,
    why: str,
) -> None:
    monkeypatch.chdir(shallow(repo, tmp_path))
    platform = Loopback((fault,) if fault else (), validate=False)
    platform.files = files
    with serving(platform) as address:
        changes = of_event(EVENT, "", Api(address, "t"))
    assert isinstance(changes, str)
    assert why in changes
    report = judged(Request(changes=changes), Settings()).report
    assert len(report.targets) == 3
    assert report.notes[0].startswith("everything is judged: ")


def test_without_a_token_everything_is_judged(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shallow(repo, tmp_path))
    assert "no token" in str(of_event(EVENT, "", None))


def test_the_base_itself_is_no_change(repo: Path) -> None:
    head = git(repo, "rev-parse", "HEAD")
    changes = of_event(EVENT._replace(name="pull_request_target", base=head), "", None)
    assert isinstance(changes, str)


def test_a_configured_diff_program_never_runs(repo: Path) -> None:
    canary = repo.parent / "canary"
    git(repo, "config", "diff.external", f"touch {canary}")
    git(repo, "config", "diff.evil.textconv", f"touch {canary};cat")
    git(repo, "config", "core.fsmonitor", f"touch {canary}")
    (repo / ".gitattributes").write_text("*.jsonl diff=evil\n")
    write(repo, "data/one.jsonl", ROWS)
    against("HEAD", "")
    assert not os.path.lexists(canary)
