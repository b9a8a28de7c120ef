"""Held against torch itself: what it refuses is no PASS, what it loads unchanged is no FAIL, and the counts agree."""

import io
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checkpoint_files import checkpoint
from conftest import needs_module

from trainproof_ci.config import Settings
from trainproof_ci.discovery import Target, classify
from trainproof_ci.engine import judge
from trainproof_ci.model import Severity, TargetReport
from trainproof_ci.readers.checkpoint import read
from trainproof_ci.readers.checkpoint.torch_globals import WEIGHTS_ONLY

pytestmark = pytest.mark.filterwarnings("ignore")
UNSEEN = ("checksum", "overlap", "same name")
"""Damage that torch does not look for: its own reader loads such a file without a word."""


@pytest.fixture(scope="module")
def torch() -> Any:
    return needs_module("torch")


def saved(torch: Any, value: Any, **options: Any) -> bytes:
    out = io.BytesIO()
    torch.save(value, out, **options)
    return out.getvalue()


def judged(data: bytes, name: str = "m.pt") -> TargetReport:
    Path(name).write_bytes(data)
    target = classify(name, str(Path.cwd().resolve()), kind="checkpoint")
    assert target is not None
    return judge(target, Settings())


def loaded(torch: Any, name: str = "m.pt") -> Any:
    """What torch loads, flattened to plain values, or the error that it raises."""
    try:
        return plain(torch, torch.load(name, weights_only=True, map_location="cpu"))
    except Exception as error:  # noqa: BLE001 - whatever torch raises is a refusal
        return error


def plain(torch: Any, value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (
            str(value.dtype),
            tuple(value.shape),
            repr(
                value.int_repr() if value.is_quantized else value.tolist() if value.layout == torch.strided else value
            ),
        )
    if isinstance(value, dict):
        return [(repr(key), plain(torch, item)) for key, item in value.items()]
    return [plain(torch, item) for item in value] if isinstance(value, (list, tuple)) else repr(value)


def agrees(torch: Any, data: bytes, reference: Any) -> str:
    """The disagreement between our verdict and torch, empty where there is none."""
    report, theirs = judged(data), loaded(torch)
    if any(finding.rule == "TP-FILE-CRASHED" for finding in report.findings):
        return f"crashed: {report.findings[0].message}"
    if isinstance(theirs, Exception):
        return f"PASS, torch: {str(theirs)[:100]}" if report.verdict is Severity.PASS else ""
    fails = [finding.message for finding in report.findings if finding.severity is Severity.FAIL]
    if theirs == reference and any(not any(word in message for word in UNSEEN) for message in fails):
        return f"FAIL, loads unchanged: {fails}"
    return (
        f"PASS, loads other values: {str(theirs)[:100]}"
        if theirs != reference and report.verdict is Severity.PASS
        else ""
    )


def models(torch: Any) -> dict[str, Callable[[], Any]]:
    nn = torch.nn

    def trained() -> tuple[Any, Any]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Linear(5, 2))
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.randn(8, 6)).sum().backward()
        optimizer.step()
        return model, optimizer

    def with_optimizer() -> Any:
        model, optimizer = trained()
        return {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "epoch": 3,
            "rng": torch.get_rng_state(),
        }

    def tied() -> Any:
        embedding, head = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        head.weight = embedding.weight
        return nn.ModuleDict({"embedding": embedding, "head": head}).state_dict()

    def quantised() -> Any:
        scales, zeros = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([0, 0, 0])
        return {
            "tensor": torch.quantize_per_tensor(torch.randn(4, 4), 0.1, 0, torch.qint8),
            "channel": torch.quantize_per_channel(torch.randn(3, 4), scales, zeros, 0, torch.qint8),
        }

    def early_stopping() -> Any:
        model, optimizer = trained()
        callbacks = {"EarlyStopping": {"best_score": torch.tensor(math.inf)}}
        return {
            "epoch": 1,
            "pytorch-lightning_version": "2.6.0",
            "state_dict": model.state_dict(),
            "callbacks": callbacks,
            "optimizer_states": [optimizer.state_dict()],
            "lr_schedulers": [],
        }

    dtypes = ("bfloat16", "float16", "complex64", "int8", "bool", "float8_e4m3fn", "uint16", "float64")
    return {
        "plain": lambda: dict(trained()[0].state_dict()),
        "optimizer": with_optimizer,
        "half": lambda: {key: value.half() for key, value in trained()[0].state_dict().items()},
        "quantised": quantised,
        "tied": tied,
        "lightning": early_stopping,
        "parameter": lambda: {"p": nn.Parameter(torch.ones(2, 2)), "size": torch.Size([1, 2]), "big": 10**30, "set": {1}},
        "sparse": lambda: {"coo": torch.eye(3).to_sparse(), "csr": torch.eye(3).to_sparse_csr()},
        "views": lambda: {"t": torch.arange(12.0).view(3, 4).t(), "step": torch.arange(12.0)[2:8:2], "wide": torch.ones(1).expand(5, 5)},
        "dtypes": lambda: {name: torch.zeros(3, dtype=getattr(torch, name)) for name in dtypes},
        "nothing": dict,
        "one tensor": lambda: torch.tensor(3.0),
    }  # fmt: skip


KINDS = (
    "plain",
    "optimizer",
    "half",
    "quantised",
    "tied",
    "lightning",
    "parameter",
    "sparse",
    "views",
    "dtypes",
    "nothing",
    "one tensor",
)


