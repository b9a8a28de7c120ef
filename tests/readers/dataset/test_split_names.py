"""Evaluation splits and the training files that go with them, by what their names say."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import DatasetOptions, Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.readers.dataset import partners, splits
from trainproof_ci.together import groups

Rows = list[dict[str, Any]]


def rows(begin: int, end: int, keys: tuple[str, str] = ("prompt", "completion")) -> Rows:
    return [{keys[0]: f"Where does river {i} rise?", keys[1]: f"It rises on hill {i}."} for i in range(begin, end)]


def written(name: str, values: Rows) -> None:
    array = name.endswith(".json")
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(json.dumps(values) if array else "".join(json.dumps(value) + "\n" for value in values))


def judged(settings: Settings | None = None) -> set[str]:
    settings = settings or Settings()
    return {finding.rule for _, finding in check(find(["."], settings), settings).findings}


GO_TOGETHER = [
    ("train", "test_set"), ("train", "eval_data"), ("train", "validation_examples"), ("train", "test_public"),
    ("train", "heldout"), ("train", "held_out"), ("train", "holdout"), ("train_data", "test"), ("first_train", "val"),
    ("trainset", "testset"), ("x.train", "x.dev"), ("训练集", "验证集"), ("train/a", "valid/b"), ("train/train", "val/val"),
    ("train-00000-of-00001", "validation-00000-of-00002"), ("train-00000-of-00001-0123456789abcdef", "test-00000-of-00001-fedcba9876543210"),
    ("data/train/part", "data/test/rows"), ("train_all", "val_all_data"),
]  # fmt: skip


@pytest.mark.parametrize(("train", "held"), GO_TOGETHER)
def test_a_split_is_held_against_the_training_file_that_goes_with_it(work: Path, train: str, held: str) -> None:
    written(f"{train}.jsonl", rows(0, 10))
    written(f"{held}.jsonl", rows(8, 12))
    assert judged() == {"TP-DUP-LEAK"}
    assert len(groups(find(["."], Settings()), Settings())) == 1


APART = [
    ("fold1_train", "fold2_test"), ("train_fold1", "test_fold2"), ("train/fold1", "test/fold2"), ("fold1_train/x", "fold2_test/y"),
    ("first_train", "second_test"), ("train_1", "val_2"), ("train", "train_val"), ("train_val", "val"), ("trainval", "val"),
    ("train_all", "val"), ("train", "test_sample"), ("data", "test"), ("pretraining_data", "test"), ("train/a/x", "test/b/y"),
]  # fmt: skip


@pytest.mark.parametrize(("train", "held"), APART)
def test_names_that_do_not_go_together_say_nothing(work: Path, train: str, held: str) -> None:
    written(f"{train}.jsonl", rows(0, 10))
    written(f"{held}.jsonl", rows(8, 12))
    assert judged() == set()


@pytest.mark.parametrize("others", [("first_train", "second_train"), ("train_v1", "train_v2"), ("train_0", "train_1")])
def test_of_several_training_files_none_is_chosen(work: Path, others: tuple[str, str]) -> None:
    for name in others:
        written(f"{name}.jsonl", rows(0, 10) if name == others[0] else rows(20, 30))
    written("test.jsonl", rows(8, 12))
    assert judged() == set()


def test_all_parts_of_a_training_set_are_compared(work: Path) -> None:
    for part in range(3):
        written(f"train-0000{part}-of-00003.jsonl", rows(part * 10, part * 10 + 10))
    written("test-00000-of-00003.jsonl", rows(18, 22))
    found = check(find(["."], Settings()), Settings()).findings
    assert [(finding.rule, finding.measured) for _, finding in found] == [("TP-DUP-LEAK", "4 of 4 records (100.0 %)")]


@pytest.mark.parametrize("train", ["train.json", "train.ndjson"])
def test_the_ending_may_be_another_of_json(work: Path, train: str) -> None:
    written(train, rows(0, 10))
    written("val.jsonl", rows(8, 12))
    assert judged() == {"TP-DUP-LEAK"}


def test_a_namesake_goes_before_all_others(work: Path) -> None:
    written("train.jsonl", rows(0, 8))
    written("first_train.jsonl", rows(8, 10))
    written("val.jsonl", rows(8, 12))
    assert judged() == set()


def test_records_of_another_shape_are_not_compared(work: Path) -> None:
    colours = [{"text": f"Stone {i} lies in the sun.", "label": ("red", "blue")[i % 2]} for i in range(12)]
    written(
        "first_train.jsonl",
        [{"premise": row["text"], "hypothesis": "It is dry.", "label": row["label"]} for row in colours],
    )
    written("test.jsonl", [{**row, "label": "green" if at else "white"} for at, row in enumerate(colours)])
    assert "TP-LABEL-UNSEEN" not in judged()
    written("first_train.jsonl", [{**row, "text": f"{row['text']} Or not."} for row in colours])
    assert "TP-LABEL-UNSEEN" in judged()


def test_a_file_may_be_called_by_its_class(work: Path) -> None:
    usual = [{"text": f"Machine {i} runs as it should.", "label": 0} for i in range(12)]
    written("train/usual.jsonl", usual)
    written("test/mixed.jsonl", [{"text": f"Machine {i} hums.", "label": i % 2} for i in range(12)])
    assert "TP-LABEL-UNSEEN" not in judged()


def test_the_configuration_says_what_is_no_training_file(work: Path) -> None:
    written("first_train.jsonl", rows(0, 10))
    written("val.jsonl", rows(8, 12))
    assert judged(Settings(datasets=(DatasetOptions("first_train.jsonl", split="test"),))) == set()


def test_a_folder_is_listed_once_for_many_splits(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        written(f"train/{number}.jsonl", rows(number, number + 1))
        written(f"test/{number + 100}.jsonl", rows(number + 100, number + 101))
    listed: list[str] = []
    original = partners.os.listdir

    def counted(folder: str) -> list[str]:
        listed.append(folder)
        return original(folder)

    monkeypatch.setattr(partners.os, "listdir", counted)
    found = [splits.training_files(f"test/{number + 100}.jsonl", Settings()) for number in range(40)]
    assert found == [[]] * 40
    assert len(listed) <= 3


KEYS = [("question", "answer"), ("source", "target"), ("instruction", "response"), ("text", "entities")]


@pytest.mark.parametrize("keys", KEYS)
@pytest.mark.parametrize("name", ["val", "test", "dev", "eval_data", "test_set"])
def test_an_array_named_like_a_split_is_one_beside_its_training_file(
    work: Path, keys: tuple[str, str], name: str
) -> None:
    written("data/train.json", rows(0, 10, keys))
    written(f"data/{name}.json", rows(8, 12, keys))
    assert "TP-DUP-LEAK" in judged()


@pytest.mark.parametrize(
    ("train", "held"),
    [([], rows(0, 2, ("a", "b"))), (rows(0, 9, ("a", "b")), rows(0, 2, ("c", "d"))), (rows(0, 9, ("a", "b")), [1, 2])],
)
def test_an_array_of_something_else_is_none(work: Path, train: Rows, held: Rows) -> None:
    if train:
        written("train.json", train)
    written("test.json", held)
    assert "test.json" not in {target.path for target in find(["."], Settings())}


@pytest.mark.parametrize(
    ("held", "rule"), [("", "TP-FILE-EMPTY"), ("[]", "TP-FILE-EMPTY"), ("<html></html>", "TP-FILE-NOT-DATA")]
)
def test_a_split_without_data_is_found_beside_its_training_file(work: Path, held: str, rule: str) -> None:
    written("train.json", rows(0, 10))
    (work / "val.json").write_text(held)
    assert judged() == {rule}


def test_a_training_file_with_a_byte_that_is_no_text_breaks_no_check_of_its_split(work: Path) -> None:
    keys = ("instruction", "output")
    written("val.json", rows(0, 4, keys))
    (work / "train.json").write_bytes(json.dumps(rows(0, 9, keys)).encode().replace(b"hill 8", b"hill \xe9"))
    assert judged() == {"TP-ENC-UTF8"}


def test_a_pointer_in_place_of_a_split_is_not_passed_over(work: Path) -> None:
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4' * 64}\nsize 132735\n"
    for name in ("val.json", "report.json"):
        (work / name).write_text(pointer)
    assert [target.path for target in find(["."], Settings())] == ["val.json"]


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("a/x.dev.jsonl", "eval"), ("a/held-out.jsonl", "eval"), ("a/held_outer.jsonl", None), ("a/dataset.jsonl", None),
        ("a/latest.jsonl", None), ("v1.dev3/a.jsonl", None), ("测试集.csv", "eval"), ("a/train_val.jsonl", "train"),
    ],
)  # fmt: skip
def test_words_of_a_split(path: str, split: str | None) -> None:
    assert splits.split_of(path, Settings()) == split
