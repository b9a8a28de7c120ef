"""The fast way for rows of a table: what is proved harmless is counted, what is not is handed to every record rule.

The proofs are those of JSON Lines; a row differs only in that its raw bytes hold control characters as they are.
"""

import re
from operator import itemgetter

from trainproof_ci.readers.dataset.cells import COUNTED, NA
from trainproof_ci.readers.dataset.duplicates import asks, flat_key
from trainproof_ci.readers.dataset.examiner import MARKERS, screen_for
from trainproof_ci.readers.dataset.fast import SHAPES
from trainproof_ci.readers.dataset.harmless import Judge, judge_for
from trainproof_ci.readers.dataset.plans import Plan, plan
from trainproof_ci.typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainproof_ci.readers.dataset.cells import Cells
    from trainproof_ci.readers.dataset.delimited import Dialect, Physical, Row
    from trainproof_ci.readers.dataset.headers import Header
    from trainproof_ci.readers.dataset.lines import Block
    from trainproof_ci.readers.dataset.plain_lines import Ends
    from trainproof_ci.readers.dataset.survey import Survey

CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
RARE = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
MARKS = (*MARKERS, b"=======")
LONGEST = 1 << 16
"""Bytes; longer rows are explained."""


class QuickRows:
    """Accepts rows that are like one that was explained before."""

    def __init__(self, survey: "Survey", header: "Header", dialect: "Dialect", cells: "Cells", ends: "Ends") -> None:
        self.survey, self.header, self.columns = survey, header, header.columns
        self.dialect, self.cells, self.ends = dialect, cells, ends
        self._texts: list[str] = []
        self._crlf = False
        self._screened: Block | None = None
        self._plan: Plan | None = None
        self._judge: Judge | None = None
        self._ordered: Callable[[Any], Any] = tuple
        self._asks = survey.shape is not None and asks(survey.shape)
        self._allowed = self._is_allowed()
        self._is_plain = screen_for(survey.shape)

    def _is_allowed(self) -> bool:
        """Whether the shape and the settings allow to accept anything unseen."""
        survey, shape = self.survey, self.survey.shape
        if shape is None or shape.name not in SHAPES or survey.media is not None or survey.marks is not None:
            return False
        labelled = shape.label is not None and (survey.options.num_labels or survey.split == "train")
        asked = survey.options.phrases or survey.options.max_chars or len(set(self.columns)) < len(self.columns)
        return not (labelled or asked)

    def learn(self) -> None:
        """Make a plan of the row that was just explained."""
        signature = self.survey.columns.latest
        if not self._allowed or self._plan is not None or signature is None:
            return
        self._plan = plan(signature, self.survey.columns.kinds[signature], self.survey.shape)
        if self._plan is not None:
            self._judge = judge_for(self._plan, self.survey, asks=self._asks)
            order = sorted(range(len(self.columns)), key=self.columns.__getitem__)
            self._ordered = itemgetter(*order) if len(order) > 1 else tuple

    def run(self, lines: "Physical") -> None:
        """Count the rows ahead that are one line each and proved harmless, up to the first that is not."""
        if self._judge is None or self._plan is None or self.survey.records < COUNTED:
            return
        while lines.more() and not lines.block.skipped:
            if lines.block is not self._screened:
                self._screen(lines.block)
            if not self._accept_lines(lines, self._plan, self._judge) or lines.at < len(lines.block.lines):
                return

    def _screen(self, block: "Block") -> None:
        """The texts of the lines where nothing rare stands in any of them; none otherwise."""
        self._screened = block
        data = b"".join(block.lines)
        self._texts, self._crlf = texts_of(data)
        if not self._is_plain(data) or any(mark in data for mark in MARKS) or self.header.is_in(data):
            self._texts = []

    def _accept_lines(self, lines: "Physical", plan: "Plan", judge: "Judge") -> int:
        """Count rows from the next line on; the number of those that were counted."""
        survey, width, (delimiter, quoting) = self.survey, len(self.columns), self.dialect
        note, start, first = survey.duplicates.keys.append, survey.records, lines.block.line + lines.at
        number = start
        for at in range(lines.at, len(self._texts)):
            text = self._texts[at]
            if (quoting and '"' in text) or len(text) > LONGEST:
                break
            fields = text.split(delimiter)
            if len(fields) != width or not NA.isdisjoint(fields):
                break
            asked = judge(fields, first + number - start, number + 1)
            if asked is None:
                break
            number += 1
            note(flat_key(asked or self._ordered(fields)))
            self.cells.last(fields[-1])
        count = number - start
        if count:
            self.ends.passed(count, first, crlf=self._crlf)
            survey.columns.more(plan.kind, range(first, first + count), range(start + 1, number + 1))
            survey.records = number
            lines.passed(count)
        return count

    def accept(self, row: "Row", raw: bytes) -> bool:
        """Whether the row was counted; if not, it must be explained."""
        if self._judge is None or self._plan is None or len(raw) > LONGEST or CONTROL.search(raw.rstrip(b"\r\n")):
            return False
        survey = self.survey
        number = survey.records + 1
        if not self._is_plain(raw):
            return False
        asked = self._judge(row.fields, row.first.number, number)
        if asked is None:
            return False
        survey.duplicates.keys.append(flat_key(asked or self._ordered(row.fields)))
        survey.columns.more(self._plan.kind, range(row.first.number, row.first.number + 1), range(number, number + 1))
        survey.records = number
        return True


def texts_of(data: bytes) -> tuple[list[str], bool]:
    """The whole lines of a block as texts, and whether they end in CRLF; none where a control or no UTF-8 is among them."""
    ends, returns = data.count(b"\n"), data.count(b"\r")
    if (returns and not returns == data.count(b"\r\n") == ends) or RARE.search(data):
        return [], False
    try:
        return data.decode().split("\r\n" if returns else "\n")[:ends], returns > 0
    except UnicodeDecodeError:
        return [], False
