import os
import subprocess
from pathlib import Path

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find

RECORD = b'{"prompt": "a question", "completion": "an answer"}\n'


def put(work: Path, *names: str, data: bytes = RECORD) -> None:
    for name in names:
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(data)


def names(*paths: str, settings: Settings = Settings()) -> list[str]:  # noqa: B008 - frozen
    return [target.path for target in find(paths or ["."], settings)]


def test_targets_are_sorted_by_path_and_other_files_are_none(work: Path) -> None:
    put(work, "b.jsonl", "a/c.jsonl", "a/b.jsonl")
    put(work, "README.md", ".venv/x.jsonl", "node_modules/x.jsonl", data=b"words\n")
    assert names() == ["a/b.jsonl", "a/c.jsonl", "b.jsonl"]


def test_git_decides_what_is_walked_where_there_is_a_repository(work: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    put(work, "tracked.jsonl", "new.jsonl", "ignored/x.jsonl")
    (work / ".gitignore").write_text("ignored/\n", encoding="utf-8")
    subprocess.run(["git", "add", "tracked.jsonl"], check=True)
    assert names() == ["new.jsonl", "tracked.jsonl"]
    assert names("ignored") == ["ignored/x.jsonl"], "named on purpose it is judged"


def test_what_git_tracks_is_walked_wherever_it_lies(work: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    put(work, "venv/kept.jsonl", "node_modules/set/train.jsonl", "a.jsonl")
    subprocess.run(["git", "add", "."], check=True)
    put(work, "venv/made.jsonl", "node_modules/other/train.jsonl")
    assert names() == ["a.jsonl", "node_modules/set/train.jsonl", "venv/kept.jsonl"]
    assert names("venv") == ["venv/kept.jsonl", "venv/made.jsonl"], "named on purpose all of it is walked"


def test_a_configured_hook_of_the_repository_never_runs(work: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    canary = work / "canary"
    hook = work / "monitor.sh"
    hook.write_text(f"#!/bin/sh\ntouch {canary}\n", encoding="utf-8")
    hook.chmod(0o755)
    subprocess.run(["git", "config", "core.fsmonitor", str(hook)], check=True)
    put(work, "a.jsonl")
    assert names() == ["a.jsonl"]
    assert not canary.exists()


def test_a_deleted_tracked_file_is_not_a_target(work: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    put(work, "a.jsonl", "b.jsonl")
    subprocess.run(["git", "add", "."], check=True)
    (work / "b.jsonl").unlink()
    assert names() == ["a.jsonl"]


def test_links_that_lead_out_pipes_and_broken_links_are_refused_and_said(work: Path, tmp_path_factory: object) -> None:
    put(work, "a.jsonl")
    (work / "out.jsonl").symlink_to("/etc/passwd")
    (work / "gone.jsonl").symlink_to("nowhere")
    (work / "inside.jsonl").symlink_to("a.jsonl")
    os.mkfifo(work / "pipe.jsonl")
    targets = {target.path: target for target in find(["."], Settings())}
    refused = {path: target.refusal.rule for path, target in targets.items() if target.refusal}
    assert refused == dict.fromkeys(("out.jsonl", "gone.jsonl", "pipe.jsonl"), "TP-FILE-OUTSIDE")
    assert "inside.jsonl" in targets


def test_what_matches_nothing_is_a_target_that_is_not_judged(work: Path) -> None:
    put(work, "a.jsonl")
    targets = find(["a.jsonl", "b.jsonl", "data/*.csv"], Settings())
    assert [(t.path, t.refusal.rule if t.refusal else None) for t in targets] == [
        ("a.jsonl", None), ("b.jsonl", "TP-FILE-NOT-FOUND"), ("data/*.csv", "TP-FILE-NOT-FOUND"),
    ]  # fmt: skip


def test_excluded_files_are_no_targets(work: Path) -> None:
    put(work, "a.jsonl", "third_party/x/b.jsonl")
    assert names(settings=Settings(exclude=("third_party/**",))) == ["a.jsonl"]


def test_a_name_with_a_wildcard_is_a_name_first(work: Path) -> None:
    put(work, "a[1].jsonl", "a1.jsonl")
    assert names("a[1].jsonl") == ["a[1].jsonl"]
    assert names("a*.jsonl") == ["a1.jsonl", "a[1].jsonl"]


def test_metadata_is_a_dataset_beside_the_pictures_that_it_may_name(work: Path) -> None:
    put(work, "a/metadata.csv", "b/metadata.csv", data=b"image,note\nx.png,red\n")
    put(work, "c/metadata.csv", data=b"sample,condition\ns1,cold\n")
    put(work, "a/x.png", "c/figure.png", data=b"\x89PNG")
    assert names() == ["a/metadata.csv"]
