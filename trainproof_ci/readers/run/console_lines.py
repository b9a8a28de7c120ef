"""One line of console text into named numbers: the words between the numbers, seen once, are a template for all its like."""

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import add

from trainproof_ci.readers.run.console_keys import STEP_WORDS, Called, all_misspelt, called, phase_counted
from trainproof_ci.readers.run.console_phrases import in_plain_words
from trainproof_ci.readers.run.vocabulary import in_phase, is_loss
from trainproof_ci.typed import NamedTuple

_EXPONENT = r"(?:[eE][-+]?\d+)?"
_FINITE = (
    rf"(?<=\d)(?:\d{{0,2}}(?:,\d{{3}})+(?!\d|[.,]\d)|\d*\.?\d*){_EXPONENT}"
    rf"|(?<=[-+])(?:\d+\.?\d*|\.\d+){_EXPONENT}|(?<=\.)\d+{_EXPONENT}"
)
_OTHERS = r"(?<=[-+])(?i:nan|inf(?:inity)?)(?!\w)|(?<=[nN])(?i:an)(?!\w)|(?<=[iI])(?i:nf(?:inity)?)(?!\w)"
_DIGITS = re.compile(rf"([-+.\d](?<![\w.@].)(?:{_FINITE}))")
_NUMBERS = re.compile(rf"([-+.\dnNiI](?<![\w.@].)(?:{_FINITE}|{_OTHERS}))")
SIGNS = (
    "rror", "xception", "Traceback", "Killed", "killed", "memory", "fault", "Abort", "nterrupt", "Bus e", "nvalid config", "ing training",
    "terminate called", "Watchdog caught", "halted", "panic:", "throw new", "traceback", "return code", "erminated", "Illegal i", "TERM_", "^C", "non-zero status",
    "returned nan", "已杀死", "段错误",
)  # fmt: skip
"""A line with none of these says nothing of an error: looked for first, since nearly all lines have none."""
_LLM_C = {"s": "step", "trl": "train loss", "tel": "val loss"}
"""The words of `s:20 trl:6.1432 lr:0.000600`, a log of llm.c."""
_SAID = {"train": "train loss", "val": "val loss", "valid": "val loss"}
_DARKNET = re.compile(r" avg(?: loss)?,")
_JOINT = re.compile(r"\s*(?:%|[\])]\s*[:=]?|[:=])\s*\(?\s*")
_DURATION = re.compile(r"[mu]?s\b")
_DATE = re.compile(r"^\s+$")
_APART = re.compile(r"[^-+.,\deE]")
"""What is no part of a number, and so tells two of them apart."""
MOST_TEMPLATES = 20_000


def split_numbers(line: str) -> list[str]:
    """The texts and the numbers of a line in turn. Numbers stand alone: not those inside `grad_norm_0`, `mAP50`, `Acc@1`
    or `lr/pg0`. The first character decides where to look, which is three times as fast as looking behind every one.
    """
    if "nan" in line or "inf" in line or "NaN" in line or "Inf" in line or "NAN" in line or "INF" in line:
        return _NUMBERS.split(line)
    return _DIGITS.split(line)


class Template(NamedTuple):
    """Which part of a split line is what: the names and their `values`, step and epoch, or -1 where there is none."""

    names: tuple[str, ...] = ()
    values: tuple[int, ...] = ()
    step: int = -1
    epoch: int = -1
    boxed: bool = False
    """A row `| name | number |` of a two-column table."""
    error: bool = False
    """Whether the line may speak of an error."""
    odd: tuple[str, ...] = ()
    """Losses in whose place no number stands."""
    counts: tuple[int, ...] = ()
    """Numbers behind the word for a loss that only say which one it is, as long as they are whole."""


def template_of(parts: Sequence[str]) -> Template:
    """What the numbers of a split line are."""
    return fitting(template(tuple(parts[::2])), parts)


def fitting(shape: Template, parts: Sequence[str]) -> Template:
    """The template of a split line, given what it would be were its numbers whole: one that is not whole counts nothing."""
    counts = tuple(place for place in shape.counts if parts[place].isdigit())
    return shape if counts == shape.counts else template(tuple(parts[::2]), counts)


