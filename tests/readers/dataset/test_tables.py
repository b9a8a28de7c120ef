"""Tables: which are datasets, how they are read, and that nothing but facts or a reason comes out."""

import contextlib
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, find
from trainproof_ci.engine import check
from trainproof_ci.errors import StandDown, Unreadable
from trainproof_ci.model import Report, Severity
from trainproof_ci.readers.dataset import delimited, quick_rows, read, recognise
from trainproof_ci.readers.dataset.delimited import Dialect, Line, Physical, Rows, line_of, physical_lines
from trainproof_ci.readers.dataset.dialects import is_quoted, sniff
from trainproof_ci.readers.source import Head
from trainproof_ci.registry import rules_for
from trainproof_ci.reports.json import render

SECRET = "s3cr3t-canary-0123456789"


def rows_of(data: bytes, dialect: Dialect) -> list[Any]:
    return list(Rows(physical_lines(io.BytesIO(data)), dialect))


def judged(**settings: Any) -> Report:
    return check(find(["."], Settings(**settings)), Settings(**settings))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.csv", "text,label\na,0\n"),
        ("reviews.csv", "review,sentiment\ngood,positive\n"),
        ("data.csv", "prompt,completion\na,b\n"),
        ("faq.csv", "question,answer\na,b\n"),
        ("dpo.csv", "prompt,chosen,rejected\na,b,c\n"),
        ("train.csv", "label,pixel0,pixel1\n1,0,0\n"),
        ("asr.csv", "path,sentence\na.mp3,hello\n"),
        ("deepspeech.csv", "wav_filename,wav_filesize,transcript\na.wav,12,hello\n"),
        ("metadata.csv", "file_name,text\na.png,a cup\n"),
        ("metadata.csv", "a1|one two\na2|three\n"),
        ("filelist_train.txt", "wavs/a1.wav|one two\nwavs/a2.wav|three\n"),
        ("voices.csv", "audio_file|text|speaker_name\na.wav|one|x\n"),
        ("corpus.csv", "text\none\ntwo\n"),
        ("quoted.csv", '"text","label"\n"a","0"\n'),
        ("train.csv", ""),
        ("dev.tsv", "\n"),
        ("reviews.csv", "text,label\rgood,0\rbad,1"),
        ("train.csv", "te\0xt,label\ngood,0\n"),
        ("train.csv", "PK\3\4\24\0\6\0"),
        ("test.csv", "BZh91AY&SY"),
        ("train.csv", 'text,label\r"one\ntwo",0\r"three\nfour",1\r'),
        ("train.csv", "great acting,good\nlong and slow,bad\nnever again,bad\nwell made,good\nloved it,good\n"),
        ("filelist.txt", "".join(f"wavs/a{number}.wav|one two\n" for number in range(9)) + "wavs/a 9.wav|three\n"),
    ],
)
def test_datasets(work: Path, name: str, content: str) -> None:
    (work / name).write_bytes(content.encode())
    assert recognise(Head.of(name)) is not None


@pytest.mark.parametrize(
    ("train", "dev", "found"),  # how many of the two are datasets
    [
        ("0,A first one.\n1,A second one.\n", "1,another one\n0,and one more\n", 2),
        ("404: Not Found", "text,label\ngood,0\n", 2),
        ('{"message": "Not Found", "url": "https://example.org"}\n', "text,label\ngood,0\n", 2),
        ("a good one,yes\na bad one,no\n", "text,label\ngood,0\n", 2),
        ("0,A first one.\n1,A second one.\n", "1,2,3\n4,5,6\n", 1),
        ("0,A first one.\n1,A second one.\n", "epoch,accuracy\n4,5\n", 1),
        ("alpha,beta\n1,2\n", "1,2\n4,5\n", 0),
    ],
)
def test_the_splits_of_a_dataset_are_known_by_each_other(work: Path, train: str, dev: str, found: int) -> None:
    (work / "train.csv").write_text(train)
    (work / "dev.csv").write_text(dev)
    assert [recognise(Head.of(name)) for name in ("train.csv", "dev.csv")].count("csv") == found


