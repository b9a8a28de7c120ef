"""The special tokens of a tokenizer: the end of a text, padding, the chat template."""

from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.places import Location, Places
from trainproof_ci.readers.tokenizer.facts import CONFIG, Special, Tokenizer
from trainproof_ci.registry import Limits, rule


def _at(tokenizer: Tokenizer, special: Special | None, key: str) -> Places:
    file = special.file if special is not None else tokenizer.files.get(CONFIG)
    if file is None:
        return Places(Location(tokenizer.path, 1))
    return Places(Location(file.path, file.line_of(key), key=key))


@rule("TP-TOK-NO-EOS", Severity.FAIL)
def no_eos(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """The tokenizer has no end-of-text token.

    Why: a model that is never shown an end never learns to stop; it writes until the limit of tokens.
    Fix: set `eos_token` in tokenizer_config.json or special_tokens_map.json to the token that ends a text.
    Stands down: for encoders (cls, sep or mask and no eos), where the class of the tokenizer, a vocabulary or the model's
    configuration beside it may give the default of a class, and where a file of the tokenizer could not be read.
    """
    if any(file.problem is not None or file.pointer for file in tokenizer.files.values()):
        raise StandDown("a file of the tokenizer could not be read")
    eos = tokenizer.special("eos_token")
    if eos is not None and eos.text is not None:
        return
    if eos is not None and not eos.valid:
        yield Firing(
            "eos_token is no token: neither a text nor an object with a content",
            "no text",
            "a text",
            _at(tokenizer, eos, "eos_token"),
        )
        return
    if tokenizer.encoder:
        raise StandDown("an encoder's tokenizer (cls, sep or mask token) marks no end of text")
    if tokenizer.eos_ids:
        raise StandDown("the generation or model configuration names the end by its id")
    if eos is None and tokenizer.by_class:
        raise StandDown("the special tokens may be the defaults of the tokenizer's class")
    if eos is None and CONFIG not in tokenizer.files:
        raise StandDown("no tokenizer_config.json says which token ends a text")
    what = "eos_token is null" if eos is not None else "no eos_token is set in any file of the tokenizer"
    yield Firing(
        f"{what}: the model never learns to stop", "no eos_token", "an eos_token", _at(tokenizer, eos, "eos_token")
    )


def _eos_or_stand_down(tokenizer: Tokenizer) -> Special:
    eos = tokenizer.special("eos_token")
    if eos is None or eos.text is None:
        raise StandDown("no end-of-text token to go by")
    return eos


@rule("TP-TOK-NO-PAD", Severity.WARN)
def no_pad(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """The tokenizer has no padding token.

    Why: batches of unequal length need one; many recipes then take the end-of-text token, whose loss is masked with it.
    Fix: add a padding token of its own and resize the embeddings, or set it knowingly in the training script.
    Stands down: without an end-of-text token, and where the class of the tokenizer may give a default.
    """
    eos = _eos_or_stand_down(tokenizer)
    pad = tokenizer.special("pad_token")
    if pad is not None and pad.text is not None:
        return
    if pad is None and tokenizer.encoder:
        raise StandDown("the padding token may be the default of an encoder's class")
    yield Firing(
        "no pad_token is set: a batch cannot be padded",
        "no pad_token",
        "a pad_token",
        _at(tokenizer, pad or eos, "pad_token"),
    )


@rule("TP-TOK-PAD-IS-EOS", Severity.WARN)
def pad_is_eos(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """The padding token is the end-of-text token.

    Why: collators mask the loss of padding, and with it that of every end: the model does not learn to stop.
    Fix: add a padding token of its own, or mask by position rather than by token.
    Stands down: without an end-of-text token.
    """
    eos = _eos_or_stand_down(tokenizer)
    pad = tokenizer.special("pad_token")
    if pad is not None and pad.text == eos.text:
        yield Firing(
            "pad_token and eos_token are one token: the loss of every end is masked with the padding",
            "one token",
            "two tokens",
            _at(tokenizer, pad, "pad_token"),
        )


@rule("TP-TOK-NO-EOS-APPEND", Severity.WARN, needs=("config", "dataset"))
def no_eos_append(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """The tokenizer is told to append no end-of-text token, and the texts beside it have none.

    Why: `add_eos_token: false` is the default of many models; with plain texts that do not end in the token, the
    model is never shown an end.
    Fix: set `add_eos_token: true`, or end every text with the token.
    Stands down: without a dataset of plain texts beside the tokenizer; a chat template writes its own ends.
    """
    config = tokenizer.config
    assert config is not None
    eos = _eos_or_stand_down(tokenizer)
    plain = [dataset for dataset in tokenizer.datasets if dataset.shape == "text"]
    if not plain:
        raise StandDown("no dataset of plain texts beside the tokenizer")
    if config.value.get("add_eos_token") is not False:
        return
    ended = [sum(text.rstrip().endswith(eos.text or "") for text in dataset.texts) for dataset in plain]
    rows = sum(dataset.rows for dataset in plain)
    if not sum(ended):
        place = Places(Location(config.path, config.line_of("add_eos_token"), key="add_eos_token"))
        yield Firing(
            "add_eos_token is false and no text beside the tokenizer ends with the end-of-text token",
            f"0 of the first {rows} texts",
            "all of them",
            place,
        )


@rule("TP-TOK-NO-TEMPLATE", Severity.WARN, needs=("config", "dataset"))
def no_template(tokenizer: Tokenizer, limits: Limits) -> Iterator[Firing]:
    """A chat dataset lies beside a tokenizer that has no chat template.

    Why: trainers raise without a template, or fall back on one of another model.
    Fix: set `chat_template`, or keep a `chat_template.jinja` beside the tokenizer.
    Stands down: without a dataset beside the tokenizer.
    """
    config = tokenizer.config
    assert config is not None
    chats = [dataset for dataset in tokenizer.datasets if dataset.shape == "chat"]
    if not chats:
        raise StandDown("no chat dataset beside the tokenizer")
    if not tokenizer.has_template:
        related = (Location(chats[0].path, 1, note="the chat dataset"),)
        yield Firing(
            "a chat dataset lies beside the tokenizer, which has no chat template",
            "no chat_template",
            "a chat_template",
            Places(Location(config.path, 1)),
            related,
        )
