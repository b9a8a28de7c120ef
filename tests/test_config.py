import json
import os
from pathlib import Path

import pytest
import yaml

from trainproof_ci.config import DatasetOptions, Settings, load_settings, schema
from trainproof_ci.errors import UsageError
from trainproof_ci.model import Severity

EXAMPLE = """
version: 1
exclude: ["third_party/**"]
datasets:
  - files: "data/*.jsonl"
    target: openai
    fields: {prompt: question, completion: answer}
    columns: [text, label]
    max-audio-seconds: 30
    strict-keys: true
splits:
  - {train: data/train.jsonl, eval: data/eval.jsonl}
rules:
  TP-NAN: {severity: warn}
ignore:
  - {rule: TP-NAN, files: "runs/old/**", reason: "kept as an example of a failure"}
"""


def loaded(work: Path, text: str) -> Settings:
    (work / ".trainproof.yml").write_text(text, encoding="utf-8")
    return load_settings(None)


def test_without_a_file_the_defaults_hold(work: Path) -> None:
    assert load_settings(None) == Settings()


def test_the_example(work: Path) -> None:
    settings = loaded(work, EXAMPLE)
    options = settings.dataset("data/train.jsonl")
    assert options.target == "openai"
    assert options.fields == {"prompt": "question", "completion": "answer"}
    assert options.columns == ("text", "label")
    assert options.strict_keys
    assert settings.dataset("other.jsonl") == DatasetOptions()
    assert settings.rules["TP-NAN"].severity is Severity.WARN
    assert settings.ignore[0].reason == "kept as an example of a failure"


@pytest.mark.parametrize("word", ["off", "false", "'off'"])
def test_off_may_be_written_in_any_way(work: Path, word: str) -> None:
    assert loaded(work, f"rules: {{TP-NAN: {{severity: {word}}}}}").rules["TP-NAN"].off


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("datasetz: []", r'\.trainproof\.yml:1: unknown key datasetz in the configuration; did you mean "datasets"'),
        ("version: 2", "must be one of 1"),
        ("version: true", "must be one of 1"),
        ("datasets: data/*.jsonl", "must be an array"),
        ("datasets: [{}]", 'needs "files"'),
        ("datasets: [{files: /etc/passwd}]", "relative path"),
        ("datasets: [{files: ../../etc/passwd}]", "relative path"),
        ("datasets: [{files: a, min-records: 1:30}]", "must be an integer"),
        ("datasets: [{files: a, min-records: 0}]", "at least 1"),
        ("splits: [{train: ../x, eval: y}]", "relative path"),
        ("rules: {TP-NOPE: {severity: warn}}", "unknown rule TP-NOPE"),
        ("rules: {'*': {severity: off}}", "unknown rule"),
        ("rules: {TP-NAN: {severity: loud}}", "must be one of"),
        ("rules: {TP-NAN: {nope: 2}}", "has no limit nope"),
        ("rules: {TP-NAN: {nope: .inf}}", "must be a number"),
        ("rules: {TP-NAN: {nope: -1}}", "must be more than 0"),
        ("rules: {TP-NAN: {nope: true}}", "must be a number"),
        ("ignore: [{rule: TP-NAN, files: a}]", 'needs "reason"'),
        ("ignore: [{rule: TP-NOPE, files: a, reason: b}]", "unknown rule"),
        ("- a", "must be an object"),
    ],
)
def test_what_is_refused(work: Path, text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        loaded(work, text)


def test_a_forged_command_in_a_key_is_not_printed(work: Path) -> None:
    with pytest.raises(UsageError) as refused:
        loaded(work, "'##[error]pwn': 1")
    assert "##[" not in str(refused.value)


def test_the_example_fits_the_published_schema() -> None:
    from conftest import needs_module

    jsonschema = needs_module("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(yaml.safe_load(EXAMPLE), schema())


def test_the_schema_describes_every_key() -> None:
    definitions = schema()["$defs"]
    for owner in (schema(), *(definitions[name] for name in ("dataset", "split", "run", "ignore"))):
        assert all(entry.get("description") for entry in owner["properties"].values()), json.dumps(owner)[:80]


def test_a_pipe_in_place_of_the_configuration_is_refused_and_not_waited_for(work: Path) -> None:
    os.mkfifo(work / ".trainproof.yml")
    with pytest.raises(UsageError, match="the configuration cannot be read: not a regular file"):
        load_settings(None)
