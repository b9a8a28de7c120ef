"""Makers of binary or large inputs for the case tables: each returns the bytes of one file."""

import hashlib
import io
import json
import struct
from typing import Any

from checkpoint_files import bomb, checkpoint, safetensors, tokenizer, zeros

__all__ = ["bomb", "checkpoint", "safetensors", "tokenizer", "zeros"]


def rows(count: int, template: str = '{{"prompt": "question {i}", "completion": "answer {i}"}}') -> bytes:
    """`count` lines of a template in which `{i}` is the number of the line, from 1."""
    return "".join(template.format(i=i) + "\n" for i in range(1, count + 1)).encode()


def long_row(characters: int) -> bytes:
    """One record with a completion of so many characters."""
    return json.dumps({"prompt": "Tell a long story.", "completion": "word " * (characters // 5)}).encode() + b"\n"


def trainer_state(losses: list[float], **columns: list[float]) -> bytes:
    """A Hugging Face trainer_state.json, an entry a line, of these losses and columns, a step every 10."""
    history = [
        {"step": 10 * (i + 1), "epoch": round(0.1 * (i + 1), 4), "loss": loss, **{k: v[i] for k, v in columns.items()}}
        for i, loss in enumerate(losses)
    ]
    entries = ",\n".join("  " + json.dumps(entry) for entry in history)
    return f'{{\n "best_metric": null,\n "log_history": [\n{entries}\n ],\n "global_step": {10 * len(losses)}\n}}\n'.encode()


def checksums(files: dict[str, str], layout: str = "coreutils") -> bytes:
    """A list of the SHA-256 of these contents by name: as `sha256sum` prints it, in the BSD layout, or bare."""
    line = {"coreutils": "{digest}  {name}\n", "bsd": "SHA256 ({name}) = {digest}\n", "bare": "{digest}\n"}[layout]
    digests = {name: hashlib.sha256(content.encode()).hexdigest() for name, content in files.items()}
    return "".join(line.format(digest=digest, name=name) for name, digest in digests.items()).encode()


def manifest(files: dict[str, str], rejected: dict[str, str] | None = None) -> bytes:
    """A manifest, an entry a line from line 2, of files with these contents."""
    from trainproof_ci.intake.artifact import block_bytes, measure

    def entry(name: str, content: str, **more: str) -> str:
        artifact = measure(io.BytesIO(content.encode()), block_bytes(len(content.encode())))
        line = {"path": name, "bytes": artifact.bytes, "sha256": artifact.sha256, "blocks": "".join(artifact.blocks)}
        return "  " + json.dumps({**line, **more})

    accepted = ",\n".join(entry(name, content) for name, content in files.items())
    turned_away = ",\n".join(
        entry(name, content, reason="TP-JSON-SYNTAX") for name, content in (rejected or {}).items()
    )
    return (
        f'{{"version": 1, "tool": "trainproof-ci 0.1.0", "files": [\n{accepted}\n ], "rejected": [\n{turned_away}\n ]}}\n'
    ).encode()


def lfs_pointer(content: str) -> bytes:
    """The Git LFS pointer to these contents."""
    data = content.encode()
    oid = hashlib.sha256(data).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(data)}\n".encode()


def wav(seconds: float, rate: int = 8000) -> bytes:
    """A WAV file of silence: 16 bits, one channel."""
    data = bytes(2 * round(seconds * rate))
    form = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, 2 * rate, 2, 16)
    return b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVE" + form + b"data" + struct.pack("<I", len(data)) + data


def table(rows: list[list[Any]]) -> bytes:
    """A CSV of these rows; a cell may be given as `{repeat: TEXT, times: N}`."""

    def cell(value: Any) -> str:
        return value["repeat"] * value["times"] if isinstance(value, dict) else str(value)

    return "".join(",".join(map(cell, row)) + "\n" for row in rows).encode()


def run_log(
    columns: dict[str, list[list[float]]], put: dict[str, dict[int, Any]] | None = None, wiggle: float = 0.01
) -> bytes:
    """JSON Lines of a run, a step every 10: each column in pieces of [first value, last value, points], straight
    between them but for a wiggle of this share; `put` sets single values (by position, from 0) afterwards.
    """

    def values(pieces: list[list[float]]) -> list[Any]:
        return [
            round((first + (last - first) * i / max(count - 1, 1)) * (1 + wiggle * (i % 3 - 1)), 6)
            for first, last, count in pieces
            for i in range(int(count))
        ]

    filled = {name: values(pieces) for name, pieces in columns.items()}
    for name, changes in (put or {}).items():
        for index, value in changes.items():
            filled[name][index] = value
    length = max(map(len, filled.values()))
    rows = ({"step": 10 * (i + 1), **{n: v[i] for n, v in filled.items() if i < len(v)}} for i in range(length))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()
