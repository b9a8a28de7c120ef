"""Event files of the real writers, against TensorBoard's own reader: tags, counts, steps and values exactly."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import needs_module

from trainproof_ci.readers.run.tfevents_scan import Column, Scan

Points = dict[str, list[tuple[int, str]]]


def ours(path: Path) -> Points:
    columns: dict[bytes, Column] = {}
    with path.open("rb") as file:
        scan = Scan(file, path.stat().st_size, None, columns)
        scan.run()
    assert (scan.bad, scan.cut) == ([], None)
    return {
        tag.decode(): [(int(step), float(value).hex()) for step, value in zip(column.steps, column.values, strict=True)]
        for tag, column in columns.items()
    }


def theirs(path: Path) -> Points:
    accumulator = needs_module("tensorboard.backend.event_processing.event_accumulator")
    make_ndarray = needs_module("tensorboard.util.tensor_util").make_ndarray
    loaded = accumulator.EventAccumulator(
        str(path), size_guidance={"scalars": 0, "tensors": 0}, purge_orphaned_data=False
    )
    loaded.Reload()
    found = {tag: [(e.step, float(e.value).hex()) for e in loaded.Scalars(tag)] for tag in loaded.Tags()["scalars"]}
    for tag in loaded.Tags()["tensors"]:
        arrays = [(e.step, make_ndarray(e.tensor_proto)) for e in loaded.Tensors(tag)]
        if all(array.size == 1 and array.dtype.kind in "fiubV" for _, array in arrays):
            found[tag] = [(step, float(array.reshape(())).hex()) for step, array in arrays]
    return found


def event_file_below(folder: Path) -> Path:
    (path,) = folder.rglob("*tfevents*")
    return path


@pytest.mark.parametrize("new_style", [False, True])
def test_torch_summary_writer(tmp_path: Path, new_style: bool) -> None:
    needs_module("torch")
    tensorboard = needs_module("torch.utils.tensorboard")
    numpy = needs_module("numpy")
    writer = tensorboard.SummaryWriter(str(tmp_path))
    for step in (0, 1, 2, 127, 128, 300, 20_000, 3_000_000, 1 << 40):
        for tag in ("train/loss", "lr", "val/loss with a blank"):
            writer.add_scalar(tag, 1 / (step + len(tag)), step, new_style=new_style)
        writer.add_scalar("not finite", float("nan") if step % 2 else float("inf"), step, new_style=new_style)
        writer.add_histogram("weights", numpy.arange(10.0), step)
        writer.add_text("notes", "some text", step)
    writer.close()
    path = event_file_below(tmp_path)
    assert ours(path) == theirs(path)
    assert len(ours(path)) == 4


@pytest.mark.filterwarnings("ignore")
def test_lightning_tensorboard_logger(tmp_path: Path) -> None:
    loggers = needs_module("lightning.pytorch.loggers")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger = loggers.TensorBoardLogger(str(tmp_path), name="run")
        for step in range(0, 600, 50):
            logger.log_metrics({"train_loss_step": 3.0 - step / 300, "epoch": step // 100, "lr-AdamW": 1e-3}, step)
        logger.finalize("success")
    path = event_file_below(tmp_path)
    assert ours(path) == theirs(path)
    assert set(ours(path)) == {"train_loss_step", "epoch", "lr-AdamW"}


def tensor_summaries(numpy: Any, types_pb2: Any) -> list[Any]:
    """Tensors of one element in every way that TensorFlow and TensorBoard write a number."""
    tensor_pb2 = needs_module("tensorboard.compat.proto.tensor_pb2")
    shape = needs_module("tensorboard.compat.proto.tensor_shape_pb2").TensorShapeProto
    made = []
    for name, dtype in (
        ("DT_FLOAT", "float32"), ("DT_DOUBLE", "float64"), ("DT_HALF", "float16"), ("DT_INT32", "int32"),
        ("DT_INT64", "int64"), ("DT_INT16", "int16"), ("DT_INT8", "int8"), ("DT_UINT8", "uint8"), ("DT_UINT16", "uint16"),
    ):  # fmt: skip
        content = numpy.array(3.25, dtype=dtype).tobytes()
        made.append(
            tensor_pb2.TensorProto(dtype=getattr(types_pb2, name), tensor_content=content, tensor_shape=shape())
        )
    one = shape(dim=[shape.Dim(size=1)])
    made += [
        tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=[0.1], tensor_shape=shape()),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_DOUBLE, double_val=[0.1], tensor_shape=shape()),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_INT32, int_val=[-7], tensor_shape=one),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_INT64, int64_val=[1 << 40], tensor_shape=one),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_HALF, half_val=[0x3E00], tensor_shape=shape()),
        tensor_pb2.TensorProto(dtype=types_pb2.DT_BOOL, bool_val=[True], tensor_shape=shape()),
    ]
    return made


def test_tensor_summaries_of_every_numeric_type(tmp_path: Path) -> None:
    event_pb2 = needs_module("tensorboard.compat.proto.event_pb2")
    summary_pb2 = needs_module("tensorboard.compat.proto.summary_pb2")
    writer = needs_module("tensorboard.summary.writer.event_file_writer").EventFileWriter(str(tmp_path))
    numpy = needs_module("numpy")
    scalars = summary_pb2.SummaryMetadata(plugin_data={"plugin_name": "scalars"})
    tensors = tensor_summaries(numpy, needs_module("tensorboard.compat.proto.types_pb2"))
    for step in range(5):
        for number, tensor in enumerate(tensors):
            metadata = scalars if number % 2 else None
            value = summary_pb2.Summary.Value(tag=f"tag{number}", tensor=tensor, metadata=metadata)
            writer.add_event(event_pb2.Event(wall_time=1.0, step=step, summary=summary_pb2.Summary(value=[value])))
    writer.close()
    path = event_file_below(tmp_path)
    assert ours(path) == theirs(path)
    assert len(ours(path)) == len(tensors)


def test_tensorboards_own_scalar_summary(tmp_path: Path) -> None:
    summary = needs_module("tensorboard.plugins.scalar.summary_v2")
    event_pb2 = needs_module("tensorboard.compat.proto.event_pb2")
    writer = needs_module("tensorboard.summary.writer.event_file_writer").EventFileWriter(str(tmp_path))
    for step in range(20):
        written = summary.scalar_pb("loss", 2.0 / (step + 1)) if step % 2 else summary.scalar_pb("accuracy", step / 20)
        writer.add_event(event_pb2.Event(wall_time=2.0, step=step, summary=written))
    writer.close()
    path = event_file_below(tmp_path)
    assert ours(path) == theirs(path)
