"""Manifests of every format: what is recognised, read, refused, and that nothing else comes out."""

import hashlib
import json
import os
from pathlib import Path

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, classify, find
from trainproof_ci.engine import check
from trainproof_ci.errors import Unreadable
from trainproof_ci.model import Report, Severity
from trainproof_ci.readers.manifest import parse, read, recognise
from trainproof_ci.readers.manifest.entries import Entry, Malformed
from trainproof_ci.readers.source import Head

NOTE = b"a note\n"
SHA256 = hashlib.sha256(NOTE).hexdigest()
MD5 = hashlib.md5(NOTE).hexdigest()


def judged(*paths: str, kind: str | None = None) -> Report:
    return check(find(paths or ["."], Settings(), kind), Settings())


def rules(report: Report) -> set[str]:
    return {finding.rule for _, finding in report.findings}


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("SHA256SUMS", f"{SHA256}  notes.txt\n", "checksums"),
        ("sha256sums.txt", f"{SHA256} *notes.txt\r\n", "checksums"),
        ("checksums.txt", f"SHA256 (notes.txt) = {SHA256}\n", "checksums"),
        ("notes.txt.sha256", SHA256 + "\n", "checksums"),
        ("MD5SUMS", f"# made by hand\n{MD5}  ./notes.txt\n", "checksums"),
        ("SHA256SUMS", f"{SHA256}  release.zip\n", None),
        ("checksums.txt", "nothing of the kind\n", None),
        ("list.txt", f"{SHA256}  notes.txt\n", None),
        ("manifest.json", '{"version": 1, "tool": "trainproof-ci 0.1.0", "files": []}', "manifest"),
        ("m.json", json.dumps({"files": [{"path": "notes.txt", "sha256": SHA256}]}), "manifest"),
        ("m.json", json.dumps({"files": [{"path": "a.jsonl", "sha256": SHA256, "records": 4}]}), "manifest"),
        ("m.json", json.dumps({"files": [{"path": "release.zip", "sha256": SHA256}]}), None),
        ("manifest.json", '{"name": "app", "icons": [{"src": "a.png"}]}', None),
        ("manifest.json", '{"files": ["a", "b"]}', None),
        ("notes.txt.dvc", f"outs:\n- md5: {MD5}\n  size: 7\n  path: notes.txt\n", "dvc"),
        ("notes.dvc", "nothing: here\n", None),
    ],
)
def test_recognised(work: Path, name: str, content: str, form: str | None) -> None:
    (work / "notes.txt").write_bytes(NOTE)
    (work / name).write_text(content)
    assert recognise(Head.of(name)) == form


def test_a_manifest_of_another_version_is_not_judged(work: Path) -> None:
    (work / "notes.txt").write_bytes(NOTE)
    listed = {"path": "notes.txt", "bytes": len(NOTE), "sha256": SHA256}
    for version, verdict in ((1, Severity.PASS), (9, Severity.NOT_CHECKED)):
        document = {"version": version, "tool": "trainproof-ci 9.0", "files": [listed]}
        (work / "manifest.json").write_text(json.dumps(document))
        assert judged("manifest.json").verdict is verdict


def test_a_list_named_on_purpose_is_read_although_nothing_is_here(work: Path) -> None:
    (work / "SHA256SUMS").write_text(f"{SHA256}  release.zip\n")
    report = judged("SHA256SUMS", kind="manifest")
    assert rules(report) == {"TP-MANIFEST-MISSING"}
    assert report.verdict is Severity.NOT_CHECKED


def test_escaped_names_of_a_list() -> None:
    listed, _ = parse(b"\\" + SHA256.encode() + b"  a\\nb\n", "SHA256SUMS", "checksums")
    assert isinstance(listed[0], Entry)
    assert listed[0].path == "a\nb"


