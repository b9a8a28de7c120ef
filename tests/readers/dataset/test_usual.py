"""What is usual in a file whose records have keys of which nobody knows what they mean: asked where it is rare to lack it."""

import json
from pathlib import Path
from typing import Any

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity

Records = list[dict[str, Any]]


def judged(values: Records, name: str = "train.jsonl") -> Report:
    Path(name).write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return check(find([name], Settings()), Settings())


def found(report: Report) -> set[tuple[str, str]]:
    return {(finding.rule, finding.severity.value) for _, finding in report.findings}


def shape(report: Report) -> object:
    return report.targets[0].facts["shape"]


def asked(given: str, learned: str, count: int = 12, **more: Any) -> Records:
    return [
        {given: f"What is number {i}?", learned: f"It is thing {i}.", "shelf": f"s{i % 3}", **more}
        for i in range(count)
    ]


PAIRS = pytest.mark.parametrize(
    ("given", "learned"),
    [
        ("question", "answer"), ("instruction", "response"), ("prompt", "response"), ("query", "response"),
        ("problem", "solution"), ("source", "target"), ("article", "summary"),
    ],
)  # fmt: skip


@PAIRS
@pytest.mark.parametrize(
    ("lost", "rule"),
    [
        ("", "EMPTY"),
        (" \n", "EMPTY"),
        (None, "EMPTY"),
        (7, "TYPE"),
        (["x"], "TYPE"),
        ({"a": "x"}, "TYPE"),
        (..., "MISSING"),
    ],
)
def test_an_answer_is_lost_where_the_others_have_one(
    work: Path, given: str, learned: str, lost: Any, rule: str
) -> None:
    values = asked(given, learned)
    assert judged(values).verdict is Severity.PASS
    values[6][learned] = lost
    if lost is ...:
        del values[6][learned]
    for name, severity in (("train.jsonl", "FAIL"), ("pairs.jsonl", "WARN")):
        report = judged(values, name)
        assert found(report) == {(f"TP-SCHEMA-{rule}", severity)}
        assert [finding.location.line for _, finding in report.findings] == [7]


@pytest.mark.parametrize("lost", ["", None, 7, ...])
def test_what_a_tenth_of_the_records_lack_is_the_way_of_the_file(work: Path, lost: Any) -> None:
    values = asked("question", "answer", 100)
    for value in values[70:81]:
        value["answer"] = lost
        if lost is ...:
            del value["answer"]
    report = judged(values)
    assert shape(report) == "question-answer"
    assert report.verdict is Severity.PASS, found(report)


def test_a_key_that_nothing_else_is_like_tells_another_kind_of_record(work: Path) -> None:
    values = asked("question", "answer")
    values[4] = {"question": "Who are you?", "refuses": True, "shelf": "s1"}
    assert judged(values).verdict is Severity.PASS
    values[4] = {"question": "Who are you?", "answer_": "Nobody.", "shelf": "s1"}
    assert found(judged(values)) == {("TP-SCHEMA-MISSING", "FAIL")}


@pytest.mark.parametrize("key", ["is_impossible", "answerable", "has_answer"])
def test_a_record_may_say_itself_that_there_is_no_answer(work: Path, key: str) -> None:
    values: Records = [{"question": f"Which {i}?", "answers": ["a"], "context": f"c{i}", key: False} for i in range(12)]
    values[3]["answers"] = []
    assert judged(values).verdict is Severity.PASS
    for value in values:
        del value[key]
    assert found(judged(values)) == {("TP-SCHEMA-EMPTY", "FAIL")}


@pytest.mark.parametrize("more", ["score", "model_name", "prediction", "latency_ms", "timestamp", "is_correct"])
def test_beside_what_is_measured_an_answer_is_a_result(work: Path, more: str) -> None:
    values = asked("question", "answer", **{more: 1})
    values[3]["answer"] = ""
    report = judged(values)
    assert shape(report) == "unknown"
    assert report.verdict is Severity.PASS


