"""YOLO labels: which files are some, where their classes and key points are told, and what is wrong with a damaged one."""

from pathlib import Path

import pytest

from trainproof_ci.config import Settings
from trainproof_ci.discovery import find
from trainproof_ci.engine import check
from trainproof_ci.model import Report, Severity

IMAGE = "\x89PNG"
BOX = "0 0.5 0.5 0.2 0.2\n"
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d' * 32}\nsize 300\n"
POSE = "0 0.5 0.5 0.2 0.2 0.4 0.4 2 0.6 0.6 1\n"
EVEN_POSE = "0 0.5 0.5 0.2 0.2 0.4 0.4 2 0.6 0.6 1 0 0 0\n"


def judged(files: dict[str, str]) -> Report:
    for name, content in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, encoding="utf-8")
    return check(find(["."], Settings()), Settings())


def found(report: Report) -> dict[str, tuple[str, int | None]]:
    return {finding.rule: (finding.location.path, finding.location.line) for _, finding in report.findings}


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("0,0.5,0.5,0.2,0.2\n", "TP-YOLO-COLUMNS"),
        ("0 0,5 0,5 0,2 0,2\n", "TP-YOLO-COLUMNS"),
        ("cup 0.5 0.5 0.2 0.2\n", "TP-YOLO-COLUMNS"),
        ("<!DOCTYPE html>\n<p>Not found</p>\n", "TP-FILE-NOT-DATA"),
        ("\ufeff" + BOX, "TP-ENC-BOM"),
        ("<<<<<<< HEAD\n" + BOX + "=======\n1 0.5 0.5 0.2 0.2\n>>>>>>> theirs\n", "TP-FILE-CONFLICT"),
        (POINTER, "TP-FILE-LFS-POINTER"),
    ],
    ids=["commas", "decimal commas", "a name", "a page", "a mark", "a conflict", "a pointer"],
)
@pytest.mark.parametrize("image", [True, False])
def test_a_damaged_label_file_is_not_passed_over(work: Path, row: str, rule: str, image: bool) -> None:
    files = {"images/train/b.png": IMAGE, "labels/train/a.txt": row, "labels/train/b.txt": BOX}
    report = judged(files | ({"images/train/a.png": IMAGE} if image else {}))
    if image or not row.startswith("<!"):
        assert found(report) == {rule: ("labels/train/a.txt", 1)}
        assert report.targets[0].facts["files"] == 2
    else:
        assert found(report) == {}


def test_other_label_files_are_judged_beside_a_pointer(work: Path) -> None:
    report = judged({"images/a.png": IMAGE, "labels/a.txt": POINTER, "labels/b.txt": "0 1.5 0.5 0.2 0.2\n"})
    assert set(found(report)) == {"TP-FILE-LFS-POINTER", "TP-YOLO-BOUNDS"}
    (work / "labels/b.txt").unlink()
    assert {finding.severity for _, finding in judged({}).findings} == {Severity.NOT_CHECKED}


@pytest.mark.parametrize(
    "others",
    [
        {"labels/a.txt": "Car 0.0 0 -1.5 614.2 181.7 727.3 284.7 1.5 1.7 3.8 1.0 1.7 13.2 -1.6\n"},
        {"labels/a.txt": "377,117,463,117,465,130,378,130,Theatre\n", "images/a.png": IMAGE},
        {"labels/b.txt": BOX, "labels/about.txt": "Drawn by two people in 3 weeks.\n"},
        {"labels/b.txt": BOX, "labels/count.txt": "3\n"},
    ],
    ids=["another format", "with its image", "prose", "a count"],
)
def test_other_texts_are_no_labels(work: Path, others: dict[str, str]) -> None:
    report = judged({"images/b.png": IMAGE, **others})
    assert {rule for rule in found(report) if rule.startswith("TP-YOLO")} == set()


def test_what_a_model_wrote_with_its_confidence_is_no_dataset(work: Path) -> None:
    predicted = {f"{folder}/labels/a.txt": "0 0.5 0.5 0.2 0.2 0.93\n" for folder in ("output", "runs/predict2")}
    report = judged(
        {"data.yaml": "nc: 1\nnames: [cup]\n", "train/images/b.png": IMAGE, "train/labels/b.txt": BOX, **predicted}
    )
    assert [target.path for target in report.targets] == ["train/labels"]
    assert report.verdict is Severity.PASS
    assert set(found(judged({"output/images/a.png": IMAGE}))) == {"TP-YOLO-COLUMNS"}


@pytest.mark.parametrize("name", ["data.yaml", "cups-pose.yaml", "config.yml"])
@pytest.mark.parametrize("folder", ["", "sets/"])
def test_key_points_and_classes_are_told_by_yaml_that_leads_to_the_images(work: Path, name: str, folder: str) -> None:
    said = "path: sets\n" if folder else "path: D:/cups\n"
    said += "train: images/train\nval: images/val\nkpt_shape: [2, 3]\nnames:\n  0: cup\n"
    files = {name: said, f"{folder}images/train/a.png": IMAGE, f"{folder}labels/train/a.txt": POSE}
    assert found(judged(files)) == {}
    assert set(found(judged({f"{folder}labels/train/a.txt": "1 0.5 0.5 0.2 0.2\n"}))) == {"TP-YOLO-COLUMNS"}
    assert set(found(judged({f"{folder}labels/train/a.txt": "1" + POSE[1:]}))) == {"TP-YOLO-CLASS"}