@pytest.mark.parametrize("kind", KINDS)
def test_real_checkpoints_pass_whole_and_never_cut(torch: Any, work: Path, kind: str) -> None:
    data = saved(torch, models(torch)[kind]())
    report = judged(data)
    assert report.verdict is Severity.PASS, report.findings
    reference = loaded(torch)
    assert not isinstance(reference, Exception)
    for cut in {len(data) * part // 50 for part in range(50)} | {len(data) - 1, len(data) - 22, len(data) - 98}:
        assert not agrees(torch, data[:cut], reference), cut
    del work


@pytest.mark.parametrize("crc", [True, False])
def test_flipped_bits(torch: Any, work: Path, crc: bool) -> None:
    from torch.utils.serialization import config

    config.save.compute_crc32 = crc
    try:
        data = saved(torch, {"w": torch.tensor([[1.0, 2.0], [3.0, 4.0]]), "b": torch.zeros(2)})
    finally:
        config.save.compute_crc32 = True
    reference = (judged(data), loaded(torch))[1]
    directory = data.find(b"PK\x01\x02")
    places = [*range(0, directory, 23), *range(directory, len(data), 3)]
    flipped = {
        place: agrees(torch, data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :], reference)
        for place in places
    }
    assert not {place: why for place, why in flipped.items() if why}
    del work


def test_more_entries_than_the_short_end_record_can_count(torch: Any, work: Path) -> None:
    data = checkpoint(members={f"extra/{number}": "" for number in range(66_000)})
    assert judged(data).verdict is Severity.PASS
    assert not isinstance(loaded(torch), Exception)
    assert not agrees(torch, data[:-40], None)
    del work


def test_counts_are_those_of_torch(torch: Any, work: Path) -> None:
    torch.manual_seed(1)
    values: dict[str, Any] = {}
    for name in ("float32", "float64", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn"):
        tensor = torch.randn(40, 50).clamp(-3, 3)
        tensor[torch.rand(40, 50) < 0.1] = math.nan
        if name != "float8_e4m3fn":
            tensor[torch.rand(40, 50) < 0.05] = -math.inf
        values[name] = tensor.to(getattr(torch, name))
    values["turned"] = values["float32"].t()
    values["part"] = values["float32"][3:17, 5:40:3]
    values["fine"], values["dead"] = torch.randn(5, 5), torch.zeros(3, 4)
    Path("m.pt").write_bytes(saved(torch, values))
    facts = read(Target("m.pt", "checkpoint", "torch-zip"), Settings(), ())
    weights = facts.files[0].weights
    assert weights is not None
    counted = {bad.tensor.name: (bad.nan, bad.infinite) for bad in weights.bad}
    back = {name: tensor.to(torch.float64) for name, tensor in torch.load("m.pt").items()}
    theirs = {name: (int(tensor.isnan().sum()), int(tensor.isinf().sum())) for name, tensor in back.items()}
    assert counted == {name: found for name, found in theirs.items() if any(found)}
    assert {tensor.name for tensor in weights.dead} == {
        name for name, tensor in back.items() if not tensor.count_nonzero()
    }
    del work


def test_the_names_that_weights_only_takes(torch: Any) -> None:
    from torch._weights_only_unpickler import _get_allowed_globals

    ours = {name for name in WEIGHTS_ONLY if not name.startswith("torch.cuda.sparse")}
    theirs = {name for name in _get_allowed_globals() if not name.startswith("torch.cuda.sparse")}
    assert theirs - ours == set()
    assert all(
        name in theirs
        for name in ours
        if not name.startswith(("torch.cuda", "torch.sparse")) and hasattr(torch, name.rsplit(".")[-1])
    )


def test_whole_models_and_numpy_are_told_apart(torch: Any, work: Path) -> None:
    numpy = needs_module("numpy")
    model = judged(saved(torch, torch.nn.Linear(2, 2)))
    assert [(finding.rule, finding.severity) for finding in model.findings] == [
        ("TP-CKPT-UNSAFE-GLOBAL", Severity.WARN)
    ]
    scalar = judged(saved(torch, {"w": torch.ones(2), "best": numpy.float64(1.5), "array": numpy.arange(3)}))
    assert [(finding.rule, finding.severity) for finding in scalar.findings] == [
        ("TP-CKPT-UNSAFE-GLOBAL", Severity.NOTE)
    ]
    later = judged(saved(torch, {"w": torch.ones(2)}, pickle_protocol=4))
    assert later.verdict is Severity.WARN
    del work


def test_a_distributed_checkpoint(torch: Any, work: Path) -> None:
    needs_module("torch.distributed.checkpoint")
    import torch.distributed.checkpoint as dcp

    dcp.save({"w": torch.ones(8, 8)}, checkpoint_id="run", no_dist=True)
    from trainproof_ci.discovery import find
    from trainproof_ci.engine import check

    assert check(find(["."], Settings()), Settings()).verdict is Severity.PASS
    piece = next(work.glob("run/*.distcp"))
    whole = piece.read_bytes()
    piece.write_bytes(whole[: len(whole) // 2])
    assert check(find(["."], Settings()), Settings()).verdict is Severity.FAIL
    piece.write_bytes(whole)
    (work / "run" / ".metadata").unlink()
    assert check(find(["."], Settings()), Settings()).verdict is Severity.FAIL


def test_the_oracle_is_of_this_interpreter(torch: Any) -> None:
    assert torch.__version__
    assert sys.byteorder == "little"
