"""The limits of the platform, at 100,000 findings and at the edges: never over, and always said."""

import gzip
import json
from pathlib import Path

import outside
import pytest
import sarif_tools
from made_reports import finding, huge, many, report, target
from runner_commands import commands

from trainproof_ci.adapters.placement import on_github
from trainproof_ci.git import repository_prefix
from trainproof_ci.model import Finding, Report, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.reports import github, markdown, sarif


@pytest.fixture(scope="module", name="huge")
def hundred_thousand() -> Report:
    """100,000 findings over 1,000 files, a third of each severity."""
    return huge()


def test_annotations(huge: Report) -> None:
    found = commands(github.render(huge).encode())
    for name in ("error", "warning", "notice"):
        of_level = [command for command in found if command.name == name]
        assert len(of_level) == github.BUDGET + 1 <= 9  # one is left for the Action, or for the upload
        assert "showing 8 of 3333" in of_level[-1].message
    assert [command.name for command in found] == ["error"] * 9 + ["warning"] * 9 + ["notice"] * 9


def test_a_long_message_is_cut(tmp_path: Path) -> None:
    del tmp_path
    (command,) = commands(github.render(report(target("a", finding("a", text="\x07%" * 9000)))).encode())
    assert 3000 < len(command.message) <= 4096


def test_the_job_summary(huge: Report) -> None:
    text = markdown.render(huge)
    assert len(text.encode()) <= 1 << 20
    assert "FAIL" in text.split("\n", 1)[0]
    assert " of 100000 findings" in text
    assert text.count("<details>") == text.count("</details>")


def test_the_summary_of_a_check_run(huge: Report) -> None:
    text = markdown.render(huge, largest=65_000)
    assert len(text.encode()) <= 65_535
    assert " of 100000 findings" in text


def test_sarif(huge: Report) -> None:
    text = sarif.render(huge)
    assert len(gzip.compress(text.encode())) <= 10_000_000
    run = json.loads(text)["runs"][0]
    assert len(run["results"]) == sarif.MOST_RESULTS
    assert {result["level"] for result in run["results"]} == {"error"}
    said = [n["message"]["text"] for n in run["invocations"][0]["toolExecutionNotifications"]]
    assert "showing 5000 of 66667 results, the most severe first" in said
    assert any("of 33333 files that were not checked" in sentence for sentence in said)


def test_sarif_that_does_not_compress_is_cut_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "LARGEST_COMPRESSED", 20_000)
    text = sarif.render(many(4000))
    assert len(gzip.compress(text.encode(), 6)) <= 20_100
    assert "of 4000 results" in text


def test_sarif_of_every_kind_of_finding(tmp_path: Path) -> None:
    noted = Location("data/train.jsonl", 1, note="first copy [of] {two}")
    places = Places(Location("data/train.jsonl", 7, 12), Location("data/train.jsonl", 9))
    every = report(
        target(
            "data/train.jsonl", Finding("TP-NAN", Severity.FAIL, "a [link](x) {0} sentence", "3", "0", places, (noted,))
        ),
        target("naïve dir/%[1] #a:b.jsonl", finding("naïve dir/%[1] #a:b.jsonl", Severity.WARN)),
        target(
            "model.pt",
            Finding("TP-NAN", Severity.FAIL, "binary", "1", "0", Places(Location("model.pt", byte_offset=77))),
        ),
        target("pointer.jsonl", finding("pointer.jsonl", Severity.NOT_CHECKED)),
        target("good.jsonl"),
    )
    path = tmp_path / "every.sarif"
    path.write_text(sarif.render(every))
    assert sarif_tools.faults(path, tmp_path) == []
    run = json.loads(path.read_text())["runs"][0]
    assert [result["level"] for result in run["results"]] == ["error", "error", "warning"]
    assert len(run["invocations"][0]["toolExecutionNotifications"]) == 1
    assert all(rule["help"]["markdown"] for rule in run["tool"]["driver"]["rules"])


def test_files_too_large_for_the_upload_are_left_out_and_said() -> None:
    text = sarif.render(many(30, files=3), left_out=frozenset({"data/00001.jsonl"}))
    run = json.loads(text)["runs"][0]
    assert len(run["results"]) == 20
    assert "10 results in files over 32 MiB are left out" in text


def test_fingerprints_stay_when_lines_move() -> None:
    def print_at(line: int) -> str:
        places = Places()
        places.add(Location("a.jsonl", line), b"the record")
        found = Finding("TP-NAN", Severity.FAIL, "m", "1", "0", places)
        return str(
            json.loads(sarif.render(report(target("a.jsonl", found))))["runs"][0]["results"][0]["partialFingerprints"]
        )

    assert print_at(3) == print_at(300)


@pytest.mark.parametrize(
    ("line", "column", "utf16"),
    [("plain text", 7, 7), ("\U0001f600\U0001f600x", 3, 5), ("e\u0301\U00010000 \u00e9", 4, 5), ("\ufeff", 1, 1)],
)
def test_columns_are_utf16_units(work: Path, line: str, column: int, utf16: int) -> None:
    before = "first \U0001f600 line\n"
    (work / "a.jsonl").write_text(before + line + "\n", "utf-8")
    offset = len(before.encode()) + len(line[: column - 1].encode())
    place = Location("a.jsonl", 2, column, offset)
    placed = on_github(
        report(target("a.jsonl", Finding("TP-NAN", Severity.FAIL, "m", "1", "0", Places(place)))), "sub/"
    )
    ((_, found),) = placed.findings
    assert (found.location.path, found.location.column) == ("sub/a.jsonl", utf16)


@pytest.mark.parametrize(
    "place", [Location("a.jsonl", 1, 3), Location("a.jsonl", 1, 3, 7), Location("gone.jsonl", 1, 3, 2)]
)
def test_a_column_that_the_bytes_do_not_confirm_is_left_out(work: Path, place: Location) -> None:
    (work / "a.jsonl").write_text("0123456789\n")
    placed = on_github(report(target("a.jsonl", Finding("TP-NAN", Severity.FAIL, "m", "1", "0", Places(place)))), "")
    ((_, found),) = placed.findings
    assert found.location.column is None
    assert found.location.line == 1


def test_the_prefix_of_a_folder(work: Path) -> None:
    (work / "a/b").mkdir(parents=True)
    assert repository_prefix("a/b") == "" or repository_prefix(str(work)) != ""
    (work / ".git").mkdir()
    assert repository_prefix("a/b") == "a/b/"
    assert repository_prefix(".") == ""


def test_the_multitool_is_not_fooled_by_what_it_cannot_read(tmp_path: Path) -> None:
    path = tmp_path / "bad.sarif"
    document = json.loads(sarif.render(many(1)))
    document["runs"][0]["results"][0]["level"] = "fatal"
    path.write_text(json.dumps(document))
    assert sarif_tools.faults(path, tmp_path) != []
    assert outside.ROOT.exists()