@pytest.mark.parametrize("row", [POSE, EVEN_POSE, "0 0.5 0.5 0.2 0.2\n"])
def test_yaml_of_another_dataset_says_nothing(work: Path, row: str) -> None:
    other = "path: D:/people\ntrain: images/train\nkpt_shape: [17, 3]\nnames: [person]\n"
    files = {
        "people-pose.yaml": other,
        "model.yaml": "nc: 1\nkpt_shape: [17, 3]\nbackbone: []\n",
        "broken.yml": "a: [\n",
    }
    assert found(judged({**files, "data/images/a.png": IMAGE, "data/labels/a.txt": row.replace("0 ", "3 ", 1)})) == {}


def test_of_two_that_lead_to_the_images_counts_what_they_agree_on(work: Path) -> None:
    files = {f"{n}.yaml": f"train: images\nnc: {n}\nkpt_shape: [2, 3]\n" for n in (1, 4)}
    assert found(judged({**files, "images/a.png": IMAGE, "labels/a.txt": "3" + POSE[1:]})) == {}
    assert set(found(judged({"labels/a.txt": "3 0.5 0.5 0.2 0.2\n"}))) == {"TP-YOLO-COLUMNS"}


@pytest.mark.parametrize(
    ("row", "rules"),
    [
        (POSE, set()),
        (EVEN_POSE, set()),
        (POSE.replace("0.5", "1.5", 1), {"TP-YOLO-BOUNDS"}),
        (POSE.replace(" 2 ", " 3 "), {"TP-YOLO-BOUNDS"}),
        (EVEN_POSE.replace(" 2 ", " 0.3 "), {"TP-YOLO-COLUMNS"}),
        ("0 0.1 0.1 0.4 0.1 0.4 0.5 0.1 0.5 0.2 0.3\n", set()),
        ("0 0.1 0.1 0.4 0.1 0.4 0.5 0.1\n", {"TP-YOLO-COLUMNS"}),
    ],
    ids=["odd", "even", "a box outside", "no such sight", "a number too few", "polygon", "cut polygon"],
)
def test_key_points_that_nothing_tells_of_are_known_by_how_well_each_is_seen(
    work: Path, row: str, rules: set[str]
) -> None:
    assert set(found(judged({"images/a.png": IMAGE, "labels/a.txt": row}))) == rules


def test_nc_and_names_must_agree(work: Path) -> None:
    files = {"images/a.png": IMAGE, "labels/a.txt": BOX}
    report = judged({"data.yaml": "train: images\nnc: 3\nnames: [cup, spoon]\n", **files})
    assert found(report) == {"TP-YOLO-CLASS": ("data.yaml", 2)}
    assert found(judged({"data.yaml": "train: images\nnc: 2\nnames: {0: cup, 1: spoon}\n"})) == {}


HERE = {"images/train/a.png": IMAGE, "labels/train/a.txt": BOX, "labels/train/b.txt": BOX}
HTML = "<!DOCTYPE html>\n<p>Not found</p>\n"
SPLITS = "train: images/train\nval: images/train\n"
CONFLICT = SPLITS + "<<<<<<< HEAD\nnames: [cup]\n=======\nnames: [cup, spoon]\n>>>>>>> theirs\n"


