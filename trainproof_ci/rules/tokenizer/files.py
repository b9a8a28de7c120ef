"""The files of a tokenizer themselves: whole, strict JSON; ids that name one token each."""

import os
from collections.abc import Iterator, Mapping

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.tokenizer.facts import ADDED, CONFIG, GENERATION, VOCABULARY, WHOLE, Tokenizer
from trainproof_ci.readers.tokenizer.json_file import JsonFile
from trainproof_ci.registry import Limits, rule
from trainproof_ci.typed import Any

DEEPEST = 4
"""Parts of parts of a model's configuration."""


@rule("TP-TOK-MALFORMED", Severity.FAIL)
def malformed(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """A file of the tokenizer is no JSON object, or two readers would read it differently.

    Why: of a key that stands twice one reader takes the first and another the last; a file cut short loads nowhere.
    Fix: write the file again with `save_pretrained`.
    """
    for file in tokenizer.files.values():
        if file.problem is not None:
            place = Location(file.path, file.problem.line, file.problem.column)
            yield Firing(
                file.problem.message, file.problem.measured, "a JSON object in UTF-8, each key once", Places(place)
            )


@rule("TP-TOK-LFS-POINTER", Severity.NOT_CHECKED)
def pointer(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """A file of the tokenizer is a Git LFS pointer; its bytes are not here.

    Why: `tokenizer.json` is often large enough to be kept in LFS, which a checkout does not fetch by default.
    Fix: `lfs: true` for the checkout step, or `git lfs pull`.
    """
    for file in tokenizer.files.values():
        if file.pointer:
            yield Firing(
                f"{os.path.basename(file.path)} is a Git LFS pointer",
                "a pointer",
                "the file",
                Places(Location(file.path, 1)),
            )


@rule("TP-TOK-ID-CLASH", Severity.FAIL, needs=("ids",))
def id_clash(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """An id names two tokens, or lies outside the vocabulary of the model.

    Why: two tokens of one id decode as one of them; an id beyond the embedding matrix stops the first batch with an index
    error, on a GPU with an assertion that names no token.
    Fix: `model.resize_token_embeddings(len(tokenizer))`, and add tokens with `add_tokens`, not by hand.
    Stands down: without a file that gives ids to tokens. The ids of generation_config.json only warn: they are often the
    defaults of a class, and a model of a small vocabulary never meets them.
    """
    taken: dict[int, str] = {}
    clashes = []
    by_id = {number: text for text, number in _vocabulary(tokenizer).items()}
    for number, text in _added(tokenizer):
        if taken.setdefault(number, text) != text or _differs(text, by_id.get(number, text)):
            clashes.append(number)
    where = _giving_ids(tokenizer)
    if clashes and where is not None:
        place = Places(Location(where.path, where.line_of("added_tokens")))
        yield Firing(
            f"{len(set(clashes))} ids name two tokens each, the first {min(clashes)}",
            f"{len(set(clashes))} ids",
            "0",
            place,
        )
    yield from _outside(tokenizer, taken)


def _giving_ids(tokenizer: Tokenizer) -> JsonFile | None:
    """The file that a finding about ids stands in."""
    given = (tokenizer.files.get(name) for name in (WHOLE, ADDED, CONFIG))
    return next((file for file in given if file is not None and file.problem is None), None)


def _differs(added: str, entry: str) -> bool:
    """Whether an added token and a vocabulary entry are two tokens, however the vocabulary writes bytes and blanks."""
    if not added.isascii() or not added.isprintable():
        return False
    spellings = {added, added.replace(" ", "\u0120"), added.replace(" ", "\u2581")}
    return entry not in spellings and "\u0120" + added != entry and "\u2581" + added != entry


def _added(tokenizer: Tokenizer) -> Iterator[tuple[int, str]]:
    """Every added token with its id, in all files that name some."""
    whole, legacy, config = (tokenizer.files.get(name) for name in (WHOLE, ADDED, CONFIG))
    added = whole.value.get("added_tokens") if whole is not None else None
    for entry in added if isinstance(added, list) else ():
        number, text = (entry.get("id"), entry.get("content")) if isinstance(entry, dict) else (None, None)
        if type(number) is int and isinstance(text, str):
            yield number, text
    for text, number in legacy.value.items() if legacy is not None else ():
        if type(number) is int:
            yield number, text
    decoder = config.value.get("added_tokens_decoder") if config is not None else None
    for key, entry in decoder.items() if isinstance(decoder, dict) else ():
        text = entry.get("content") if isinstance(entry, dict) else entry
        if key.isdigit() and len(key) < 12 and isinstance(text, str):
            yield int(key), text


def _vocabulary(tokenizer: Tokenizer) -> Mapping[str, int]:
    """The ids of the vocabulary's entries, of which a Unigram model writes a list."""
    whole, legacy = tokenizer.files.get(WHOLE), tokenizer.files.get(VOCABULARY)
    model = whole.value.get("model") if whole is not None else None
    vocabulary = model.get("vocab") if isinstance(model, dict) else legacy.value if legacy is not None else None
    if isinstance(vocabulary, list):
        pieces = (entry[0] if isinstance(entry, list) and entry else None for entry in vocabulary)
        return {piece: number for number, piece in enumerate(pieces) if isinstance(piece, str)}
    entries = vocabulary.items() if isinstance(vocabulary, dict) else ()
    return {text: number for text, number in entries if isinstance(number, int)}


def _vocabulary_size(model: Mapping[str, Any], depth: int = 0) -> int:
    """The largest vocabulary that the model's configuration gives, its own or that of one of its parts; 0 without any."""
    sizes = [value for key, value in model.items() if key.endswith("vocab_size") and type(value) is int]
    parts = [part for part in model.values() if isinstance(part, dict)] if depth < DEEPEST else []
    return max([*sizes, *(_vocabulary_size(part, depth + 1) for part in parts)], default=0)


def _outside(tokenizer: Tokenizer, taken: Mapping[int, str]) -> Iterator[Firing]:
    """Ids below 0, and beyond the size of the vocabulary that the model's configuration gives."""
    size, where = _vocabulary_size(tokenizer.model), _giving_ids(tokenizer)
    place = Places(Location(where.path, where.line_of("added_tokens"))) if where is not None else Places()
    below = [number for number in taken if number < 0]
    if below:
        yield Firing("an added token has an id below 0", f"id {min(below)}", "at least 0", place)
    if not size:
        return
    beyond = sorted(number for number in taken if number >= size)
    if beyond:
        yield Firing(
            f"{len(beyond)} added tokens have ids beyond the model's vocabulary of {size}",
            f"id {beyond[-1]}",
            f"at most {size - 1}",
            place,
        )
    generation = tokenizer.files.get(GENERATION)
    for key, value in generation.value.items() if generation is not None else ():
        ids = value if isinstance(value, list) else [value]
        wrong = (
            [number for number in ids if type(number) is int and not 0 <= number < size]
            if key.endswith("_token_id")
            else []
        )
        if wrong and generation is not None and wrong != [-1]:
            yield Firing(
                "generation_config.json names an id beyond the model's vocabulary",
                f"id {wrong[0]}",
                f"at most {size - 1}",
                Places(Location(generation.path, generation.line_of(key))),
                severity=Severity.WARN,
            )


@rule("TP-TOK-MAX-LENGTH", Severity.WARN, needs=("config",), limits={"longest": 1e9})
def max_length(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """The tokenizer has no longest length: `model_max_length` is the placeholder of 10^30.

    Why: `truncation=True` then truncates nothing, and one long row fills the memory or is cut by the model in silence.
    Fix: set `model_max_length` to the context length of the model.
    Stands down: without a `model_max_length`.
    """
    config = tokenizer.config
    assert config is not None
    length = config.value.get("model_max_length")
    if not isinstance(length, (int, float)) or isinstance(length, bool):
        raise StandDown("no model_max_length is given")
    if length >= limits["longest"]:
        place = Places(Location(config.path, config.line_of("model_max_length")))
        yield Firing(
            "model_max_length is a placeholder, not a length: nothing is ever truncated",
            f"{float(length):.3g}",
            f"less than {limits['longest']:g}",
            place,
        )
