"""A count of one takes the singular. Messages are written for many, and put right here before anybody reads them."""

IRREGULAR = {"entries": "entry", "entities": "entity", "losses": "loss", "matrices": "matrix"}
NOUNS = frozenset(
    {
        "annotations", "blocks", "bytes", "calls", "cells", "characters", "checksums", "columns", "controls", "datasets", "digits",
        "disks", "elements", "evaluations", "fields", "files", "findings", "folders", "gaps", "groups", "ids", "images", "keys",
        "labels", "levels", "lines", "marks", "members", "messages", "names", "opcodes", "parameters", "places", "points", "prompts",
        "questions", "ranks", "records", "reports", "results", "rows", "rules", "runs", "seconds", "segments", "sequences", "shards",
        "spellings", "states", "steps", "submodules", "tags", "targets", "tensors", "texts", "times", "tokens", "turns", "types",
        "values", *IRREGULAR,
    }
)  # fmt: skip
BETWEEN = frozenset(
    {
        "added", "blank", "changed", "damaged", "different", "doubled", "finite", "loss", "marker", "missing", "named", "NUL", "null",
        "open", "other", "shared", "such", "system", "weight",
    }
)  # fmt: skip
"""What may stand between the number and the noun."""
VERBS = {
    "are": "is", "were": "was", "have": "has", "differ": "differs", "end": "ends", "follow": "follows", "hold": "holds", "lie": "lies",
    "log": "logs", "name": "names", "write": "writes",
}  # fmt: skip
MARKS = ",;:.)"


def counted(text: str) -> str:
    """The text with "1 records are" made "1 record is"."""
    if "1 " not in text:
        return text
    words = text.split(" ")
    for at, word in enumerate(words[:-1]):
        if word.lstrip("(") == "1":
            _singular(words, at + 1)
    return " ".join(words)


def _singular(words: list[str], at: int) -> None:
    """Put the noun at `at`, or behind what stands between, into the singular, and its verb."""
    if words[at] in BETWEEN and at + 1 < len(words):
        at += 1
    noun = words[at].rstrip(MARKS)
    if noun in NOUNS:
        marks = words[at][len(noun) :]
        words[at] = IRREGULAR.get(noun, noun[:-1]) + marks
        if not marks and at + 1 < len(words) and words[at + 1] in VERBS:
            words[at + 1] = VERBS[words[at + 1]]