def test_old_dvc_files_digest_text_with_unix_line_ends(work: Path) -> None:
    data = b"a\r\nnote\r\n"
    (work / "notes.txt").write_bytes(data)
    md5 = hashlib.md5(data.replace(b"\r\n", b"\n")).hexdigest()
    (work / "notes.txt.dvc").write_text(f"outs:\n- md5: {md5}\n  size: {len(data)}\n  path: notes.txt\n")
    assert judged().verdict is Severity.PASS
    (work / "notes.txt.dvc").write_text(f"outs:\n- md5: {md5}\n  hash: md5\n  size: {len(data)}\n  path: notes.txt\n")
    assert rules(judged()) == {"TP-MANIFEST-DIGEST"}


def test_a_folder_that_dvc_keeps(work: Path) -> None:
    (work / "data" / "sub").mkdir(parents=True)
    (work / "data" / "a.bin").write_bytes(b"one")
    (work / "data" / "sub" / "b.bin").write_bytes(b"three")
    listing = [
        {"md5": hashlib.md5(b"one").hexdigest(), "relpath": "a.bin"},
        {"md5": hashlib.md5(b"three").hexdigest(), "relpath": "sub/b.bin"},
    ]
    digest = hashlib.md5(json.dumps(listing).encode()).hexdigest()
    (work / "data.dvc").write_text(f"outs:\n- md5: {digest}.dir\n  size: 8\n  nfiles: 2\n  hash: md5\n  path: data\n")
    assert judged().verdict is Severity.PASS
    (work / "data" / "a.bin").write_bytes(b"two")
    assert rules(judged()) == {"TP-MANIFEST-DIGEST"}
    (work / "data" / "c.bin").write_bytes(b"")
    assert rules(judged()) == {"TP-MANIFEST-BYTES"}


def test_a_dvc_file_without_its_data_is_a_pointer(work: Path) -> None:
    (work / "train.jsonl.dvc").write_text(f"outs:\n- md5: {MD5}\n  size: 7\n  path: train.jsonl\n")
    report = judged()
    assert rules(report) == {"TP-FILE-DVC-POINTER"}
    assert report.verdict is Severity.NOT_CHECKED


def test_a_link_out_of_the_working_directory_is_not_followed(
    work: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside") / "notes.txt"
    outside.write_bytes(NOTE)
    (work / "notes.txt").symlink_to(outside)
    (work / "manifest.json").write_text(
        json.dumps({"tool": "trainproof-ci 0.1.0", "files": [{"path": "notes.txt", "sha256": SHA256}]})
    )
    assert rules(judged("manifest.json")) == {"TP-MANIFEST-UNVERIFIED"}


def test_a_manifest_that_lists_itself_is_read_once(work: Path) -> None:
    (work / "manifest.json").write_text(
        json.dumps({"tool": "trainproof-ci 0.1.0", "files": [{"path": "manifest.json", "records": 1, "bytes": 1}]})
    )
    assert rules(judged()) == {"TP-MANIFEST-BYTES"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../a", "a/../../b", "C:/a", "a\\b", "", "a\0b", "\ud800", 5, None])
def test_paths_that_leave_the_folder(path: object) -> None:
    document = json.dumps({"files": [{"path": path, "bytes": 1}]}).encode()
    listed, _ = parse(document, "manifest.json", "manifest")
    assert isinstance(listed[0], Malformed)


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"[]", b"{}x", b'{"files": [', b'{"files": [{}', b'{"files": 1, "files": 2}', b"{1: 2}",
        b'{"files": [' + b"[" * 100_000, b'{"files": [' + b"9" * 5000 + b"]}", b"\xff\xfe{\0}\0", b'{"files" []}',
    ],
)  # fmt: skip
def test_broken_documents_are_refused_with_their_line(text: bytes) -> None:
    with pytest.raises(Unreadable) as caught:
        parse(text, "manifest.json", "manifest")
    assert caught.value.rule == "TP-MANIFEST-SYNTAX"
    assert caught.value.location is not None


def test_entries_past_the_bound_are_refused() -> None:
    with pytest.raises(Unreadable, match="more than 100000 entries"):
        parse(b'{"files": [' + b"{}," * 100_001 + b"{}]}", "manifest.json", "manifest")


