"""What rules may need of a dataset: what only some formats have, and what a shape offers."""

from collections.abc import Iterator

from trainproof_ci.readers.dataset.habits import SECOND
from trainproof_ci.readers.dataset.shapes import Shape

FORMATS = {
    "json": (frozenset({"jsonl", "json", "jsonl-gzip", "jsonl-zstd", "json-gzip", "json-zstd"}), "JSON"),
    "table": (frozenset({"csv", "tsv"}), "tables"),
    "rows": (frozenset({"csv", "tsv", "tts"}), "tables"),
    "yolo": (frozenset({"yolo-labels"}), "yolo-labels"),
    "parallel": (frozenset({"parallel-text"}), "parallel-text"),
}
"""Needs that the format meets: the formats, and what a skip calls them."""
UNLIKE = {
    "text": (frozenset({"yolo-labels"}), "texts"),
    "rare-text": (frozenset({"yolo-labels"}), "texts"),
    "lines": (frozenset({"yolo-labels", "parallel-text"}), "lines that are records"),
}
"""Needs that all formats meet but these, whose lines are judged by rules of their own."""


def lacks_format(need: str, form: str) -> str | None:
    """Why a format does not meet one of these needs, or None."""
    formats, called = FORMATS.get(need) or UNLIKE[need]
    met = (form in formats) is (need in FORMATS)
    return None if met else f"only for {called}; this is {form}"


def offers(shape: Shape) -> Iterator[str]:
    """What the shape has that rules may need."""
    yield "shape"
    offered = {
        "keys": shape.required or shape.optional or shape.usual,
        "turns": shape.turns,
        "messages": shape.roles,
        "preference": shape.pair or SECOND in shape.habits,
        "outputs": shape.name == "openai-preference",
        "prompt": shape.prompts or shape.turns,
        "answer": shape.targets or shape.turns,
        "target": shape.targets,
        "label": shape.label,
        "media": shape.media,
    }
    yield from (need for need, there in offered.items() if there)
