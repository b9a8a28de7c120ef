"""Parallel texts: a side that is no text is told, not dropped, and splits are compared by whole lines."""

import gzip
from pathlib import Path

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity
from trainproof_ci.readers.dataset import leaks

ENGLISH = [f"The river number {n} is wide and cold in winter." for n in range(6)]
GERMAN = [f"Der Fluss Nummer {n} ist im Winter breit und kalt." for n in range(6)]
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d' * 32}\nsize 300\n".encode()


def text(lines: list[str]) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


def judged(files: dict[str, bytes]) -> Report:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content)
    return check(find(["."], Settings()), Settings())


def found(report: Report) -> list[tuple[str, Severity, str]]:
    return [(finding.rule, finding.severity, finding.location.path) for _, finding in report.findings]


@pytest.mark.parametrize(
    ("side", "rule", "severity"),
    [
        (text(GERMAN).decode().encode("utf-16"), "TP-ENC-UTF16", Severity.FAIL),
        (gzip.compress(text(GERMAN)), "TP-FILE-NOT-DATA", Severity.FAIL),
        (b"<!DOCTYPE html>\n<p>Not found</p>\n", "TP-FILE-NOT-DATA", Severity.FAIL),
        (text(GERMAN).replace(b"Fluss", b"Fl\0ss", 1), "TP-ENC-NUL", Severity.FAIL),
        (POINTER, "TP-FILE-LFS-POINTER", Severity.NOT_CHECKED),
    ],
    ids=["UTF-16", "gzip", "a page", "NUL", "a pointer"],
)
@pytest.mark.parametrize("name", ["train.de", "train.no"])
def test_a_side_that_is_no_text(work: Path, side: bytes, rule: str, severity: Severity, name: str) -> None:
    assert found(judged({"train.en": text(ENGLISH), name: side})) == [(rule, severity, name)]


def test_a_fault_counts_before_a_side_that_is_not_here(work: Path) -> None:
    report = judged({"train.de": POINTER, "train.en": text(ENGLISH).decode().encode("utf-16")})
    assert found(report) == [("TP-ENC-UTF16", Severity.FAIL, "train.en")]
    report = judged({"train.en": POINTER})
    assert found(report) == [("TP-FILE-LFS-POINTER", Severity.NOT_CHECKED, "train.de")]


def test_a_side_without_a_line_has_fewer_lines(work: Path) -> None:
    assert found(judged({"train.de": text(GERMAN), "train.en": b""})) == [("TP-PAR-COUNT", Severity.FAIL, "train.en")]


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["<<<<<<< HEAD", "one", "=======", "two", ">>>>>>> theirs"], 3),
        (["<<<<<<< HEAD"], 1),
        (["A heading", "=======", ">>>>>>> so they wrote"], 0),
    ],
)
def test_markers_of_a_merge_conflict(work: Path, lines: list[str], count: int) -> None:
    report = judged({"train.de": text([*GERMAN, *lines]), "train.en": text([*ENGLISH, *lines])})
    places = {finding.rule: len(finding.places) for _, finding in report.findings}
    assert places == ({"TP-FILE-CONFLICT": 2 * count} if count else {})


def splits(shared: int, **more: bytes) -> dict[str, bytes]:
    """An evaluation split of four lines, of which the last `shared` are also trained on."""
    new = [f"Nobody has ever seen sentence {n} before." for n in range(4 - shared)]
    neu = [f"Den Satz {n} hat noch niemand je gesehen." for n in range(4 - shared)]
    trained = {"data/train.en": text(ENGLISH), "data/train.de": text(GERMAN)}
    return {
        **trained,
        "data/test.en": text([*new, *ENGLISH[:shared]]),
        "data/test.de": text([*neu, *GERMAN[:shared]]),
        **{f"data/{name.replace('_', '.')}": content for name, content in more.items()},
    }


@pytest.mark.parametrize(("shared", "severity"), [(4, Severity.FAIL), (2, Severity.FAIL), (1, Severity.WARN)])
def test_pairs_that_are_trained_on(work: Path, shared: int, severity: Severity) -> None:
    report = judged(splits(shared))
    assert found(report) == [("TP-DUP-LEAK", severity, "data/test.de")]
    _, finding = next(iter(report.findings))
    assert list(finding.places.lines) == list(range(5 - shared, 5))
    assert finding.related[0].path == "data/train.de"


def test_pairs_that_differ_in_case_and_spaces(work: Path) -> None:
    files = splits(1)
    files["data/test.en"] = files["data/test.en"].replace(b"The river", b"the  River,")
    assert found(judged(files)) == [("TP-DUP-LEAK-NEAR", Severity.WARN, "data/test.de")]


def test_only_whole_pairs_of_some_length_are_compared(work: Path) -> None:
    short = {"train_en": text([*ENGLISH, "Thank you."]), "train_de": text([*GERMAN, "Danke."])}
    short |= {"test_en": text(["Thank you.", ENGLISH[0]]), "test_de": text(["Danke.", GERMAN[1]])}
    assert found(judged(splits(0, **short))) == []


def test_splits_of_other_sides_are_not_compared(work: Path) -> None:
    report = judged(splits(4, test_fr=text([f"La phrase {n} est ici." for n in range(4)])))
    assert "TP-DUP-LEAK" in report.targets[0].checks.skipped
    assert report.verdict is Severity.PASS


@pytest.mark.parametrize("side", [POINTER, text(GERMAN).decode().encode("utf-16")])
def test_training_texts_that_cannot_be_read_are_not_compared(work: Path, side: bytes) -> None:
    report = judged(splits(4, train_de=side))
    assert "TP-DUP-LEAK" in report.targets[0].checks.skipped


def test_too_many_lines_are_not_compared(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trainproof_ci.readers.dataset import pairs

    for module in (leaks, pairs):
        monkeypatch.setattr(module, "MOST_RECORDS", 3)
    assert "too many" in judged(splits(4)).targets[0].checks.skipped["TP-DUP-LEAK"]