def test_a_list_of_sounds_below_a_folder_is_no_table(work: Path) -> None:
    (work / "train.tsv").write_text("/data/sounds\na/1.flac\t2200\nb/2.flac\t4300\n")
    (target,) = find(["train.tsv"], Settings())
    assert target.refusal is not None
    (work / "train.tsv").write_text("text label\na good one\t1\na bad one\t0\n")
    (target,) = find(["train.tsv"], Settings())
    assert target.refusal is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
@pytest.mark.parametrize("rows", [2, 9000])
def test_a_dataset_in_another_encoding_is_one(work: Path, encoding: str, rows: int) -> None:
    (work / "reviews.csv").write_bytes(("text,label\r\n" + "good,0\r\n" * rows).encode(encoding))
    (work / "users.csv").write_bytes(("name,age\r\n" + "good,0\r\n" * rows).encode(encoding))
    assert recognise(Head.of("reviews.csv")) == "csv"
    assert recognise(Head.of("users.csv")) is None
    assert {finding.rule for _, finding in judged().findings} == {"TP-ENC-UTF16"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("sensors.csv", "timestamp,temperature,humidity\n1,2,3\n"),
        ("results.csv", "epoch,train/box_loss,val/box_loss\n0,1,2\n"),
        ("train.csv", "epoch,loss,label\n0,1,2\n"),
        ("log.csv", "step,text,label\n0,1,2\n"),
        ("de.csv", "key,text\nmenu.open,Öffnen\n"),
        ("edges.csv", "source,target\na,b\n"),
        ("countries.csv", "name,code\nNamibia,NA\n"),
        ("users.csv", "id,name,category\n1,a,b\n"),
        ("prices.csv", "date;close\n1;2\n"),
        ("table.csv", "a|b\n1|2\n"),
        ("notes.txt", "this | that\nwith | bars\n"),
        ("empty.csv", ""),
        ("unit_test_report.csv", ""),
        ("train.csv", "\0\1\2\3"),
        ("a.en", "not a corpus"),
        ("words.txt", "1 2 3\n"),
        ("notes.json", '[{"a": 1}]'),
    ],
)
def test_other_tables_are_none_of_our_business(work: Path, name: str, content: str) -> None:
    (work / name).write_text(content)
    assert recognise(Head.of(name)) is None


def test_a_table_named_on_purpose_is_read_whatever_its_columns(work: Path, command: Command) -> None:
    (work / "odd.csv").write_text("alpha,beta\n1,2\n3\n")
    answer = command("check", "odd.csv", "--format", "json")
    assert answer.rules == {"TP-CSV-RAGGED"}
    assert command("check", "--format", "json").code == 2


def test_a_text_beside_its_other_side_needs_a_name_that_speaks_of_a_corpus(work: Path) -> None:
    for name in ("readme.en", "readme.de", "train.py", "train.js", "train.en", "train.de", "x.src", "x.tgt"):
        (work / name).write_text("a line\n")
    found = {name: recognise(Head.of(name)) for name in ("readme.en", "train.py", "train.en", "x.src")}
    assert found == {"readme.en": None, "train.py": None, "train.en": "parallel-text", "x.src": "parallel-text"}


def test_sides_and_labels_are_one_target(work: Path) -> None:
    for name in ("train.en", "train.de", "test.en", "test.de"):
        (work / name).write_text("a line\n")
    (work / "labels").mkdir()
    (work / "images").mkdir()
    for number in range(3):
        (work / "labels" / f"{number}.txt").write_text("0 0.5 0.5 0.1 0.1\n")
    targets = find(["."], Settings())
    assert [(target.path, len(target.members)) for target in targets] == [
        ("labels", 3),
        ("test.de", 2),
        ("train.de", 2),
    ]
    assert judged().verdict is Severity.PASS


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_the_delimiter_is_found_and_confirmed(delimiter: str) -> None:
    lines = [delimiter.join(row) for row in (("text", "label", "note"), ("a, b; c", "0", "x"), ("d", "1", "y, z"))]
    if delimiter in ",;":
        lines[1] = lines[1].replace("a, b; c", '"a, b; c"')
        lines[2] = lines[2].replace("y, z", '"y, z"')
    found = sniff(list(physical_lines(io.BytesIO("\n".join(lines).encode() + b"\n"))), ",")
    assert found is not None
    assert found[0].delimiter == delimiter
    assert len(found[1][0]) == 3


