"""What a file is, by its bytes: a `.bin` that is no checkpoint is none, and a checkpoint by any name is one."""

import struct
from pathlib import Path

import pytest
from checkpoint_files import checkpoint, safetensors

from trainproof_ci.readers.checkpoint.formats import recognise
from trainproof_ci.readers.source import Head

WHOLE = checkpoint()
FILES = {
    "model.pt": (WHOLE, "torch-zip"),
    "pytorch_model.bin": (WHOLE, "torch-zip"),
    "weights": (WHOLE, "torch-zip"),
    "renamed.dat": (safetensors(), "safetensors"),
    "model.safetensors": (b"", "empty"),
    "empty.pth": (b"", "empty"),
    "prefixed.pt": (bytes(5000) + WHOLE, "torch-zip"),
    "flipped.pt": (bytes([WHOLE[0] ^ 1]) + WHOLE[1:], "torch-zip"),
    "zeros.ckpt": (bytes(4096), "zeros"),
    "page.pt": (b"<!DOCTYPE html><html></html>", "html"),
    "firmware.bin": (bytes(range(256)) * 8, None),
    "blank.bin": (bytes(64), None),
    "embeddings.bin": (struct.pack("<256f", *range(256)), None),
    "data.zip": (b"PK\x03\x04" + bytes(26) + b"readme", None),
    "notes.txt": (b"PK is how a ZIP begins\n", None),
    "model.gguf": (b"GGUF" + bytes(20), "gguf"),
    "table.h5": (b"\x89HDF\r\n\x1a\n" + bytes(20), None),
    "model.h5": (b"\x89HDF\r\n\x1a\n" + bytes(20), "hdf5"),
    "array.npy": (b"\x93NUMPY\x01\x00", None),
    "easy-install.pth": (b"./six-1.17.0-py3.11.egg\n", None),
    "distutils-precedence.pth": (b"import os; var = 'X'\n", None),
    "words.pt": (b"bom dia\n", "text"),
    "model.safetensors.index.json": (b'{"weight_map": {}}', "hf-index"),
    "cut.safetensors.index.json": (b'{"metadata": {"tot', "hf-index"),
    "model.safetensors.index.fp16.json": (b"", "hf-index"),
    ".metadata": (b"\x80\x02ctorch.distributed.checkpoint.metadata\nMetadata\n", "torch-dcp"),
    "run/.metadata": (b"{}", None),
    "other.index.json": (b'{"routes": {}}', None),
    "state.pkl": (b"\x80\x04K\x01.", None),
}


@pytest.mark.parametrize("name", FILES)
def test_recognised_by_content(work: Path, name: str) -> None:
    data, expected = FILES[name]
    (work / "run").mkdir()
    (work / name).write_bytes(data)
    assert recognise(Head.of(name)) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_document_in_portuguese_is_no_checkpoint(work: Path, encoding: str) -> None:
    lines = "".join(f"A lição número {number} começa aqui.\n" for number in range(6))
    (work / "tutor.pt").write_bytes(lines.encode(encoding))
    assert recognise(Head.of("tutor.pt")) is None
    for answer in (b"Entry not found", b'{\n "error": "not found",\n "status": 404\n}\n', lines.encode() + b"\0\1\2\3"):
        (work / "model.pt").write_bytes(answer)
        assert recognise(Head.of("model.pt")) is not None


def test_parallel_text_in_portuguese_is_no_checkpoint(work: Path) -> None:
    (work / "train.pt").write_text("bom dia\n")
    (work / "train.en").write_text("good day\n")
    assert recognise(Head.of("train.pt")) is None
    (work / "model.pt").write_text("bom dia\n")
    (work / "model.py").write_text("")
    assert recognise(Head.of("model.pt")) == "text"
