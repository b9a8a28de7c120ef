"""What rules may need of a dataset: what only some formats have, and what a shape offers."""

from collections.abc import Callable, Mapping

from trainproof_ci.readers.dataset.habits import SECOND, replies
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


OFFERS: Mapping[str, Callable[[Shape], object]] = {
    "keys": lambda shape: shape.required or shape.optional or shape.usual,
    "turns": lambda shape: shape.turns,
    "messages": lambda shape: shape.roles,
    "replies": replies,
    "preference": lambda shape: shape.pair or SECOND in shape.habits or "rejected" in shape.roles.values(),
    "outputs": lambda shape: shape.name == "openai-preference",
    "prompt": lambda shape: shape.prompts or shape.turns,
    "answer": lambda shape: shape.targets or shape.turns or shape.pair,
    "target": lambda shape: shape.targets,
    "label": lambda shape: shape.label,
    "media": lambda shape: shape.media,
}
"""What rules may need of a shape, and whether it has it."""


def offers(shape: Shape) -> frozenset[str]:
    """What the shape has that rules may need."""
    return frozenset({"shape", *(need for need, has in OFFERS.items() if has(shape))})