@pytest.mark.parametrize("name", ["predictions.jsonl", "responses.jsonl", "test_cases.jsonl"])
def test_the_name_of_a_file_of_results_is_believed(work: Path, name: str) -> None:
    values = asked("question", "answer")
    values[3]["answer"] = ""
    assert judged(values, name).verdict is Severity.PASS


def test_a_log_of_questions_and_answers_is_no_dataset(work: Path) -> None:
    judged(asked("question", "answer"), "chat_logs.jsonl")
    assert find(["."], Settings())[0].format == "missing"


@pytest.mark.parametrize("answer", ["B", 1])
def test_choices_are_answered_by_a_letter_or_a_number(work: Path, answer: Any) -> None:
    values: Records = [{"question": f"Which {i}?", "options": ["x", "y"], "answer": answer} for i in range(12)]
    assert judged(values).verdict is Severity.PASS
    values[8]["answer"] = None
    assert found(judged(values)) == {("TP-SCHEMA-EMPTY", "FAIL")}
    values[8]["answer"] = 1 if answer == "B" else "B"
    assert found(judged(values)) == {("TP-SCHEMA-TYPE", "FAIL")}
    values[8] = {**values[2], "answer": "A" if answer == "B" else 0}
    assert found(judged(values)) == {("TP-DUP-CONFLICT", "WARN")}


def test_what_stands_in_any_other_key_is_part_of_the_question(work: Path) -> None:
    values = [*asked("question", "answer"), {"question": "What is number 2?", "answer": "Another.", "shelf": "s9"}]
    assert judged(values).verdict is Severity.PASS
    values[-1]["shelf"] = "s2"
    assert found(judged(values)) == {("TP-DUP-CONFLICT", "WARN")}


def test_all_answers_may_be_the_same_where_another_key_may_be_what_is_learned(work: Path) -> None:
    values = asked("question", "answer")
    for value in values:
        value["answer"] = "yes"
    assert judged(values).verdict is Severity.PASS


@pytest.mark.parametrize("key", ["reference_answer", "label", "ground_truth"])
def test_a_prompt_with_what_its_answers_are_held_against(work: Path, key: str) -> None:
    values = [{"prompt": f"What is {i} + 1?", key: f"{i + 1}", "level": "easy"} for i in range(12)]
    assert judged(values).verdict is Severity.PASS
    values[5][key] = ""
    assert found(judged(values)) == {("TP-SCHEMA-EMPTY", "FAIL")}
    del values[5][key]
    assert ("TP-SCHEMA-MISSING", "FAIL") in found(judged(values))
    values[5] = {**values[1], key: "99"}
    assert found(judged(values)) == {("TP-DUP-CONFLICT", "WARN")}


def test_a_search_needs_a_text_to_be_found(work: Path) -> None:
    values: Records = [{"query": f"q{i}", "pos": [f"p{i}"], "neg": []} for i in range(12)]
    values += [{"query": "q1", "pos": ["p another"], "neg": []}]
    assert judged(values).verdict is Severity.PASS
    values[3]["pos"] = []
    assert found(judged(values)) == {("TP-SCHEMA-EMPTY", "FAIL")}


def texts(key: str, classes: list[Any], text: str = "I want number {}.", count: int = 24) -> Records:
    return [{"text": text.format(i), key: classes[i % len(classes)]} for i in range(count)]


@pytest.mark.parametrize("key", ["intent", "category", "class", "sentiment", "emotion", "topic", "intent_type"])
def test_a_short_text_beside_a_class_is_told_apart(work: Path, key: str) -> None:
    values = texts(key, ["book", "cancel", "ask"])
    report = judged(values)
    assert (shape(report), report.verdict) == ("text-label", Severity.PASS)
    values[7][key] = "Cancel"
    assert found(judged(values)) == {("TP-LABEL-VARIANTS", "WARN")}
    values[7][key] = None
    assert found(judged(values)) == {("TP-SCHEMA-EMPTY", "FAIL")}
    values[7] = {**values[1], key: "ask"}
    assert found(judged(values)) == {("TP-DUP-CONFLICT", "WARN")}


