"""Promotion to a store behind a URL: an in-memory one with faults, and an S3 endpoint on loopback."""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import makers
import pytest
from conftest import ROOT, needs_module

from trainproof_ci.config import Settings
from trainproof_ci.errors import UsageError
from trainproof_ci.intake import promotion, remote_store
from trainproof_ci.model import Severity

NEW = makers.rows(2000)
OLD = makers.rows(10)
_NUMBERS = itertools.count()


@pytest.fixture
def memory(work: Path) -> Any:
    """An fsspec store in memory with an older file in it, and a newer file here."""
    files = needs_module("fsspec").filesystem("memory", skip_instance_cache=True)
    files.store.clear()
    files.pipe_file("/bucket/train.jsonl", OLD)
    (work / "new.jsonl").write_bytes(NEW)
    yield files
    files.store.clear()


def promote(url: str = "memory://bucket/train.jsonl") -> Any:
    return promotion.promote("new.jsonl", url, None, Settings())


def test_a_sound_file_takes_its_place(memory: Any) -> None:
    promoted, copy = promote()
    assert promoted.verdict is Severity.PASS
    assert copy.path == "memory://bucket/train.jsonl"
    assert memory.cat_file("/bucket/train.jsonl") == NEW
    assert [name for name in memory.find("/bucket") if "promoting" in name] == []


@pytest.mark.parametrize(
    ("fault", "rule", "words"),
    [
        (lambda data: data[:50_000], "TP-PROMOTE-SIZE", "cut short: 50000 of"),
        (lambda data: data + data, "TP-PROMOTE-SIZE", "bytes appended"),
        (lambda data: data[:50_000] + b"#" + data[50_001:], "TP-PROMOTE-DIGEST", "damaged or edited in place"),
    ],
)
def test_an_upload_that_arrives_wrong_is_told_and_removed(
    memory: Any, monkeypatch: pytest.MonkeyPatch, fault: Any, rule: str, words: str
) -> None:
    def arrived(place: remote_store.RemotePlace) -> Any:
        memory.pipe_file(place.copy, fault(NEW))
        return real(place)

    real = remote_store.RemotePlace.arrived
    monkeypatch.setattr(remote_store.RemotePlace, "arrived", arrived)
    promoted = promote()[0]
    assert [finding.rule for finding in promoted.findings] == [rule]
    assert words in promoted.findings[0].message
    assert memory.cat_file("/bucket/train.jsonl") == OLD
    assert list(memory.find("/bucket")) == ["/bucket/train.jsonl"]


def test_a_store_that_fails_is_said_and_nothing_is_replaced(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise RuntimeError("of the store's own package")

    monkeypatch.setattr(type(memory), "cp_file", broken)
    (report,) = promote()
    assert report.verdict is Severity.NOT_CHECKED
    assert report.findings[0].measured == "RuntimeError"
    assert memory.cat_file("/bucket/train.jsonl") == OLD


@pytest.mark.parametrize("url", ["memory://bucket", "memory://bucket/", "nosuchstore://bucket/x"])
def test_urls_that_name_no_object(memory: Any, url: str) -> None:
    with pytest.raises(UsageError):
        promote(url)


def test_a_file_url_is_a_local_path(memory: Any, work: Path) -> None:
    promote(f"file://{work}/train.jsonl")
    assert (work / "train.jsonl").read_bytes() == NEW


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """An S3 server of this machine."""
    server = needs_module("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(work: Path, endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A bucket of its own with an older file in it, and a newer file here."""
    s3fs = needs_module("s3fs")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": endpoint, "FSSPEC_S3_ENDPOINT_URL": endpoint,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    files = s3fs.S3FileSystem(endpoint_url=endpoint, key="test", secret="test", skip_instance_cache=True)
    name = f"bucket-{next(_NUMBERS)}"
    files.mkdir(name)
    files.pipe_file(f"{name}/train.jsonl", OLD)
    (work / "new.jsonl").write_bytes(NEW)
    return files, name


KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from trainproof_ci.cli import main
left = int(sys.argv[2])
import botocore.awsrequest, aiobotocore.endpoint
real = aiobotocore.endpoint.AioEndpoint._send
async def counted(self, request):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    answer = await real(self, request)
    if left == 0.5:
        os.kill(os.getpid(), signal.SIGKILL)
    return answer
aiobotocore.endpoint.AioEndpoint._send = counted
sys.exit(main(["promote", "new.jsonl", sys.argv[3]]))
"""


def test_s3_old_or_new_whenever_it_is_killed(bucket: Any) -> None:
    """SIGKILL before every request to the server, one after the other; then a retry."""
    files, name = bucket
    seen: set[bytes] = set()
    for step in range(1, 30):
        files.pipe_file(f"{name}/train.jsonl", OLD)
        done = subprocess.run(
            [sys.executable, "-I", "-c", KILLED, str(ROOT), str(step), f"s3://{name}/train.jsonl"],
            capture_output=True, check=False, env=dict(os.environ),
        )  # fmt: skip
        files.invalidate_cache()
        content = files.cat_file(f"{name}/train.jsonl")
        assert content in {OLD, NEW}
        seen.add(content)
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0, done.stderr
    assert seen == {OLD, NEW}
    assert step > 3
    files.invalidate_cache()
    assert files.find(name) == [f"{name}/train.jsonl"]


def test_s3_a_broken_file_stays_out(bucket: Any) -> None:
    files, name = bucket
    Path("new.jsonl").write_bytes(NEW + b'{"prompt": "cut')
    promoted = promote(f"s3://{name}/train.jsonl")[0]
    assert [finding.rule for finding in promoted.findings] == ["TP-PROMOTE-INVALID"]
    files.invalidate_cache()
    assert files.cat_file(f"{name}/train.jsonl") == OLD
    assert files.find(name) == [f"{name}/train.jsonl"]
