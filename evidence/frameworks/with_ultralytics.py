"""Ultralytics: results.csv of a YOLO trained from its YAML, without any download."""

import pathlib
import shutil

import task

PACKAGES = ("ultralytics", "torch", "torchvision")
FAULTS = ("healthy", "no-rate")
CONSOLE_IS_LOG = ()  # its bars are redrawn by the terminal's codes and tell the same numbers
DATA = "24 pictures of a white box on grey noise (with_ultralytics.py)"


def run(folder: pathlib.Path, fault: task.Fault) -> None:
    """Twenty epochs over a handful of generated pictures."""
    import numpy
    from PIL import Image

    made = numpy.random.default_rng(task.SEED)
    for split, count in (("train", 16), ("val", 8)):
        for kind in ("images", "labels"):
            pathlib.Path("data", kind, split).mkdir(parents=True)
        for index in range(count):
            picture = made.integers(90, 130, (64, 64, 3), dtype=numpy.uint8)
            left, top, size = made.integers(4, 30), made.integers(4, 30), made.integers(16, 30)
            picture[top : top + size, left : left + size] = 255
            Image.fromarray(picture).save(f"data/images/{split}/{index}.png")
            box = ((left + size / 2) / 64, (top + size / 2) / 64, size / 64, size / 64)
            pathlib.Path(f"data/labels/{split}/{index}.txt").write_text("0 " + " ".join(f"{x:.5f}" for x in box) + "\n")
    data = pathlib.Path("data.yaml")
    data.write_text(f"path: {pathlib.Path('data').resolve()}\ntrain: images/train\nval: images/val\nnames: {{0: box}}\n")
    from ultralytics import YOLO

    YOLO("yolov8n.yaml").train(
        data=str(data), epochs=20, imgsz=64, batch=8, device="cpu", workers=0, plots=False, amp=False, seed=task.SEED,
        lr0=fault.rate / 2, project="runs", name="line", verbose=False, val=True, optimizer="SGD",
        warmup_epochs=3.0 if fault.rate else 0.0,  # warming up, it gives the biases a rate of their own
    )  # fmt: skip
    (results,) = pathlib.Path().rglob("results.csv")
    shutil.copyfile(results, folder / "results.csv")