@pytest.mark.parametrize("top", ["", "sets/"])
@pytest.mark.parametrize(
    ("said", "rule", "line"),
    [
        (CONFLICT, "TP-FILE-CONFLICT", 3),
        (SPLITS + "names: [cup\n", "TP-YOLO-CLASS", 4),
        (SPLITS + "nc: 1\n\tnames: [cup]\n", "TP-YOLO-CLASS", 4),
        ("", "TP-YOLO-CLASS", 1),
        ("# names: [cup]\n", "TP-YOLO-CLASS", 1),
        (SPLITS, "TP-YOLO-CLASS", 1),
        (SPLITS + "names:\n", "TP-YOLO-CLASS", 1),
        (POINTER, "TP-FILE-LFS-POINTER", 1),
    ],
    ids=["a conflict", "cut", "a tab", "empty", "a comment", "no classes", "no names", "a pointer"],
)
def test_a_broken_yaml_of_the_dataset_is_told(work: Path, said: str, rule: str, line: int, top: str) -> None:
    said = said if not top else said.replace("train: images", "path: sets\ntrain: images")
    line += top != "" and line > 1
    report = judged({"data.yaml": said, **{top + name: content for name, content in HERE.items()}})
    assert found(report) == {rule: ("data.yaml", line)}
    expected = Severity.NOT_CHECKED if rule == "TP-FILE-LFS-POINTER" else Severity.FAIL
    assert {finding.severity for _, finding in report.findings} == {expected}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("data.yaml", SPLITS + "names: &all [cup]\nothers: *all\n"),
        ("data.yaml", SPLITS + "nc:\t1\nnames:\t[cup,\tspoon]\n".replace("1", "2")),
        ("data.yaml", SPLITS + "num_classes: 1\n"),
        ("data.yaml", SPLITS + "names: cups.names\n"),
        ("data.yaml", "train: other/train\nval: other/val\n"),
        ("data.yaml", "---\n" + SPLITS + "---\nnames: [cup]\n"),
        ("../dataset.yaml", "a: [\n"),
        ("../dataset.yaml", CONFLICT),
        ("../data.yaml", "- a list\n"),
        ("cups.yaml", "a: [\n"),
        ("cups.yaml", SPLITS),
    ],
)
def test_yaml_that_others_may_read_is_no_fault(
    work: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    judged({f"sets/{path}": content for path, content in HERE.items()})
    assert found(judged({f"sets/{name}": said})) == {}


def test_classes_that_another_file_tells_are_enough_unless_there_is_a_conflict(work: Path) -> None:
    files = {**HERE, "cups.yaml": SPLITS + "names: [cup]\n", "labels/train/b.txt": "1" + BOX[1:]}
    report = judged({"data.yaml": "", **files})
    assert found(report) == {"TP-YOLO-CLASS": ("labels/train/b.txt", 1)}
    assert found(judged({"data.yaml": POINTER})) == found(report)
    assert found(judged({"data.yaml": CONFLICT})) == {**found(report), "TP-FILE-CONFLICT": ("data.yaml", 3)}


@pytest.mark.parametrize("folder", ["", "labels/", "labels/train/"])
def test_classes_in_plain_text_count_where_no_yaml_tells_any(work: Path, folder: str) -> None:
    files = {**HERE, "labels/train/b.txt": "2" + BOX[1:], f"{folder}classes.txt": "cup\nspoon\n"}
    report = judged(files)
    assert found(report) == {"TP-YOLO-CLASS": ("labels/train/b.txt", 1)}
    assert report.verdict is Severity.WARN
    for text in ("cup\nspoon\nfork", "cup, spoon\n", HTML, POINTER, ""):
        assert found(judged({f"{folder}classes.txt": text})) == {}
    assert found(judged({"data.yaml": "nc: 3\n", f"{folder}classes.txt": "cup\nspoon\n"})) == {}


@pytest.mark.parametrize(
    ("point", "told", "untold"),
    [
        ("0.4 1.7 2", True, True),
        ("-0.7 0.4 1", True, True),
        ("0.4 1.7 0", True, False),
        ("0.4 1.005 2", False, False),
        ("0.4 -0.005 2", False, False),
        ("0.4 0.4 2", False, False),
    ],
)
def test_key_points_lie_inside_the_image(work: Path, point: str, told: bool, untold: bool) -> None:
    row = f"0 0.5 0.5 0.2 0.2 {point} 0.6 0.6 1\n"
    rules = {"TP-YOLO-BOUNDS"}
    assert set(found(judged({**HERE, "labels/train/a.txt": row}))) == (rules if untold else set())
    said = SPLITS + "kpt_shape: [2, 3]\nnames: [cup]\n"
    assert set(found(judged({"data.yaml": said, "labels/train/b.txt": ""}))) == (rules if told else set())


def test_key_points_of_two_numbers_lie_inside_the_image(work: Path) -> None:
    said = SPLITS + "kpt_shape: [2, 2]\nnames: [cup]\n"
    rows = {"labels/train/a.txt": "0 0.5 0.5 0.2 0.2 0.1 0.1 0.9 1.2\n", "labels/train/b.txt": ""}
    assert found(judged({**HERE, "data.yaml": said, **rows})) == {"TP-YOLO-BOUNDS": ("labels/train/a.txt", 1)}


def test_a_label_file_that_is_no_text(work: Path) -> None:
    judged({**HERE, "images/train/b.png": IMAGE, "images/train/c.png": IMAGE, "labels/train/c.txt": HTML})
    (work / "labels/train/b.txt").write_bytes((BOX * 3).encode("utf-16"))
    report = judged({"labels/train/d.txt": POINTER})
    assert found(report) == {
        "TP-ENC-UTF16": ("labels/train/b.txt", 1),
        "TP-FILE-NOT-DATA": ("labels/train/c.txt", 1),
        "TP-FILE-LFS-POINTER": ("labels/train/d.txt", 1),
    }
    assert report.verdict is Severity.FAIL


@pytest.mark.parametrize("content", [HTML, "", " \n"])
def test_an_image_that_is_none(work: Path, content: str) -> None:
    report = judged({**HERE, "images/train/b.png": content, "images/train/notes.txt": ""})
    assert found(report) == {"TP-FILE-NOT-DATA": ("images/train/b.png", 1)}
    assert report.targets[0].facts["images"] == 2


def test_an_image_that_is_not_here(work: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "c.png"
    outside.write_text(HTML)
    judged({**HERE, "images/train/b.png": POINTER})
    (work / "images/train/c.png").symlink_to(outside)
    report = judged({})
    assert found(report) == {}
    assert report.targets[0].facts["images"] == 1
