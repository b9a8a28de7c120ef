"""What a tokenizer would stumble over: control tokens in the text, markup left in it, a missing end."""

import re
from collections.abc import Iterator

from trainproof_ci.errors import StandDown
from trainproof_ci.model import Firing, Severity
from trainproof_ci.patterns import later
from trainproof_ci.places import Places
from trainproof_ci.readers.dataset.habits import written
from trainproof_ci.readers.dataset.record import Fault, Record
from trainproof_ci.readers.dataset.survey import Survey
from trainproof_ci.readers.dataset.turns import said
from trainproof_ci.registry import Limits, rule
from trainproof_ci.rules.dataset.conversations import every_talk
from trainproof_ci.rules.dataset.training import targets

SPECIAL = later(
    r"<\|(?:im_start|im_end|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_text|eom_id|end|user|assistant|system|endofprompt)\|>"
    r"|<(?:start|end)_of_turn>|\[/?INST\]|<</?SYS>>"
)
_END = later(r"(?<=\S)</s>\s*\Z")
_MARKUP = later(r"<s[ >]|</?(?:br|p|div|span|b|i|u|strong|em|a|li|[ou]l|del|td|tr|h[1-6])[ />]|token", re.IGNORECASE)
"""What stands in a text in which `</s>` ends what is struck through, or is spoken of."""
CODE = later(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)


@rule("TP-TRAIN-SPECIAL-TOKEN", Severity.WARN, needs=("rare-text", "replies"), per="record")
def special_token(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """A message or an answer holds control tokens of a chat template.

    Why: the template writes them itself; inside a text they end the turn early, or the tokenizer raises "disallowed
    special token".
    Fix: split the text into messages, or remove the tokens. Texts that are formatted on purpose (shape `text`) and code
    stay quiet, and so does `</s>` but at the end of a text without any other markup.
    Stands down: where most records hold such tokens in their prompts or answers; they are written for a template.
    """
    assert data.shape is not None
    for key, text in written(record.value, (*data.shape.targets, *data.shape.pair)):
        count = tokens_in(text)
        if count:
            yield Fault("control tokens of a chat template inside an answer", f"{count} tokens", "0", key=key)
            return
    for _, turns in every_talk(data):
        for turn in turns:
            count = tokens_in(said(turn.content)) if turn.role in {"assistant", "user"} else 0
            if count:
                yield Fault("control tokens of a chat template inside a message", f"{count} tokens", "0", key=turn.key)
                return


def tokens_in(text: str) -> int:
    """How many control tokens stand in a text, outside of code."""
    prose = CODE.sub("", text)
    ended = _END.search(prose) is not None and _MARKUP.search(prose) is None
    return len(SPECIAL.findall(prose)) + ended


_ENTITY = later(
    r"&(?:amp|lt|gt|quot|apos|nbsp|#\d{2,5}|#x[0-9a-fA-F]{2,5}|[a-zA-Z]{1,2}(?:acute|grave|circ|uml|tilde|cedil|slash|ring)|[mn]dash|hellip|[lr][sd]quo);"
)
_TAG = later(r"</?(?:br|p|div|span|b|i|strong|em|font|a|li|ul|h[1-6])(?:\s[^<>]{0,200})?/?>", re.IGNORECASE)
_ON_PURPOSE = later(
    r"html|xml|css|markup|unescap|<!doctype|<(?:html|head|body|script|style|svg|table|form|input|button|img)\b|\bweb\b|jsx|react|android|javascript|\{\{|=>|;\s*\n",
    re.IGNORECASE,
)


@rule("TP-TRAIN-HTML", Severity.WARN, needs=("rare-text", "keys"), limits={"entities": 2}, per="record")
def markup_left(record: Record, data: Survey, limits: Limits) -> Iterator[Fault]:
    """Prose that is learned still holds HTML entities.

    Why: the model prints `&nbsp;` and `<br/>` to its users.
    Fix: unescape the text once with an HTML library.
    Stands down: code, text that is HTML on purpose, and records that speak of HTML.
    """
    if data.shape is None or b"&" not in record.raw or _ON_PURPOSE.search(record.raw.decode("utf-8", "replace")):
        return
    for key, text in targets(record, data):
        prose = CODE.sub("", text)
        entities, tags = _ENTITY.findall(prose), _TAG.findall(prose)
        if entities and len(entities) + len(tags) >= limits["entities"]:
            yield Fault(
                "HTML left in a text that is learned",
                f"{len(entities)} entities, {len(tags)} tags",
                "plain text",
                key=key,
            )
            return


@rule("TP-TRAIN-EOS", Severity.WARN, needs=("target",), limits={"records": 3})
def never_ends(data: Survey, limits: Limits) -> Iterator[Firing]:
    """No text ends with the end-of-sequence token, and the tokenizer does not add it.

    Why: the model never sees an end and never learns to stop.
    Fix: append the token to every text, or set `add_eos_token`.
    Stands down: without a `tokenizer_config.json` beside the file, in other shapes than `text`.
    """
    marks = data.marks
    if marks is None or data.shape is None or data.shape.name != "text":
        raise StandDown("no tokenizer_config.json beside texts")
    if not marks.eos:
        raise StandDown("the tokenizer_config.json names no end-of-sequence token")
    if marks.texts < limits["records"]:
        raise StandDown(f"fewer than {limits['records']:g} texts")
    if marks.adds_eos is False and not marks.ending:
        yield Firing(
            "no text ends with the end-of-sequence token",
            f"0 of {marks.texts} texts",
            "every text, or add_eos_token",
            Places(data.first("text")),
        )


@rule("TP-TRAIN-BOS", Severity.WARN, needs=("target",), limits={"share": 0.5})
def begins_twice(data: Survey, limits: Limits) -> Iterator[Firing]:
    """Texts begin with the begin-of-sequence token, and the tokenizer adds another.

    Why: the model is trained on two of them and gets one when it is used.
    Fix: remove the token from the texts, or set `add_bos_token` to false.
    Stands down: without a `tokenizer_config.json` beside the file, in other shapes than `text`.
    """
    marks = data.marks
    if marks is None or data.shape is None or data.shape.name != "text":
        raise StandDown("no tokenizer_config.json beside texts")
    if not marks.bos:
        raise StandDown("the tokenizer_config.json names no begin-of-sequence token")
    if marks.adds_bos and marks.beginning > limits["share"] * marks.texts:
        yield Firing(
            "texts begin with a token that the tokenizer adds again",
            f"{marks.beginning} of {marks.texts} texts",
            "0, or no add_bos_token",
            Places(data.first("text")),
        )
