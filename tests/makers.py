"""Makers of binary or large inputs for the case tables: each returns the bytes of one file."""

import json


def rows(count: int, template: str = '{{"prompt": "question {i}", "completion": "answer {i}"}}') -> bytes:
    """`count` lines of a template in which `{i}` is the number of the line, from 1."""
    return "".join(template.format(i=i) + "\n" for i in range(1, count + 1)).encode()


def trainer_state(losses: list[float], **columns: list[float]) -> bytes:
    """A Hugging Face trainer_state.json, an entry a line, of these losses and columns, a step every 10."""
    history = [
        {"step": 10 * (i + 1), "epoch": round(0.1 * (i + 1), 4), "loss": loss, **{k: v[i] for k, v in columns.items()}}
        for i, loss in enumerate(losses)
    ]
    entries = ",\n".join("  " + json.dumps(entry) for entry in history)
    return f'{{\n "best_metric": null,\n "log_history": [\n{entries}\n ],\n "global_step": {10 * len(losses)}\n}}\n'.encode()