@pytest.mark.parametrize(
    "values",
    [
        texts("topic", ["news"]), texts("topic", [f"topic {i}" for i in range(24)]), texts("category", ["a", "b"], "long " * 200 + "{}"),
        texts("category", ["1.5", "2"]), texts("score", ["good", "bad"]), texts("shelf", ["good", "bad"]),
        [{**value, "intent": "ask"} for value in texts("topic", ["a", "b"])],
    ],
)  # fmt: skip
def test_a_text_to_read_with_what_is_said_about_it(work: Path, values: Records) -> None:
    report = judged(values)
    assert (shape(report), report.verdict) == ("text", Severity.PASS)


def test_what_is_only_called_as_a_class_is_never_out_of_range(work: Path) -> None:
    values = texts("topic", [1, 2, 3])
    values[4]["topic"] = -1
    assert judged(values).verdict is Severity.PASS
    held = [{"text": "Something else altogether.", "topic": 9}, *texts("topic", [1, 2, 3], "May I have {}?")]
    assert found(judged(held, "test.jsonl")) == {("TP-LABEL-UNSEEN", "WARN")}


@pytest.mark.parametrize("name", ["train.jsonl", "pairs.jsonl"])
def test_a_wanted_answer_is_not_unwanted_elsewhere(work: Path, name: str) -> None:
    values = [{"prompt": f"q{i}", "completion": f"a{i}", "label": i % 2 == 0} for i in range(12)]
    assert judged([*values, {"prompt": "q3", "completion": "a4", "label": True}], name).verdict is Severity.PASS
    assert found(judged([*values, {**values[3], "label": True}], name)) == {("TP-DUP-CONFLICT", "WARN")}
    by_others = [{**value, "annotator": i} for i, value in enumerate([*values, {**values[3], "label": True}])]
    assert judged(by_others, name).verdict is Severity.PASS


@pytest.mark.parametrize("listed", [False, True])
def test_the_better_answer_is_not_the_worse_one_elsewhere(work: Path, listed: bool) -> None:
    def said(text: str) -> Any:
        return [{"role": "assistant", "content": text}] if listed else text

    values = [{"prompt": f"q{i}", "chosen": said(f'good "{i}"'), "rejected": said(f"bad {i}")} for i in range(30)]
    again = {"prompt": "q3", "chosen": said('good "4"'), "rejected": said("bad 3")}
    assert judged([*values, again]).verdict is Severity.PASS
    swapped = {"prompt": "q3", "chosen": said("bad 3"), "rejected": said('good "3"')}
    assert found(judged([*values, swapped])) == {("TP-DUP-CONFLICT", "WARN")}
    by_measure = [{**value, "measure": f"m{i}"} for i, value in enumerate([*values, swapped])]
    assert judged(by_measure).verdict is Severity.PASS


def test_one_fault_is_one_finding(work: Path) -> None:
    def rules(values: Records) -> set[str]:
        return {rule for rule, _ in found(judged(values))}

    values: Records = [{"instruction": f"q{i}", "output": f"a{i}", "input": ""} for i in range(12)]
    assert rules([*values, {"instruction": 5, "output": "a", "input": ""}]) == {"TP-SCHEMA-TYPE"}
    assert rules([*values, {"output": "a", "input": ""}]) == {"TP-SCHEMA-MISSING"}
    assert rules([*values, {"instruction": None, "output": "a", "input": ""}]) == {"TP-SCHEMA-EMPTY-PROMPT"}
    pairs: Records = [{"prompt": f"q{i}", "chosen": f"a{i}", "rejected": f"b{i}"} for i in range(12)]
    assert rules([*pairs, {"prompt": "q", "chosen": "a", "rejected": []}]) == {"TP-SCHEMA-EMPTY"}
    assert rules([*pairs, {"prompt": "q", "chosen": "a", "rejected": ["b"]}]) == {"TP-SCHEMA-TYPEDRIFT"}