ORDINARY = [f"plain {number}\t{number % 2}" for number in range(60)]
MARKED = ['"open\t0', '"shut" inside\t1', '"a quotation"\t0', 'she said "no"\t1']
DOUBLED = [f'"she said ""{number}"" twice"\t1' for number in range(4)]
WRAPPED = [f'"plain {number}"\t"{number % 2}"' for number in range(60)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (ORDINARY, True),
        ([*ORDINARY, 'she said "no"\t1'], True),
        ([*MARKED, *ORDINARY], False),
        ([*ORDINARY, *MARKED], False),
        ([*ORDINARY, *MARKED, *DOUBLED[:1]], False),
        ([*ORDINARY, *DOUBLED, '"open\t0', *ORDINARY], True),
        (['"open\t0', *ORDINARY, *DOUBLED], True),
        ([*WRAPPED, '"open\t0', *ORDINARY[:4]], True),
        ([*ORDINARY, *WRAPPED[:4], '"open\t0', "plain\t1"], False),
        ([*ORDINARY, '"Dear friend,', "", 'yours"\t0', '"tab\tinside"\t1', '"open\t0'], True),
        (['"\tO', "tree\tB", "", '"\tO'], False),
        ([], True),
    ],
)
def test_all_rows_with_quotes_say_whether_quotes_hold_fields_together(lines: list[str], expected: bool) -> None:
    data = "\n".join(["text\tlabel", *lines, ""]).encode()
    assert is_quoted(io.BytesIO(data), "\t") is expected


@pytest.mark.parametrize("at", [1, 3000])
def test_where_a_lone_quote_stands_does_not_matter(work: Path, at: int) -> None:
    lines = [f"{word} {number}\t{number % 2}" for number in range(2000) for word in ("bread", "tea")]
    lines[at] = '"tea for two\t0'
    (work / "train.tsv").write_text("\n".join(["text\tlabel", *lines, ""]))
    assert judged().verdict is Severity.PASS


def test_a_second_header_is_found_among_rows_that_are_taken_at_once(work: Path) -> None:
    rows = [f"q{number},a{number}\n" for number in range(40_000)]
    header = "prompt,completion\n"
    (work / "a.csv").write_text("".join([header, *rows[:30_000], header, *rows[30_000:], rows[7]]))
    found = {finding.rule: finding.location.line for _, finding in judged().findings}
    assert found == {"TP-CSV-HEADER": 30_002, "TP-DUP-RECORD": 40_003}


