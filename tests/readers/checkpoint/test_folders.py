"""Folders are judged as a whole, and a broken one names the checkpoint to resume from."""

from pathlib import Path

import pytest
from checkpoint_files import checkpoint, safetensors
from conftest import Command

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity

OPTIMIZER = {"state": {0: {"step": 1}}, "param_groups": []}


def lay_out(folder: Path, **without: bool) -> None:
    """A `checkpoint-N` of a Trainer, whole but for what is left out."""
    folder.mkdir(parents=True)
    files = {
        "model.safetensors": safetensors(), "optimizer.pt": checkpoint(plain=OPTIMIZER), "scheduler.pt": checkpoint({}),
        "rng_state.pth": checkpoint({}, imports="numpy.core.multiarray._reconstruct"),
        "training_args.bin": checkpoint({}, imports="transformers.training_args.TrainingArguments"), "trainer_state.json": b"{}",
    }  # fmt: skip
    for name, data in files.items():
        if name.split(".")[0] not in without:
            (folder / name).write_bytes(data)


def judged(path: str = ".") -> Report:
    report = check(find([path], Settings()), Settings())
    return report._replace(targets=tuple(target for target in report.targets if target.kind == "checkpoint"))


def test_a_whole_folder_is_one_target_that_passes(work: Path) -> None:
    lay_out(work / "out" / "checkpoint-400")
    report = judged()
    assert [(target.path, target.verdict) for target in report.targets] == [("out/checkpoint-400", Severity.PASS)]
    assert report.targets[0].facts["files"] == 5


def test_a_broken_folder_names_the_newest_complete_one(work: Path) -> None:
    lay_out(work / "out" / "checkpoint-300")
    lay_out(work / "out" / "checkpoint-400")
    lay_out(work / "out" / "checkpoint-450", optimizer=True)
    lay_out(work / "out" / "checkpoint-500", trainer_state=True)
    (work / "out" / "checkpoint-500" / "optimizer.pt").write_bytes(checkpoint(keep=0.5))
    report = judged()
    broken = next(target for target in report.targets if target.path == "out/checkpoint-500")
    assert broken.verdict is Severity.FAIL
    assert broken.facts["resume_from"] == "checkpoint-400"
    assert any("resume from checkpoint-400" in finding.message for finding in broken.findings)
    assert broken.findings[0].location.path == "out/checkpoint-500/optimizer.pt"


def test_a_file_named_alone_is_judged_with_its_folder(work: Path, command: Command) -> None:
    lay_out(work / "checkpoint-5", optimizer=True)
    answer = command("check", "checkpoint-5/model.safetensors", "--format", "json")
    assert [target["path"] for target in answer.report["targets"]] == ["checkpoint-5"]
    assert answer.rules == {"TP-CKPT-NO-OPTIMIZER"}


def test_a_lone_shard_without_an_index_is_a_file(work: Path) -> None:
    (work / "model-1.safetensors").write_bytes(safetensors())
    assert [(target.path, target.verdict) for target in judged().targets] == [("model-1.safetensors", Severity.PASS)]


def test_ranks_of_a_world(work: Path) -> None:
    folder = work / "run" / "global_step5"
    folder.mkdir(parents=True)
    (folder / "mp_rank_00_model_states.pt").write_bytes(checkpoint(plain={"dp_world_size": 2}))
    for rank in range(2):
        (folder / f"bf16_zero_pp_rank_{rank}_mp_rank_00_optim_states.pt").write_bytes(checkpoint(plain=OPTIMIZER))
    assert judged().verdict is Severity.PASS
    (folder / "bf16_zero_pp_rank_1_mp_rank_00_optim_states.pt").unlink()
    assert {finding.rule for _, finding in judged().findings} == {"TP-CKPT-SHARD"}


@pytest.mark.parametrize("lost", ["mp_rank_01_model", "zero_pp_rank_1_mp_rank_01_optim", "mp_rank_01"])
def test_ranks_of_a_model_in_parts(work: Path, lost: str) -> None:
    folder = work / "run" / "global_step5"
    folder.mkdir(parents=True)
    for model in range(2):
        states = checkpoint(plain={"dp_world_size": 2, "mp_world_size": 2})
        (folder / f"mp_rank_0{model}_model_states.pt").write_bytes(states)
        for rank in range(2):
            path = folder / f"zero_pp_rank_{rank}_mp_rank_0{model}_optim_states.pt"
            path.write_bytes(checkpoint(plain=OPTIMIZER))
    assert judged().verdict is Severity.PASS
    for path in folder.glob(f"*{lost}*"):
        path.unlink()
    assert {finding.rule for _, finding in judged().findings} == {"TP-CKPT-SHARD"}


@pytest.mark.parametrize("text", ['{"weight_map": {"a": 5}}', '{"metadata": {"tot', "[]", ""])
def test_an_index_that_cannot_be_read(work: Path, text: str) -> None:
    (work / "model").mkdir()
    (work / "model" / "model-1.safetensors").write_bytes(safetensors())
    (work / "model" / "model.safetensors.index.json").write_text(text)
    assert {finding.rule for _, finding in judged().findings} == {"TP-CKPT-SHARD"}


INDEX = '{"weight_map": {"layer.weight": "model-1.safetensors"}}'


def test_the_working_directory_can_be_the_checkpoint(work: Path) -> None:
    (work / "model-1.safetensors").write_bytes(safetensors())
    (work / "model.safetensors.index.json").write_text(INDEX)
    for path in (".", "model.safetensors.index.json"):
        assert [(target.path, target.verdict) for target in judged(path).targets] == [(".", Severity.PASS)]
    (work / "model-1.safetensors").unlink()
    lost = judged().targets[0].findings[0]
    assert (lost.rule, lost.location.path) == ("TP-CKPT-SHARD", "model.safetensors.index.json")


def test_a_model_that_was_published_has_no_state_to_miss(work: Path) -> None:
    (work / "model-1.safetensors").write_bytes(safetensors())
    (work / "model.safetensors.index.json").write_text(INDEX)
    (work / "trainer_state.json").write_text("{}")
    (work / "search.index.json").write_text("{}")
    assert judged().verdict is Severity.PASS


def test_a_step_under_another_name_is_told_by_what_it_holds(work: Path) -> None:
    lay_out(work / "best", optimizer=True)
    assert "TP-CKPT-NO-OPTIMIZER" in {finding.rule for _, finding in judged().findings}
