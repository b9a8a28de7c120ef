"""Parallel texts: a side that is no text is told, not dropped, and splits are compared by whole lines."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity
from trainproof_ci.readers.dataset import leaks, read, sides
from trainproof_ci.registry import rules_for

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


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("caf\u00c3\u00a9", "TP-ENC-MOJIBAKE"),
        ("caf\ufffd", "TP-ENC-REPLACEMENT"),
        ("ca\u200bfe", "TP-ENC-INVISIBLE"),
        ("ca\ufefffe", "TP-ENC-INVISIBLE"),
        ("ca\x07fe", "TP-ENC-CONTROL"),
        ("ca\x9ffe", "TP-ENC-CONTROL"),
        ("caf\u00e9 \\u00c3\\u00a9 &eacute;&eacute;", None),
    ],
)
@pytest.mark.parametrize("side", ["en", "de"])
def test_the_rules_about_characters_are_asked_about_every_line(
    work: Path, word: str, rule: str | None, side: str
) -> None:
    both = {"en": [*ENGLISH], "de": [*GERMAN]}
    both[side][4] = f"A {word} at the river."
    report = judged({f"train.{name}": text(lines) for name, lines in both.items()})
    assert found(report) == ([(rule, Severity.WARN, f"train.{side}")] if rule else [])
    assert [list(finding.places.lines) for _, finding in report.findings] == ([[5]] if rule else [])


LONG = "It had rained for three days when the ferry at last put out from the quay below the old town{}."
LANG = "Seit drei Tagen regnete es, als die Fähre endlich vom Kai unterhalb der alten Stadt ablegte{}."


@pytest.mark.parametrize("end", ["\n", ""], ids=["ended", "not ended"])
def test_a_long_pair_that_stands_twice(work: Path, end: str) -> None:
    english = [*ENGLISH, LONG.format(""), LONG.format(" again"), LONG.format("")]
    german = [*GERMAN, LANG.format(""), LANG.format(" erneut"), LANG.format("")]
    report = judged({"train.en": text(english)[:-1] + end.encode(), "train.de": text(german)[:-1] + end.encode()})
    repeated = [finding for _, finding in report.findings if finding.rule == "TP-DUP-RECORD"]
    assert [(f.severity, list(f.places.lines), f.related[0].line) for f in repeated] == [(Severity.WARN, [9], 7)]


def test_short_pairs_and_other_translations_may_come_back(work: Path) -> None:
    english = ["Thank you.", *ENGLISH, "Thank you.", ENGLISH[2], LONG.format(""), LONG.format("")]
    german = ["Danke.", *GERMAN, "Danke.", GERMAN[2], LANG.format(""), LANG.format(" wieder")]
    assert found(judged({"train.en": text(english), "train.de": text(german)})) == []


def test_rules_about_keys_and_rows_do_not_run(work: Path) -> None:
    checks = judged({"train.en": text(ENGLISH), "train.de": text(GERMAN)}).targets[0].checks
    ran = {rule for rule in checks.ran if rule.startswith(("TP-SCHEMA", "TP-TRAIN", "TP-DUP", "TP-ENC"))}
    assert ran == {
        "TP-DUP-RECORD", "TP-ENC-BOM", "TP-ENC-BOM-MID", "TP-ENC-CONTROL", "TP-ENC-INVISIBLE", "TP-ENC-MOJIBAKE",
        "TP-ENC-NUL", "TP-ENC-REPLACEMENT", "TP-ENC-UTF16", "TP-ENC-UTF8",
    }  # fmt: skip
    assert "TP-LINE-BLANK" in checks.skipped


PIECES = [
    "a",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\n<<<<<<< x\n",
    "\n=======\n",
    "\n>>>>>>> y\n",
    "<",
    "é",
    "Ã©",
    "\u3000",
    "\u2028",
]
PIECES += ["\x85", "\x0c", "\0", "\x07", "\ufeff", "a\u200ba", "\udcff", "\ufffd", "&amp;"]
SIDE = st.lists(st.sampled_from(PIECES), max_size=12).map(
    lambda parts: "".join(parts).encode("utf-8", "surrogateescape")
)


@given(SIDE, SIDE)
def test_a_harmless_block_has_nothing_to_be_told(
    tmp_path_factory: pytest.TempPathFactory, first: bytes, second: bytes
) -> None:
    folder = tmp_path_factory.mktemp("sides")
    paths = (str(folder / "train.de"), str(folder / "train.en"))
    for path, content in zip(paths, (first, second), strict=True):
        Path(path).write_bytes(b"A first line.\n" + content)
    quick = told(paths)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sides, "_is_harmless", lambda _: False)
        assert told(paths) == quick


def told(paths: tuple[str, ...]) -> object:
    target = Target(paths[0], "dataset", "parallel-text", members=paths, is_file=False)
    survey = read(target, Settings(), rules_for("dataset"))
    groups = {rule: [f.places.shown for f in survey.faults.firings(rule)] for rule in survey.faults.groups}
    seen = {name: (sighting.measured, sighting.places.shown) for name, sighting in survey.faults.sightings.items()}
    return groups, seen, survey.records, survey.sha256, survey.size