CELLS = st.text(st.characters(exclude_characters="\r\0", codec="utf-8"), max_size=8)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=8))
def test_what_csv_writes_is_read_back(table: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(table)
    rows = rows_of(out.getvalue().encode(), Dialect(","))
    assert [row.fields for row in rows] == table
    lines = [row.first.number for row in rows]
    assert lines == sorted(set(lines))
    assert b"".join(row.raw for row in rows) == out.getvalue().encode()


@given(st.binary(max_size=200), st.sampled_from([Dialect(","), Dialect("\t", quoting=False), Dialect(";")]))
def test_every_line_is_in_some_row_once(data: bytes, dialect: Dialect) -> None:
    rows = rows_of(data, dialect)
    assert b"".join(row.raw for row in rows) == data


@given(
    st.lists(
        st.sampled_from([b"\xef\xbb\xbf", b"\0", b"?", b"a", b"\xc3\xa9", b"\xe2\x82", b"\xff", b"\r"]), max_size=6
    ),
    st.sampled_from([0, 7]),
)
def test_the_first_byte_that_is_no_utf8_is_named_where_it_lies(pieces: list[bytes], offset: int) -> None:
    data = b"".join(pieces) + b"\n"
    try:
        data.decode()
        at = None
    except UnicodeDecodeError as error:
        at = error.start
    assert line_of(data, 1, offset).undecodable == at


TEXT = st.text('ab ",\n\t;|<&\x1b\u200bé0', max_size=6)
TABLE = st.lists(st.tuples(TEXT, st.sampled_from(["0", "1", "2", "", "NA"])), min_size=1, max_size=12)


def outcome(path: str) -> Any:
    survey = read(Target(path, "dataset", "csv"), Settings(), rules_for("dataset"))
    found = {
        rule: [(f.measured, f.severity, list(f.places.lines), list(f.places.keys)) for f in survey.faults.firings(rule)]
        for rule in survey.faults.groups
    }
    sighted = {name: (seen.measured, list(seen.places.lines)) for name, seen in survey.faults.sightings.items()}
    labels = {name: (label.count, label.line) for name, label in survey.tally.labels.items()}
    return found, sighted, labels, survey.repeats, survey.conflicts, survey.records, survey.columns.named()


@given(TABLE, st.sampled_from([("prompt", "completion"), ("text", "label"), ("text", "note")]))
def test_the_fast_way_finds_what_the_slow_way_finds(
    tmp_path_factory: pytest.TempPathFactory, table: list[tuple[str, str]], header: tuple[str, str]
) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *table, *table[:2]])
    path = tmp_path_factory.mktemp("table") / "data.csv"
    path.write_bytes(out.getvalue().encode())
    fast = outcome(str(path))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quick_rows.QuickRows, "accept", lambda *_: False)
        slow = outcome(str(path))
    assert fast == slow


NAMES = (
    "data.csv",
    "data.tsv",
    "metadata.csv",
    "labels/a.txt",
    "train.en",
    "x.jsonl.gz",
    "x.jsonl.zst",
    "x.parquet",
    "x.json",
)
STARTS = (
    b"",
    b"text,label\n",
    b"a1|b\n",
    b"\x1f\x8b\x08\0",
    b"\x28\xb5\x2f\xfd",
    b"PAR1",
    b'"',
    b"\xef\xbb\xbf",
    b"0 0.5 ",
)


