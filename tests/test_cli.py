import subprocess
from pathlib import Path

import pytest
from conftest import Command

from trainproof_ci import __version__, cli
from trainproof_ci.registry import catalogue


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["check", "--nonsense"],
        ["check", "--format", "nonsense"],
        ["explain"],
        ["explain", "TP-NOPE"],
        ["check", "--config", "missing.yml"],
    ],
)
def test_a_usage_error_exits_64_and_says_why(arguments: list[str], command: Command) -> None:
    answer = command(*arguments)
    assert answer.code == 64
    assert answer.err.startswith("trainproof-ci: ")
    assert answer.out == ""


def test_the_usage_of_several_lines_keeps_its_columns(command: Command) -> None:
    first, *usage = command("check", "--format", "nonsense").err.splitlines()
    assert first.startswith("trainproof-ci: argument --format")
    assert usage[0].startswith("usage: trainproof-ci check ")
    assert len(usage) > 1
    assert all(line.startswith("     ") for line in usage[1:])


def test_a_path_after_changed_is_told_from_a_reference(work: Path, command: Command) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    (work / "data").mkdir()
    assert command("check", "--changed", "data").err.endswith("; for a path write: --changed -- data\n")


def test_the_baseline_is_named_as_it_was_written(work: Path, command: Command) -> None:
    (work / "a.jsonl").write_text('{"prompt": "a", "completion": "b"}\n')
    assert "known-findings: old.json" in command("check", "--write-known", "old.json").out


def test_a_crash_exits_70_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from trainproof_ci.commands import rules

    def crash(arguments: object) -> int:
        raise RuntimeError("secret")

    monkeypatch.setattr(rules, "run", crash)
    assert cli.main(["rules"]) == 70
    assert capsys.readouterr().err == "trainproof-ci: internal error: RuntimeError; please report it\n"


def test_an_interrupt_leaves_no_half_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from trainproof_ci.commands import check

    def interrupted(arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "run", interrupted)
    assert cli.main(["check"]) == 130
    assert capsys.readouterr().out == ""


def test_version(command: Command) -> None:
    assert command("--version").out == f"trainproof-ci {__version__}\n"


def test_every_rule_is_listed_and_explained(command: Command) -> None:
    listed = command("rules").out
    for rule in catalogue():
        assert rule in listed
    answer = command("explain", "tp-nan")
    assert answer.code == 0
    assert "TP-NAN" in answer.out


def test_every_command_has_help() -> None:
    for name in cli.COMMANDS:
        with pytest.raises(SystemExit) as stopped:
            cli.main([name, "--help"])
        assert stopped.value.code == 0


def test_a_file_of_the_checkout_is_never_imported(work: Path, command: Command) -> None:
    for name in ("json.py", "yaml.py", "re.py", "trainproof_ci.py"):
        (work / name).write_text("open('canary', 'w').close()\n", encoding="utf-8")
    (work / ".trainproof.yml").write_text("version: 1\n", encoding="utf-8")
    command("check", ".")
    assert not (work / "canary").exists()
