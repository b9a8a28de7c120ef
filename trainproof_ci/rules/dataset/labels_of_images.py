"""YOLO labels: what ultralytics refuses, drops or warns about when it caches a dataset."""

from collections.abc import Iterator

from trainproof_ci.model import Firing, Severity
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.sighted import fired


@rule("TP-YOLO-COLUMNS", Severity.FAIL, needs=("yolo",))
def wrong_columns(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A row is neither a box, a polygon nor a set of key points.

    Why: a box has 5 numbers, a polygon a class and at least 3 points, key points as many as `kpt_shape` says; where
    nothing says it, a box and any number of points with 0, 1 or 2 after each. The loader calls the whole image
    corrupt and leaves it out.
    Fix: write the row again; commas and missing numbers are the usual cause.
    """
    yield from fired(
        data,
        "yolo-columns",
        "a row has a number of columns that no label has",
        "{first} in the first of {n} rows",
        "5, odd from 7, or as many as key points take",
    )
    yield from fired(data, "yolo-number", "a row holds something that is no number", "{n} rows", "finite numbers")
    yield from fired(
        data, "yolo-large", "a label file is too large to be one", "{first}", "≤ 16777216 bytes", Severity.NOT_CHECKED
    )


@rule("TP-YOLO-CLASS", Severity.FAIL, needs=("yolo",))
def wrong_class(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A class is not one of those that `data.yaml` has, or that file does not tell which it has.

    Why: "label class 2 exceeds nc 2": the loader drops the image, or the loss indexes out of bounds on the GPU. Where
    `nc` and `names` differ or both are missing, or the file is no YAML, training does not begin. A class that is only
    missing in a `classes.txt`, where no `data.yaml` tells any, is a warning: annotation tools write that list.
    Fix: classes count from 0 to nc - 1; correct the label or `nc` and `names`.
    """
    yield from fired(data, "yolo-yaml", "the YAML of the dataset tells no classes", "{first}", "names, or nc")
    yield from fired(data, "yolo-names", "nc and names tell different numbers of classes", "{first}", "nc = names")
    classes = data.extra.get("classes")
    limit = f"0 to {classes - 1}" if isinstance(classes, int) else "whole numbers from 0"
    yield from fired(
        data, "yolo-class", "a class that the dataset does not have", "{first} in the first of {n} rows", limit
    )
    yield from fired(
        data,
        "yolo-unlisted",
        "a class that classes.txt does not list",
        "{first}, in the first of {n} rows",
        "a line for each class",
        Severity.WARN,
    )


@rule("TP-YOLO-BOUNDS", Severity.FAIL, needs=("yolo",))
def out_of_bounds(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A coordinate lies outside 0 … 1, or a box has no area.

    Why: coordinates are parts of the image's width and height; pixels or negative values make the loader drop the
    image, also those of a key point that is not seen. Rounding up to 0.01 beyond is let through, as ultralytics does.
    Fix: divide by width and height, and clip at the border.
    """
    yield from fired(
        data, "yolo-bounds", "a coordinate lies outside the image", "{first} in the first of {n} rows", "0 to 1"
    )


@rule("TP-YOLO-DUP", Severity.WARN, needs=("yolo",))
def row_twice(data: Survey, limits: Limits) -> Iterator[Firing]:
    """A label file holds the same row twice.

    Why: the object counts double in the loss; the loader removes the copy with a warning.
    Fix: remove the row.
    """
    yield from fired(data, "yolo-twice", "the same row stands in a label file twice", "{n} rows", "each object once")
