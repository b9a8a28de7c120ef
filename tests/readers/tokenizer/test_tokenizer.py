"""Tokenizer folders as models really come: what is right about them raises no alarm."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity

FOLDERS: dict[str, tuple[dict[str, Any], Severity, set[str]]] = {
    "gpt2 as it comes": ({"tokenizer_config.json": {"model_max_length": 1024}, "vocab.json": {"a": 0}, "config.json": {"model_type": "gpt2"}}, Severity.PASS, set()),
    "gpt2 saved again": (
        {"tokenizer_config.json": {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>", "unk_token": "<|endoftext|>", "model_max_length": 1024, "tokenizer_class": "GPT2Tokenizer"}},
        Severity.WARN, {"TP-TOK-NO-PAD"},
    ),
    "bert": (
        {"tokenizer_config.json": {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "mask_token": "[MASK]", "unk_token": "[UNK]", "model_max_length": 512, "tokenizer_class": "BertTokenizer"}},
        Severity.PASS, set(),
    ),
    "bert as it comes": ({"tokenizer_config.json": {"do_lower_case": True}, "vocab.txt": {}}, Severity.PASS, set()),
    "t5": ({"tokenizer_config.json": {"eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>", "extra_ids": 100, "model_max_length": 512}}, Severity.PASS, set()),
    "llama": (
        {
            "tokenizer_config.json": {"add_bos_token": True, "add_eos_token": False, "bos_token": {"content": "<s>"}, "eos_token": {"content": "</s>"}, "pad_token": None, "model_max_length": 10**30, "added_tokens_decoder": {"2": {"content": "</s>"}}},
            "tokenizer.json": {"model": {"vocab": {"<unk>": 0, "<s>": 1, "</s>": 2}}, "added_tokens": [{"id": 2, "content": "</s>"}]},
            "config.json": {"vocab_size": 32000},
        },
        Severity.WARN, {"TP-TOK-NO-PAD", "TP-TOK-MAX-LENGTH"},
    ),
    "eos in the map only": ({"tokenizer_config.json": {"pad_token": "<pad>"}, "special_tokens_map.json": {"eos_token": "</s>"}}, Severity.PASS, set()),
    "whole file alone": ({"tokenizer.json": {"model": {"vocab": {"a": 0}}}}, Severity.PASS, set()),
    "spaces written as bytes": (
        {"tokenizer_config.json": {"eos_token": "</s>", "pad_token": "<pad>"}, "tokenizer.json": {"model": {"vocab": {"\u0120\u0120": 5}}, "added_tokens": [{"id": 5, "content": "  "}]}},
        Severity.PASS, set(),
    ),
    "generation beyond": (
        {"tokenizer_config.json": {"eos_token": "</s>", "pad_token": "<pad>"}, "generation_config.json": {"eos_token_id": [2, 10]}, "config.json": {"vocab_size": 10}},
        Severity.WARN, {"TP-TOK-ID-CLASH"},
    ),
}  # fmt: skip


def judged(work: Path, files: dict[str, Any]) -> Report:
    for name, value in files.items():
        (work / name).write_text(json.dumps(value))
    report = check(find(["."], Settings()), Settings())
    return report._replace(targets=tuple(target for target in report.targets if target.kind == "tokenizer"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_folders_as_models_come(work: Path, folder: str) -> None:
    files, verdict, rules = FOLDERS[folder]
    report = judged(work, files)
    assert len(report.targets) == 1
    assert {finding.rule for _, finding in report.findings} == rules
    assert report.verdict is verdict


def test_a_folder_is_one_target_named_after_its_first_file(work: Path) -> None:
    report = judged(
        work,
        {name: {"eos_token": "a", "pad_token": "b"} for name in ("special_tokens_map.json", "tokenizer_config.json")},
    )
    assert [target.path for target in report.targets] == ["tokenizer_config.json"]
    assert report.targets[0].facts["files"] == ["special_tokens_map.json", "tokenizer_config.json"]


def test_a_generation_config_alone_is_no_tokenizer(work: Path) -> None:
    assert not judged(
        work, {"generation_config.json": {"eos_token_id": 50256}, "config.json": {"vocab_size": 64}}
    ).targets


def test_no_token_is_printed(work: Path) -> None:
    report = judged(
        work, {"tokenizer_config.json": {"eos_token": "sekret", "pad_token": "sekret", "bos_token": "sekret"}}
    )
    assert "sekret" not in repr(report.targets)


@pytest.mark.parametrize(("beside", "told"), [(3, None), (70, "64 of 70 looked into")])
def test_datasets_beside_that_are_not_looked_into_are_said(work: Path, beside: int, told: str | None) -> None:
    (work / "tokenizer_config.json").write_text('{"eos_token": "</s>", "pad_token": "<pad>"}')
    for number in range(beside):
        (work / f"{number:02}.jsonl").write_text(f'{{"text": "words {number}</s>"}}\n')
    report = check(find(["."], Settings(), "tokenizer"), Settings())
    facts = next(target.facts for target in report.targets if target.path == "tokenizer_config.json")
    assert facts.get("datasets_beside") == told
