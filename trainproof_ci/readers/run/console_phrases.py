"""The ways of naming a loss that differ in the order of the words or in the language, put as most trainers write them."""

import re
from collections.abc import Sequence

_VALIDATING = "val|valid|validation|eval|evaluation|dev|test|testing"
_PHASES = f"train|training|{_VALIDATING}"
_IN_FRONT = {
    "训练": "train", "訓練": "train", "学習": "train", "훈련": "train", "학습": "train", "trainings": "train",
    "验证": "val", "驗證": "val", "検証": "val", "검증": "val", "validierungs": "val",
    "测试": "test", "測試": "test", "テスト": "test", "테스트": "test",
}  # fmt: skip
"""Phases in front of the loss: `验证集损失`, `Validierungsverlust`."""
_BEHIND = {
    "entrenamiento": "train", "treinamento": "train", "treino": "train", "entraînement": "train", "обучении": "train", "обучения": "train",
    "validación": "val", "validação": "val", "валидации": "val", "prueba": "test", "teste": "test", "тесте": "test",
}  # fmt: skip
"""Phases behind it: `Pérdida de validación`."""
_IN_ENGLISH = _IN_FRONT | _BEHIND
_APART = r"(?:(?<![\w/])|(?<=[轮总均]))(?<!and )(?<!\w, )"
"""What stands before the name of a loss; the loss of `accuracy and loss on val:` is the second number."""
_ENGLISH_AHEAD = rf"(?:{_PHASES})(?=[ \t_-])(?![ \t_-]*loss)"
"""An English phase before a loss in another language; before an English one it is understood as it is."""
_AHEAD = rf"(?:(?P<ahead>{'|'.join(_IN_FRONT)}|{_ENGLISH_AHEAD})[ \t_-]*集?[的の]?[ \t]*(?:总|平均)?)?"
_BESIDE = rf"[ \t]*\([ \t]*(?P<beside>{_PHASES})[ \t]*\)(?=[ \t]*[:=]|[ \t]*$)"
_AFTER = (
    r"[ \t]+(?:on|in|for|over|de|da|na|en|em|sur|на)[ \t]+(?:the[ \t]+|la[ \t]+)?"
    rf"(?P<behind>{_PHASES}|{'|'.join(_BEHIND)})(?:[ \t]+(?:set|data|split))?(?=[ \t]*[:\uff1a=])"
)
_LOSS = "(?P<loss>loss|损失|損失|손실|verlust|perte|p[eé]rdida|perda|потери)"
_NAME = re.compile(rf"{_APART}{_AHEAD}{_LOSS}(?:{_BESIDE}|{_AFTER})?[ \t]*(?P<said>[:\uff1a=]*)[ \t]*$", re.IGNORECASE)
"""The name of a loss at the end of a text: `损失:`, `Loss (val):`, `Loss on the validation set:`, `Validierungsverlust:`."""
_PAIR = re.compile(
    rf"(?<![\w/])(?:train(?:ing)?[ \t]*/[ \t]*(?P<of>{_VALIDATING})[ \t]+loss(?:es)?"
    rf"|loss(?:es)?[ \t]*\(?[ \t]*train(?:ing)?[ \t]*/[ \t]*(?P<told>{_VALIDATING})[ \t]*\)?)[ \t]*[:=]*[ \t]*$",
    re.IGNORECASE,
)
"""Two losses told at once: `train/val loss: 0.4/0.5`, `loss (train/val): 0.4 / 0.5`."""
_LISTED = re.compile(r"(?<![\w/])loss(?:es)?[ \t]*[:|(\[\-]?[ \t]*train(?:ing)?[ \t]*[:=]?[ \t]*$", re.IGNORECASE)
"""The first of several losses under one word: `loss train: 0.84, val: 1.04`."""
LONGEST = 128
"""Characters in front of a number in which its name and phase are looked for; blanks may fill a line of any length."""
_NEXT = re.compile(rf"[ \t]*[,;|/]?[ \t]*(?P<of>{_VALIDATING})[ \t]*[:=]?[ \t]*", re.IGNORECASE)


def in_plain_words(texts: Sequence[str]) -> tuple[str, ...]:
    """The texts between the numbers of a line, with every loss called as in `val loss: `; the others as they are."""
    plain = [text[:-LONGEST] + _plain(text[-LONGEST:]) for text in texts]
    for index in range(len(texts) - 2):
        head, named, after = texts[index][:-LONGEST], texts[index][-LONGEST:], texts[index + 1]
        if len(after) > LONGEST:
            continue
        if (pair := _PAIR.search(named)) is not None and after.strip() in {"/", ",", "|"}:
            plain[index] = f"{head}{named[: pair.start()]} train loss: "
            plain[index + 1] = f", {pair['of'] or pair['told']} loss: "
        elif (first := _LISTED.search(named)) is not None and _NEXT.fullmatch(after) is not None:
            plain[index] = f"{head}{named[: first.start()]} loss train: "
            _name_the_next(plain, index + 1)
    return tuple(plain)


def _name_the_next(plain: list[str], index: int) -> None:
    """Call the numbers from `index` on losses, as long as a phase alone stands in front of them."""
    while (
        index < len(plain) - 1
        and len(plain[index]) <= LONGEST
        and (following := _NEXT.fullmatch(plain[index])) is not None
    ):
        plain[index] = f", {following['of']} loss: "
        index += 1


def _plain(text: str) -> str:
    """The text with the loss that it ends in called so that its phase stands in front."""
    found = _NAME.search(text)
    if found is None:
        return text
    phase = found["ahead"] or found["beside"] or found["behind"]
    if phase is None and found["loss"].lower() == "loss":
        return text
    head = text[: found.start()]
    if head.endswith(" ") and head[:-1][-1:].isalpha() and found["loss"].lower() != "loss":
        return text  # `meilleure perte`: what a word of another language makes of the loss is not known
    phase = "" if phase is None else _IN_ENGLISH.get(phase.lower(), phase)
    return f"{head} {phase} loss{':' if found['said'] else ' '} "