@lru_cache(maxsize=512)
def template(texts: tuple[str, ...], counts: tuple[int, ...] | None = None) -> Template:
    """What the numbers between `texts` (always one more than numbers) are; only those in `counts` may count, or all that can."""
    if (known := _of_a_known_trainer(texts)) is not None:
        return known
    texts = in_plain_words(texts)
    line = _Line(texts, counts)
    line.read()
    names, steps, epoch = line.names, line.steps, line.epoch
    step = steps[max(steps)] if steps else -1
    if step < 0 and names and epoch < 0:
        step, epoch = _leading(texts)
    places = tuple(2 * index + 1 for index, _ in names)
    said = "\n".join(texts)
    error = any(sign in said for sign in SIGNS)
    odd = all_misspelt(texts, stepped=step >= 0 or epoch >= 0)
    return Template(
        tuple(name for _, name in names),
        places,
        _place(step),
        _place(epoch),
        _is_box(texts),
        error,
        odd,
        tuple(line.counting),
    )


def _of_a_known_trainer(texts: Sequence[str]) -> Template | None:
    """The lines that name no loss: `250 train 6.43` of build-nanogpt, `03:17:18 PM train 050 2.34 6.25 54.6` of DARTS."""
    if len(texts) == 3 and not texts[0].strip() and not texts[2].strip() and texts[1].strip() in _SAID:
        return Template((_SAID[texts[1].strip()],), (3,), step=1)
    for at, text in enumerate(texts[:-3]):
        said = text.split()
        if len(said) == 2 and said[0] in {"AM", "PM"} and said[1] in _SAID and not "".join(texts[at + 1 :]).strip():
            return Template((_SAID[said[1]],), (2 * at + 3,), step=2 * at + 1)
    return None


class _Line:
    """The names, the steps by rank and the epoch that were found among the numbers of a line, and those that count."""

    def __init__(self, texts: Sequence[str], counts: tuple[int, ...] | None) -> None:
        self.texts, self.counts = texts, counts
        self.counting: list[int] = []
        self.names: list[tuple[int, str]] = []
        self.steps: dict[int, int] = {}
        self.epoch = -1

    def read(self) -> None:
        """Take in the numbers one after the other."""
        texts, before, waiting = self.texts, Called(), None
        for index, text in enumerate(texts[:-1]):
            before = self._counted(index) or called(text, before)
            name = waiting or (_LLM_C.get(before.name or "", before.name) if texts[0] == "s:" else before.name)
            is_index = name is not None and is_loss(name) and self._may_count(index) and _is_index(texts, index)
            becomes = name is not None and is_loss(name) and texts[index + 1].strip() == "->"
            waiting = name if is_index or becomes else None
            if is_index:
                self.counting.append(_place(index))
            elif name is None:
                self.nameless(index)
            elif not becomes:  # `test loss: 6.3 -> 5.7 after 1 step`: the second number is what it came to
                self.named(index, name, before.phase)

    def _may_count(self, index: int) -> bool:
        return self.counts is None or _place(index) in self.counts

    def _counted(self, index: int) -> Called | None:
        """What is known of a number that says how often a phase came, as in `Test: [10/79]`; the first that counts in a line."""
        if self.counting or not self._may_count(index) or (phase := phase_counted(self.texts[index])) is None:
            return None
        self.counting.append(_place(index))
        of_epochs = self.texts[index + 1] == "/" and self.texts[index + 2 : index + 3] == ("][",)
        return Called("epoch" if of_epochs else None, phase)

    def named(self, index: int, name: str, phase: str | None) -> None:
        """Take in a number that has a name."""
        last = name.rsplit(" ", 1)[-1].lower()
        if last == "epoch" and self.epoch < 0:
            self.epoch = index
        elif last in STEP_WORDS and _is_step(name) and _DURATION.match(self.texts[index + 1]) is None:
            self.steps.setdefault(STEP_WORDS[last], index)
            if last == "episode":  # it also says what the loss is for
                self.names.append((index, last))
        elif last != "epoch":
            name = in_phase(name, phase)
            again = sum(name == other for _, other in self.names) if is_loss(name) else 0
            self.names.append((index, f"{name} {again + 1}" if again else name))

    def nameless(self, index: int) -> None:
        """Take in a number without a name, if what stands around it says what it is."""
        if _DARKNET.match(self.texts[index + 1]):
            self.names.append((index, "avg loss"))  # Darknet: the number comes first
        elif rank := _progress(self.texts, index):
            self.steps.setdefault(rank, index)


