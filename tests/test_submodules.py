"""A submodule that was not fetched is named: an empty folder is not one with nothing in it."""

from pathlib import Path

import pytest
from act_runner import git, repository

from trainproof_ci import git as asked
from trainproof_ci.config import Settings
from trainproof_ci.session import Request, judged

RECORDS = "".join(f'{{"prompt": "question {i}", "completion": "answer {i}"}}\n' for i in range(8))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone without the submodules `data/inner` and `other`."""
    inner = repository(tmp_path / "inner", {"train.jsonl": RECORDS})
    outer = repository(tmp_path / "outer", {"a.jsonl": RECORDS, "docs/x.jsonl": RECORDS.replace("question", "x")})
    for name in ("data/inner", "other"):
        git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), name)
    git(outer, "commit", "-qm", "submodules")
    git(tmp_path, "clone", "-q", str(outer), "clone")
    monkeypatch.chdir(tmp_path / "clone")
    return tmp_path / "clone"


def notes(*paths: str) -> tuple[str, ...]:
    return judged(Request(paths or (".",)), Settings()).report.notes


def test_all_are_named(clone: Path) -> None:
    del clone
    (note,) = notes()
    assert note.startswith("2 submodules (data/inner, other) are not in this checkout and not judged")


def test_only_those_that_the_paths_concern(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert notes("docs", "a.jsonl") == ()
    assert "the submodule data/inner is" in notes("data")[0]
    assert "the submodule data/inner is" in notes("data/inner/train.jsonl")[0]
    assert "2 submodules" in notes("**/*.jsonl")[0]
    monkeypatch.chdir(clone / "data")
    assert "the submodule inner is" in notes()[0]


def test_one_that_is_here_is_judged_and_not_named(clone: Path) -> None:
    git(clone, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "other")
    session = judged(Request(), Settings())
    assert "the submodule data/inner is" in session.report.notes[0]
    assert "other/train.jsonl" in [target.path for target in session.report.targets]


def test_git_is_not_asked_where_there_are_none(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository(work / "repo", {"a.jsonl": RECORDS})
    monkeypatch.chdir(work / "repo")
    monkeypatch.setattr(asked, "git", lambda *_: pytest.fail("git was started"))
    assert asked.missing_submodules() == []
