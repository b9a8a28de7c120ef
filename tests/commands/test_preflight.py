"""`preflight`: one verdict over what a run will use, the checks across it, and the line that says what was not checked."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

CHAT = '{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello %d"}]}\n'


def tokenizer(folder: Path, ids: int, template: str | None = None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "eos_token": "<e>",
        "pad_token": "<p>",
        "model_max_length": 512,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    config |= {"chat_template": template} if template else {}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    vocabulary = {"<e>": 0, "<p>": 1, **{f"t{i}": i for i in range(2, ids)}}
    added = [{"id": 0, "content": "<e>", "special": True}, {"id": 1, "content": "<p>", "special": True}]
    whole = {"version": "1.0", "added_tokens": added, "model": {"type": "BPE", "vocab": vocabulary, "merges": []}}
    (folder / "tokenizer.json").write_text(json.dumps(whole))


def checkpoint(path: Path, rows: int, **others: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    tensors, end = {}, 0
    for name, size in {"transformer.wte": rows, **others}.items():
        place = [end, end + size * 2 * 4]
        tensors[f"{name}.weight"] = {"dtype": "F32", "shape": [size, 2], "data_offsets": place}
        end = place[1]
    header = json.dumps(tensors).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + struct.pack("<f", 0.5) * (end // 4))


def datasets(work: Path) -> None:
    (work / "train.jsonl").write_text("".join(CHAT % i for i in range(5)))


def rules(report: dict[str, Any]) -> dict[str, str]:
    return {f["rule"]: f["severity"] for target in report["targets"] for f in target["findings"]}


def test_a_fitting_set_passes_and_says_what_was_not_checked(work: Path, command: Command) -> None:
    datasets(work)
    tokenizer(work / "tok", 10, "{{ messages }}")
    checkpoint(work / "base" / "model.safetensors", 12)
    answer = command("preflight", "--format", "json")
    assert not {rule for rule in rules(answer.report) if rule.startswith("TP-PRE")}
    assert answer.report["verdict"] in {"PASS", "WARN"}
    assert any("manifest" in note for note in answer.report["notes"])
    assert any("environment" in note for note in answer.report["notes"])


@pytest.mark.parametrize(("rows", "fires"), [(9, True), (10, False), (64, False)])
def test_a_token_without_a_row_is_a_fail(work: Path, command: Command, rows: int, fires: bool) -> None:
    tokenizer(work / "tok", 10, "{{ messages }}")
    checkpoint(work / "base" / "model.safetensors", rows)
    report = command("preflight", "--format", "json").report
    assert ("TP-PRE-VOCAB" in rules(report)) is fires


def test_the_embedding_of_a_part_is_not_that_of_the_text(work: Path, command: Command) -> None:
    tokenizer(work / "tok", 10, "{{ messages }}")
    checkpoint(work / "base" / "model.safetensors", 4, embed_text_tokens=12)
    assert "TP-PRE-VOCAB" not in rules(command("preflight", "--format", "json").report)


def test_two_tokenizers_stand_the_vocabulary_down(work: Path, command: Command) -> None:
    tokenizer(work / "one", 10)
    tokenizer(work / "two", 20)
    checkpoint(work / "base" / "model.safetensors", 9)
    report = command("preflight", "--format", "json").report
    assert "TP-PRE-VOCAB" not in rules(report)
    assert any("TP-PRE-VOCAB" in target["checks"]["skipped"] for target in report["targets"])


@pytest.mark.parametrize(("template", "fires"), [(None, True), ("{{ messages }}", False)])
def test_chats_need_a_template(work: Path, command: Command, template: str | None, fires: bool) -> None:
    datasets(work)
    tokenizer(work / "tok", 10, template)
    report = command("preflight", "--format", "json").report
    assert ("TP-PRE-TEMPLATE" in rules(report)) is fires


@pytest.mark.parametrize(("listed", "fires"), [("train.jsonl", False), ("other.jsonl", True)])
def test_a_dataset_outside_the_manifest_is_a_warning(work: Path, command: Command, listed: str, fires: bool) -> None:
    datasets(work)
    (work / "other.jsonl").write_text(CHAT % 99)
    command("manifest", "write", listed)
    report = command("preflight", "train.jsonl", "manifest.json", "--format", "json").report
    assert ("TP-PRE-UNLISTED" in rules(report)) is fires


def test_a_broken_dataset_fails_and_a_training_log_is_left_alone(work: Path, command: Command) -> None:
    (work / "train.jsonl").write_text(CHAT % 1 + "{broken\n")
    (work / "trainer_state.json").write_text(json.dumps({"log_history": [{"loss": float("nan"), "step": 1}]}))
    answer = command("preflight", "--format", "json")
    assert answer.code == 1
    assert [target["path"] for target in answer.report["targets"]] == ["train.jsonl"]


def test_the_configuration_can_be_named(work: Path, command: Command) -> None:
    datasets(work)
    (work / "run.yml").write_text("version: 1\ndatasets:\n  - {files: train.jsonl, min-records: 50}\n")
    answer = command("preflight", "run.yml", "--format", "json")
    assert answer.code == 1
    assert "TP-FILE-FEW" in rules(answer.report)
    assert command("preflight", "run.yml", "--config", "run.yml").code == 64


def test_the_environment_is_measured_when_declared(work: Path, command: Command) -> None:
    datasets(work)
    report = command("preflight", "--memory", "1", "--format", "json").report
    assert "environment" in [target["kind"] for target in report["targets"]]
    assert not any("environment" in note for note in report["notes"])


class TestResume:
    """`--resume`: the data as the manifest recorded it, and a checkpoint that is whole."""

    def prepared(self, work: Path, command: Command) -> Path:
        """A dataset with its manifest, and a whole checkpoint."""
        datasets(work)
        checkpoint(work / "out" / "checkpoint-10" / "model.safetensors", 12)
        assert command("manifest", "write", "train.jsonl").code == 0
        return work / "out" / "checkpoint-10" / "model.safetensors"

    def asked(self, command: Command, *more: str, resume: str = "out/checkpoint-10") -> tuple[int, dict[str, Any]]:
        answer = command("preflight", "train.jsonl", "manifest.json", "--resume", resume, *more, "--format", "json")
        return answer.code, answer.report

    def test_unchanged_and_whole(self, work: Path, command: Command) -> None:
        self.prepared(work, command)
        code, report = self.asked(command)
        assert code == 0
        assert not {rule for rule in rules(report) if rule.startswith("TP-RESUME")}
        ran = {rule for target in report["targets"] for rule in target["checks"]["ran"]}
        assert {"TP-RESUME-DIGEST", "TP-RESUME-CHECKPOINT"} <= ran
        assert "checkpoint" in {target["kind"] for target in report["targets"]}, "and it is judged itself"

    def test_changed_data_is_named(self, work: Path, command: Command) -> None:
        self.prepared(work, command)
        with (work / "train.jsonl").open("a") as file:
            file.write(CHAT % 9)
        code, report = self.asked(command)
        assert code == 1
        assert rules(report)["TP-RESUME-DIGEST"] == "FAIL"
        assert "TP-RESUME-CHECKPOINT" not in rules(report)

    def test_a_cut_checkpoint_is_named(self, work: Path, command: Command) -> None:
        weights = self.prepared(work, command)
        weights.write_bytes(weights.read_bytes()[:-20])
        code, report = self.asked(command)
        assert code == 1
        assert rules(report)["TP-RESUME-CHECKPOINT"] == "FAIL"
        assert "TP-RESUME-DIGEST" not in rules(report)

    def test_a_checkpoint_that_is_not_there(self, work: Path, command: Command) -> None:
        self.prepared(work, command)
        code, report = self.asked(command, resume="out/checkpoint-20")
        assert code == 1
        assert rules(report)["TP-RESUME-CHECKPOINT"] == "FAIL"

    def test_without_a_manifest_nothing_is_known(self, work: Path, command: Command) -> None:
        self.prepared(work, command)
        (work / "manifest.json").unlink()
        answer = command("preflight", "train.jsonl", "--resume", "out/checkpoint-10", "--format", "json")
        assert answer.code == 2
        assert rules(answer.report)["TP-FILE-NOT-FOUND"] == "NOT-CHECKED"

    def test_another_configuration_is_named(self, work: Path, command: Command) -> None:
        self.prepared(work, command)
        (work / "run.cfg").write_text("seed: 1\n")
        assert command("manifest", "write", "train.jsonl", "--run-config", "run.cfg").code == 0
        assert self.asked(command, "--run-config", "run.cfg")[0] == 0
        (work / "run.cfg").write_text("seed: 2\n")
        code, report = self.asked(command, "--run-config", "run.cfg")
        assert code == 1
        assert rules(report)["TP-RESUME-CONFIG"] == "FAIL"
        assert self.asked(command, "--run-config", "gone.cfg")[0] == 2
        assert command("preflight", "train.jsonl", "--run-config", "run.cfg").code == 64

    def test_other_checkpoints_that_lie_around_do_not_decide_the_resume(self, work: Path, command: Command) -> None:
        weights = self.prepared(work, command)
        older = work / "out" / "checkpoint-5" / "model.safetensors"
        older.parent.mkdir()
        older.write_bytes(weights.read_bytes()[:-20])
        report = command("preflight", "--resume", "out/checkpoint-10", "--format", "json").report
        assert "TP-RESUME-CHECKPOINT" not in rules(report)