@given(st.binary(max_size=200), st.sampled_from(NAMES), st.sampled_from(STARTS))
def test_any_bytes_give_facts_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str, start: bytes
) -> None:
    folder = tmp_path_factory.mktemp("any")
    for path in (folder / name, folder / "train.de", folder / "data.yaml"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(start + data)
    path = str(folder / name)
    members = {"labels/a.txt": (path,), "train.en": (path, str(folder / "train.de"))}.get(name, ())
    form = {"labels/a.txt": "yolo-labels", "train.en": "parallel-text"}.get(name, "csv")
    recognise(Head.of(path))
    target = Target(path, "dataset", form, members=members, is_file=not members)
    try:
        survey = read(target, Settings(), rules_for("dataset"))
    except Unreadable:
        return
    for rule in rules_for("dataset"):
        if rule.judge is not None and all(survey.lacks(need) is None for need in rule.needs):
            _judged(rule, survey)


def _judged(rule: Any, survey: Any) -> None:
    with contextlib.suppress(StandDown):
        list(rule.judge(survey, rule.limits))


def files() -> Iterator[tuple[str, bytes]]:
    text = SECRET.encode()
    yield "train.csv", b'text,label,%b\n%b,0\n%b,1\n%b\n"%b,0\n' % (text, text, text, text, text)
    yield "metadata.csv", b"%b|%b\n%b|\n%b|%b|%b|%b\n" % ((text,) * 7)
    yield "train.src", b"%b\n\n%b\xff\n" % (text, text)
    yield "train.tgt", b"%b\n%b\n" % (text, text)
    yield "images/x.jpg", b"\xff\xd8"
    yield "labels/a.txt", b"0 0.5 0.5 0.1 0.1\n0 %b\n" % text
    yield "asr.json", b'{"audio_filepath": "%b", "duration": null, "text": "%b"}\n' % (text, text) * 2


def test_no_content_is_told(work: Path, command: Command) -> None:
    for name, content in files():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_bytes(content)
    for form in ("text", "json", "sarif", "markdown", "github"):
        answer = command("check", "--format", form)
        assert answer.code == 1, answer.err
        assert SECRET not in answer.out + answer.err


@pytest.mark.parametrize("name", ["train.csv", "metadata.csv", "train.src", "labels/a.txt"])
def test_a_file_that_changes_while_it_is_read_is_not_judged(
    work: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    from trainproof_ci.readers.dataset import labels, plain_lines, sides

    for other, content in files():
        (work / other).parent.mkdir(exist_ok=True)
        if other == name or (name == "train.src" and other == "train.tgt") or other.startswith("images"):
            (work / other).write_bytes(content)

    grew: list[int] = []

    def growing(module: Any, function: str) -> None:
        real = getattr(module, function)

        def grown(*arguments: Any, **options: Any) -> Any:
            if not grew:
                grew.append(1)
                with (work / name).open("ab") as file:
                    file.write(b"more\n")
            return real(*arguments, **options)

        monkeypatch.setattr(module, function, grown)

    growing(plain_lines.Ends, "take")
    growing(sides.Side, "_look")
    growing(labels.FolderDigest, "add")
    report = judged()
    assert {finding.rule for _, finding in report.findings} == {"TP-FILE-CHANGED-WHILE-READ"}


def quoted_rows(count: int) -> list[bytes]:
    return [b"q%d,a%d\n" % (number, number) for number in range(count)]


@pytest.mark.parametrize("at", [3, 1500, 2400])
@pytest.mark.parametrize("ends", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_a_broken_quote_costs_one_line_wherever_it_stands(at: int, ends: bytes) -> None:
    lines = quoted_rows(2500)
    lines[at] = b'q,"never closed\n'
    data = b"".join(line.replace(b"\n", ends) for line in lines)
    slow = rows_of(data, Dialect(","))
    quick = list(Rows(Physical(io.BytesIO(data)), Dialect(",")))
    assert [(row.fields, row.first) for row in quick] == [(row.fields, row.first) for row in slow]
    assert [row.first.number for row in quick if row.problem] == [at + 1]


def test_quotes_that_open_afresh_in_every_line_and_never_close_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LONGEST_ROW", 1 << 16)
    fed = 0

    def lines() -> Iterator[Line]:
        for number in range(20_000):
            yield line_of(b'a","b\n', number + 1, 6 * number)

    class Counting(Rows):
        def _fed(self) -> Iterator[str]:
            nonlocal fed
            for text in super()._fed():
                fed += 1
                yield text

    found = list(Counting(lines(), Dialect(",")))
    assert len(found) == 20_000
    assert all(row.problem for row in found)
    assert fed < 200_000  # each of the lines read to the end of the window would be 200 million


@pytest.mark.parametrize(
    "odd", [b"", b"q,NA\n", b'q,"two\nlines"\n', b"q,a,b\n", b"\n", b"q,\n", b"q,q\n", b"q,\x01\n"]
)
def test_many_rows_at_once_are_judged_as_row_by_row(work: Path, monkeypatch: pytest.MonkeyPatch, odd: bytes) -> None:
    lines = quoted_rows(3000)
    data = b"prompt,completion\n" + b"".join([*lines[:2000], odd, *lines[2000:], b"q7,a7\n"])
    (work / "a.csv").write_bytes(data)
    targets = find(["a.csv"], Settings())
    quick = render(check(targets, Settings()))
    monkeypatch.setattr(quick_rows.QuickRows, "run", lambda self, lines: None)
    assert render(check(targets, Settings())) == quick