def test_a_manifest_past_the_bound_is_refused(work: Path) -> None:
    with (work / "manifest.json").open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(Unreadable, match="too large"):
        read(Target("manifest.json", "manifest", "manifest"), Settings(), ())


def test_no_content_of_a_file_or_key_is_told(work: Path, command: Command) -> None:
    secret = "s3cr3t-canary-0123456789"
    (work / "train.jsonl").write_text(f'{{"prompt": "{secret}", "completion": "{secret}"}}\n')
    entry = {"path": "train.jsonl", "sha256": secret, secret: secret, "records": 3, "encoding": secret}
    good = {**entry, "sha256": hashlib.sha256((work / "train.jsonl").read_bytes()).hexdigest()}
    (work / "manifest.json").write_text(
        json.dumps({"tool": "trainproof-ci 0.1.0", "command": [secret], "files": [entry, good], secret: 1})
    )
    (work / "SHA256SUMS").write_text(f"{SHA256}  train.jsonl\n{secret}\n")
    for form in ("text", "json", "sarif", "markdown", "github"):
        answer = command("check", "--format", form)
        assert answer.code == 1
        assert secret not in answer.out + answer.err


def test_a_file_that_changes_while_it_is_measured_is_not_verified(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trainproof_ci.readers.manifest import held

    (work / "notes.txt").write_bytes(NOTE)
    (work / "manifest.json").write_text(
        json.dumps({"tool": "trainproof-ci 0.1.0", "files": [{"path": "notes.txt", "sha256": SHA256}]})
    )

    def growing(*arguments: object) -> object:
        with (work / "notes.txt").open("ab") as file:
            file.write(b"more")
        return real(*arguments)

    real = held.measure
    monkeypatch.setattr(held, "measure", growing)
    report = judged("manifest.json")
    assert rules(report) == {"TP-MANIFEST-UNVERIFIED"}
    assert report.verdict is Severity.NOT_CHECKED


def survives(data: bytes, form: str) -> None:
    try:
        listed, _ = parse(data, "manifest.json", form)
    except Unreadable:
        return
    assert all(isinstance(each, Entry | Malformed) for each in listed)


@given(st.binary(max_size=300), st.sampled_from(["manifest", "checksums", "dvc", "unknown"]))
def test_any_bytes_give_entries_or_a_reason(data: bytes, form: str) -> None:
    survives(data, form)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "sha256", "bytes", "x"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["files", "rejected", "tool", "run"]), JSON | st.lists(JSON, max_size=4)))
def test_any_document_gives_entries_or_a_reason(document: object) -> None:
    survives(json.dumps(document).encode(), "manifest")


@given(
    st.lists(st.tuples(st.sampled_from(["md5", "size", "path", "nfiles"]), st.text("0123456789abc/.{}[]:", max_size=9)))
)
def test_any_dvc_output_gives_entries_or_a_reason(pairs: list[tuple[str, str]]) -> None:
    survives(("outs:\n- x: 1\n" + "".join(f"  {key}: {value}\n" for key, value in pairs)).encode(), "dvc")


def test_a_manifest_is_found_beside_what_it_lists(work: Path) -> None:
    (work / "manifest.json").write_text('{"tool": "trainproof-ci 0.1.0", "files": []}')
    target = classify("manifest.json", os.path.realpath("."))
    assert target is not None
    assert (target.kind, target.format) == ("manifest", "manifest")


def test_a_digest_alone_is_of_the_file_that_its_list_is_named_after(work: Path) -> None:
    (work / "train.jsonl").write_bytes(b'{"prompt": "a", "completion": "b"}\n')
    (work / "train.jsonl.md5").write_text(hashlib.md5((work / "train.jsonl").read_bytes()).hexdigest() + "\n")
    (work / "CHECKSUM").write_text("0" * 32 + "\n")
    assert recognise(Head.of("train.jsonl.md5")) == "checksums"
    assert recognise(Head.of("CHECKSUM")) is None
