"""Whatever a file is called, no output says anything but what it was meant to say."""

import json
import os
import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hostile_names import BY_HAND, generated
from made_reports import finding, report, target
from runner_commands import commands

from trainproof_ci.adapters.checks_api import annotations
from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.reports import escape, github, html, markdown, sarif, text
from trainproof_ci.reports import json as json_report

INVISIBLE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)
NAMES = [*BY_HAND, *generated(10_000)]


def named(raw: bytes) -> str:
    return os.fsdecode(raw) + ".jsonl"


def told(raw: bytes) -> Report:
    """A report in which the name stands wherever a name or a sentence about one may stand."""
    name = named(raw)
    noted = Location(name, 1, note=f"first copy in {name}")
    severe = Finding(
        "TP-NAN", Severity.FAIL, f"sentence about {name}", name, name, Places(Location(name, 2, 3)), (noted,)
    )
    unjudged = finding(name, Severity.NOT_CHECKED, 1, text=name)
    return report(target(name, severe, unjudged))._replace(notes=(f"note about {name}",))


def test_the_oracle_reads_commands() -> None:
    assert [c.name for c in commands(b"x\n::error file=a::b\rold ##[warning]c\n\xe2\x80\xa8::notice::d\n::nothing::e\nf ::debug::g")] == [
        "error", "warning", "notice",
    ]  # fmt: skip


def check_terminal(raw: bytes) -> None:
    out = text.render(told(raw)).encode("utf-8", "replace")
    assert commands(out) == []
    assert not INVISIBLE.search(out.decode())


def check_commands(raw: bytes) -> None:
    out = github.render(told(raw)).encode("utf-8", "replace")
    found = commands(out)
    assert [command.name for command in found] == ["error", "notice"]
    assert out.count(b"\n") == 2
    assert not INVISIBLE.search(out.decode())
    for command in found:
        assert set(command.properties) <= {"file", "line", "col", "title"}
        assert command.properties["title"].startswith("TP-")
    name = named(raw)
    if escape.plain(name) == name and "##[" not in name and name.strip() == name:
        assert found[0].properties["file"] == name


def check_markdown(raw: bytes) -> None:
    out = markdown.render(told(raw))
    cells = [line for line in out.split("\n") if "sentence about" in line]
    assert len(cells) == 1
    assert cells[0].count("|") == 5
    left = re.sub(r"&#\d+;", "", out)
    assert not re.search(r"[`@\[\]$*~\\]|https?:|javascript:|!\[|\b(?:GH-|#)\d", left), left
    assert set(re.findall(r"<[^>]*>", left)) <= {
        "<code>",
        "</code>",
        "<br>",
        "<details>",
        "</details>",
        "<summary>",
        "</summary>",
    }
    assert not INVISIBLE.search(out)
    assert commands(out.encode()) == []


def check_sarif(raw: bytes) -> None:
    out = sarif.render(told(raw))
    assert out.isascii()
    run = json.loads(out)["runs"][0]
    uri = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == raw + b".jsonl"
    assert not urlsplit(uri).scheme
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri)
    message = run["results"][0]["message"]["text"]
    assert not re.search(r"(?<!\\)[\[\]]", message)
    assert not INVISIBLE.search(message)


def check_json(raw: bytes) -> None:
    out = json_report.render(told(raw))
    assert out.isascii()
    assert out.count("\n") == 1
    assert (
        json.loads(out)["targets"][0]["path"]
        == named(raw).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        or b"\xed" in raw
    )
    assert commands(out.encode()) == []


def check_output_file(raw: bytes) -> None:
    entry = escape.output_value("verdict", named(raw), "trainproof-0123456789abcdef")
    first, value, last, empty = entry.split("\n")
    assert (first, last, empty) == ("verdict<<trainproof-0123456789abcdef", "trainproof-0123456789abcdef", "")
    assert not INVISIBLE.search(value)
    assert "\r" not in value


def check_html(raw: bytes) -> None:
    out = escape.html(named(raw))
    assert not re.search(r"[<>\"']", out)
    assert not INVISIBLE.search(out)
    if raw in BY_HAND:  # the whole page takes longer to make
        page = html.render(told(raw))
        assert commands(page.encode("utf-8", "replace")) == []
        assert not INVISIBLE.search(page)


def check_check_run(raw: bytes) -> None:
    for annotation in annotations(told(raw)):
        json.dumps(annotation).encode("ascii")
        annotation["path"].encode()
        assert not INVISIBLE.search(annotation["message"])
        assert "\n" not in annotation["message"]


@pytest.mark.parametrize(
    "check",
    [
        check_terminal,
        check_commands,
        check_markdown,
        check_sarif,
        check_json,
        check_output_file,
        check_html,
        check_check_run,
    ],
    ids=lambda check: check.__name__[6:],
)
def test_no_name_escapes(check: Callable[[bytes], None]) -> None:
    assert len(BY_HAND) == 62
    escaped = []
    for raw in NAMES:
        try:
            check(raw)
        except (AssertionError, ValueError) as error:
            escaped.append((raw, str(error)[:200]))
    assert escaped == [], f"{len(escaped)} of {len(NAMES)}: {escaped[:3]}"
