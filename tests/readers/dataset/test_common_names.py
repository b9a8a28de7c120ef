"""Datasets under the names that people give them: which are recognised, what is learned from them, what repeats."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import DatasetOptions, Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity

POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 23034003\n"
)


def judged(files: dict[str, str]) -> Report:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    return check(find(["."], Settings()), Settings())


def rules(report: Report) -> set[str]:
    return {finding.rule for _, finding in report.findings}


def records(asked: str, answer: str, **more: Any) -> list[dict[str, Any]]:
    return [{asked: f"Which colour has number {i}?", answer: f"Number {i} is red.", **more} for i in range(8)]


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


PAIRS = pytest.mark.parametrize(
    ("asked", "answer"),
    [("question", "answer"), ("input", "output"), ("instruction", "response"), ("prompt", "response")],
)


@PAIRS
def test_pairs_of_common_words_are_learned(work: Path, asked: str, answer: str) -> None:
    healthy = records(asked, answer, id=7)
    assert judged({"data.jsonl": lines(healthy)}).verdict is Severity.PASS
    healthy[5][answer] = ""
    report = judged({"data.jsonl": lines(healthy)})
    assert rules(report) == {"TP-SCHEMA-EMPTY"}
    assert [finding.location.line for _, finding in report.findings] == [6]


@PAIRS
def test_with_a_score_beside_them_they_are_results_and_nothing_to_learn(work: Path, asked: str, answer: str) -> None:
    results = records(asked, answer, score=0.5)
    results[5][answer] = ""
    report = judged({"results.jsonl": lines(results)})
    assert report.verdict is Severity.PASS
    assert report.targets[0].facts["shape"] in {"unknown", "prompt-only"}


@pytest.mark.parametrize(("name", "count"), [("faq.json", 0), ("train.json", 1), ("data/alpaca_data.json", 1)])
def test_an_array_of_such_pairs_is_a_dataset_where_its_name_says_so(work: Path, name: str, count: int) -> None:
    targets = find(["."], Settings()) if judged({name: json.dumps(records("question", "answer"))}) else []
    assert sum(target.format == "json" for target in targets) == count


def test_a_pointer_in_place_of_an_array_is_not_passed_over(work: Path) -> None:
    assert rules(judged({"alpaca_data.json": POINTER, "package.json": POINTER})) == {"TP-FILE-LFS-POINTER"}


@pytest.mark.parametrize(
    ("said", "found"), [("Yes.", set()), ("The river is wide and cold in winter.", {"TP-DUP-LEAK"})]
)
def test_of_speech_a_text_of_some_length_is_read_out_once(work: Path, said: str, found: set[str]) -> None:
    train = "".join(f"wavs/{i}.wav|Sentence number {i} is read out here.\n" for i in range(9)) + f"wavs/77.wav|{said}\n"
    held = f"wavs/88.wav|{said}\nwavs/89.wav|Another sentence that nobody trains on.\n"
    assert rules(judged({"filelists/train.txt": train, "filelists/val.txt": held})) - {"TP-MEDIA-MISSING"} == found


def test_a_speaker_in_the_last_field_is_no_text(work: Path) -> None:
    rows = [f"wavs/{i}.wav|Sentence number {i} is read out here.|{i % 2}\n" for i in range(12)]
    report = judged({"filelists/train.txt": "".join(rows)})
    assert report.targets[0].facts["shape"] == "coqui"
    assert "TP-TRAIN-CONSTANT" not in rules(report)
    rows[4] = "wavs/4.wav||0\n"
    assert "TP-SCHEMA-EMPTY" in rules(judged({"filelists/train.txt": "".join(rows)}))


def test_src_and_trg_are_two_sides(work: Path) -> None:
    report = judged({"data/test.src": "one\ntwo\n", "data/test.trg": "eins\n"})
    assert rules(report) == {"TP-PAR-COUNT"}


def test_sentences_in_place_of_column_names_are_told(work: Path) -> None:
    (work / "train.csv").write_text('"I like tea.","Je aime le the."\n"I like milk.","Je aime le lait."\n')
    assert "TP-CSV-HEADER" in rules(check(find(["train.csv"], Settings()), Settings()))


def test_the_classes_are_told_further_up(work: Path) -> None:
    report = judged(
        {"data/data.yaml": "nc: 2\nnames: [cat, dog]\n", "data/frames/train/labels/a.txt": "5 0.5 0.5 0.1 0.1\n"}
    )
    assert "TP-YOLO-CLASS" in rules(report)


def test_a_log_of_an_application_is_no_dataset_unless_it_is_named_on_purpose(work: Path) -> None:
    for name in ("log.jsonl", "metrics.jsonl", "chat_logs.jsonl"):
        messages = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
        value = messages if name.startswith("chat") else {"time": "10:00", "level": "info", "said": "ready"}
        (work / name).write_text(json.dumps(value) + "\n")
    assert [target.path for target in find(["."], Settings())] == ["chat_logs.jsonl"]
    assert [target.format for target in find(["log.jsonl"], Settings())] == ["jsonl"]


def test_pictures_with_a_text_are_one_shape_as_a_table_and_as_lines(work: Path) -> None:
    rows = [{"file_name": f"{i}.png", "text": f"Picture number {i} shows a cup."} for i in range(6)]
    table = "file_name,text\n" + "".join(f"{row['file_name']},{row['text']}\n" for row in rows)
    report = judged({"a/metadata.csv": table, "b/metadata.jsonl": lines(rows)})
    assert report.verdict is Severity.PASS, rules(report)
    assert {target.facts["shape"] for target in report.targets} == {"hf-imagefolder"}
    pictures = {f"{folder}/{i}.png": "x" for folder in "ab" for i in range(5)}
    found = [finding for _, finding in judged(pictures).findings]
    assert [(finding.rule, finding.location.line) for finding in found] == [
        ("TP-MEDIA-MISSING", 7), ("TP-MEDIA-MISSING", 6),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("metadata.jsonl", ("file_name", "transcription")), ("speech.jsonl", ("audio_filepath", "text")),
        ("metadata.csv", ("file_name", "transcription")), ("dataset/metadata.csv", ("file", "text")),
    ],
)  # fmt: skip
def test_sounds_with_what_is_said_in_them(work: Path, name: str, keys: tuple[str, str]) -> None:
    rows = [(f"{i}.wav", f"Sentence number {i}.") for i in range(6)] + [("3.wav", "Something else."), ("9.wav", "")]
    if name.endswith("csv"):
        content = ",".join(keys) + "\n" + "".join(f"{sound},{said}\n" for sound, said in rows)
    else:
        content = lines([dict(zip(keys, row, strict=True)) for row in rows])
    report = judged({name: content})
    assert report.targets[0].facts["shape"] == "whisper"
    assert {"TP-SCHEMA-EMPTY", "TP-MEDIA-DUP-ID"} <= rules(report)


def test_a_file_of_code_by_name_and_text_names_no_pictures(work: Path) -> None:
    rows = [{"file_name": f"{i}.py", "text": f"print({i})"} for i in range(6)]
    assert judged({"code.jsonl": lines(rows), "1.py": "print(1)\n"}).verdict is Severity.PASS


@pytest.mark.parametrize(("language", "count"), [("la", 1), ("yo", 1), ("js", 0)])
def test_languages_of_parallel_texts(work: Path, language: str, count: int) -> None:
    report = judged({"train.en": "one\ntwo\n", f"train.{language}": "unus\n"})
    assert sum("TP-PAR-COUNT" in rule for rule in rules(report)) == count


def test_tests_and_predictions_are_nothing_to_learn(work: Path) -> None:
    cases = [{"input": f"{i} 1", "output": "YES"} for i in range(30)]
    answers = [{"prompt": f"p{i}", "response": "" if i == 3 else f"r{i}"} for i in range(8)]
    assert judged({"tests.jsonl": lines(cases), "predictions.jsonl": lines(answers)}).verdict is Severity.PASS


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("chat_logs.jsonl", "<!DOCTYPE html>\n<html></html>\n", "TP-FILE-NOT-DATA"),
        ("event_logs.jsonl", "", "TP-FILE-EMPTY"),
        ("support_logs.jsonl", '{"a": 1}\n{"a": \n{"a": 3}\n', "TP-JSON-SYNTAX"),
    ],
)
def test_what_is_broken_under_the_name_of_a_log_is_told(work: Path, name: str, content: str, rule: str) -> None:
    assert rule in rules(judged({name: content}))


@pytest.mark.parametrize("name", ["train_stations.json", "train_config.json", "training_schedule.json"])
def test_a_name_that_goes_on_to_something_else_is_no_training_data(work: Path, name: str) -> None:
    judged({name: json.dumps([{"name": "a"}, {"name": "a"}])})
    assert find(["."], Settings())[0].format == "missing"


def test_columns_of_a_survey_are_names(work: Path) -> None:
    table = "question,answer,Is it right?,Is it safe to show?\n" + "".join(f"q{i},a{i},yes,yes\n" for i in range(5))
    assert "TP-CSV-HEADER" not in rules(judged({"train.csv": table}))


@pytest.mark.parametrize(("shape", "value"), [("coqui", {"txt": "a"}), ("ljspeech-2col", {"id": "a", "text": None})])
def test_speech_without_its_text_breaks_no_check(work: Path, shape: str, value: dict[str, Any]) -> None:
    (work / "a.jsonl").write_text(lines([value] * 5))
    options = Settings(datasets=(DatasetOptions("*.jsonl", shape=shape),))
    found = rules(check(find(["a.jsonl"], options), options))
    assert "TP-FILE-CRASHED" not in found
    assert found & {"TP-SCHEMA-MISSING", "TP-SCHEMA-EMPTY"}


def test_long_numbers_and_the_older_form_of_a_call(work: Path) -> None:
    def talk(call: dict[str, Any]) -> dict[str, Any]:
        return {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", **call}]}

    digits = json.dumps({"name": "f", "arguments": '{"n": ' + "9" * 5000 + "}"})
    assert (
        rules(judged({"a.jsonl": lines([talk({"tool_calls": [{"id": "c", "function": json.loads(digits)}]})])}))
        == set()
    )
    cut = {"function_call": {"name": "f", "arguments": '{"a": '}}
    assert "TP-CHAT-TOOL" in rules(judged({"b.jsonl": lines([talk(cut)])}))


def test_a_first_record_longer_than_the_head_still_shows_the_shape(work: Path) -> None:
    rows = [{"text": "word " * 20_000}, {"text": "A short text."}, {"text": ""}]
    assert "TP-SCHEMA-EMPTY" in rules(judged({"train.jsonl": lines(rows)}))


@pytest.mark.parametrize(
    ("name", "header", "kind"),
    [
        ("data/captions.csv", "filename,sentence", "jpg"), ("data/train.tsv", "path\tsentence", "mp4"),
        ("train.csv", "file,transcription", "txt"), ("train/metadata.csv", "filename,text", "png"),
    ],
)  # fmt: skip
def test_files_of_another_kind_with_several_texts_are_no_speech(work: Path, name: str, header: str, kind: str) -> None:
    between = "\t" if "\t" in header else ","
    rows = [f"{i // 3}.{kind}{between}The text with number {i}.\n" for i in range(12)]
    report = judged({name: header + "\n" + "".join(rows)})
    assert report.targets[0].facts["shape"] in {"unknown", "text"}
    assert rules(report) == set()


def test_pictures_in_a_column_of_another_name_are_told(work: Path) -> None:
    rows = "".join(f"{i}.png,A cup with number {i}.\n" for i in range(5))
    report = judged({"train/metadata.csv": "filename,text\n" + rows, "train/0.png": "x"})
    assert rules(report) == {"TP-MEDIA-COLUMNS"}


@pytest.mark.parametrize("sound", ["a{}.mp3", "{}.AAC", "common_voice_{}", "v1.{}"])
def test_sounds_of_any_ending_are_speech(work: Path, sound: str) -> None:
    rows = "".join(f"{sound.format(i)},Sentence number {i}.\n" for i in range(5))
    assert judged({"train.csv": "path,sentence\n" + rows}).targets[0].facts["shape"] == "whisper"


def test_a_sound_without_a_name_hides_no_shape(work: Path) -> None:
    rows = [{"file_name": f"{i}.wav" if i else "", "transcription": f"Sentence number {i}."} for i in range(6)]
    assert judged({"metadata.jsonl": lines(rows)}).targets[0].facts["shape"] == "whisper"


def test_speakers_by_number_are_speakers_though_each_reads_once(work: Path) -> None:
    rows = [f"wavs/{i}.wav|{i}|Sentence number {i} is read out here.\n" for i in range(12)]
    assert judged({"filelists/train.txt": "".join(rows)}).targets[0].facts["shape"] == "piper-multispeaker"
    rows[4] = "wavs/4.wav||Sentence number 4 is read out here.\n"
    assert rules(judged({"filelists/train.txt": "".join(rows)})) == {"TP-SCHEMA-EMPTY"}


def test_a_pointer_among_sounds_is_counted_and_not_judged(work: Path) -> None:
    rows = [{"audio_filepath": f"{i}.mp3", "duration": 2.0, "text": f"Sentence number {i}."} for i in range(6)]
    files = {f"{i}.mp3": POINTER if i == 3 else "ID3" for i in range(6)}
    report = judged({"train.jsonl": lines(rows), **files})
    assert rules(report) == set()
    assert report.targets[0].facts["pointers"] == 1