def _is_index(texts: Sequence[str], index: int) -> bool:
    """Whether a whole number behind the word for a loss says which one it is, and the next number is the loss:
    `loss[12] = 0.4`, `Train loss 38 0.41 Grad Norm 1.2`, `loss [12/60]: 0.4`; not `loss 2: 30%|` nor `(loss 2) 3/60`.
    """
    if index + 2 >= len(texts):
        return False
    after, behind = texts[index + 1], texts[index + 2]
    if behind.lstrip().startswith(("%", "/")):
        return False
    if after.strip() == "/":
        return index + 3 < len(texts) and _JOINT.fullmatch(behind) is not None
    if _JOINT.fullmatch(after) is not None:
        return True
    return (
        after.isspace() and not texts[index].rstrip().endswith((":", "=")) and behind[:1] in {"", " ", "\t", ",", ";"}
    )


def _is_step(name: str) -> bool:
    """Whether a name that ends in a word for a step says no more: `step`, `Global Step`; not `best step`."""
    *before, _ = name.lower().split()
    return all(word in {"global", "current", "total", "train", "training"} for word in before)


def _place(index: int) -> int:
    """Where the number `index` stands in the split line."""
    return 2 * index + 1 if index >= 0 else -1


def _is_box(texts: Sequence[str]) -> bool:
    return len(texts) == 2 and texts[0].lstrip().startswith("|") and texts[1].strip() == "|"


def _progress(texts: Sequence[str], index: int) -> int:
    """The rank of a number without a name as a step: `7%|##| 1000/13605 [`, `[500/2931]`, `200/2983 batches`; else 0."""
    if texts[index + 1].strip() != "/" or index + 2 >= len(texts) or texts[index].replace(" ", "") == "%(":
        return 0  # `10.40% (1040 / 10000)` is a share
    after = texts[index + 2]
    if after.startswith("/") or (_DATE.match(after) and index + 3 < len(texts) and texts[index + 3].startswith(":")):
        return 0
    return 2 if "%|" in texts[index] else 1


def _leading(texts: Sequence[str]) -> tuple[int, int]:
    """Step and epoch of `0 | loss 11.6`, `[0] train-logloss:0.48`, `0: learn: 0.6` and `1|25|Loss: 1.5`."""
    if texts[0].strip() not in {"", "["}:
        return -1, -1
    if len(texts) > 2 and texts[1].strip() == "|" and texts[2].startswith("|"):
        return 1, 0
    after = texts[1]
    return (0, -1) if after.lstrip().startswith(("|", "]")) or after.startswith((": ", ":\t")) else (-1, -1)


def value_of(text: str) -> float:
    """The number that `split_numbers` found."""
    try:
        return float(text)
    except ValueError:
        return float(text.replace(",", ""))


def pattern_of(texts: tuple[str, ...], counts: tuple[int, ...]) -> re.Pattern[str] | None:
    """A pattern whose groups are the parts that `split_numbers` finds in a line of these texts, save NaN and infinity;
    the numbers that count are whole.

    None where only what a number may hold stands between two of them, as in `1.2.3.4`: there are many ways to divide
    such a line, and to try them all takes for ever.
    """
    if not all(_APART.search(text) for text in texts[1:-1]):
        return None
    number = rf"([-+]?(?:\d{{1,3}}(?:,\d{{3}})+(?!\d|[.,]\d)|\d+(?:\.\d*)?|\.\d+){_EXPONENT})"
    numbers = (r"(\d+)()" if place in counts else f"{number}()" for place in range(1, 2 * len(texts) - 1, 2))
    return re.compile("()" + re.escape(texts[0]) + "".join(map(add, numbers, map(re.escape, texts[1:]))))
