"""The fast way for rows of a table: what is proved harmless is counted, what is not is handed to every record rule.

The proofs are those of JSON Lines; a row differs only in that its raw bytes hold control characters as they are.
"""

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from trainproof_ci.readers.dataset.duplicates import flat_key
from trainproof_ci.readers.dataset.fast import SHAPES, Plan, asks, plan
from trainproof_ci.readers.dataset.harmless import Judge, judge_for
from trainproof_ci.readers.dataset.screens import is_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from trainproof_ci.readers.dataset.delimited import Row
    from trainproof_ci.readers.dataset.survey import Survey

CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]")
LONGEST = 1 << 16
"""Bytes; longer rows are explained."""


class QuickRows:
    """Accepts rows that are like one that was explained before."""

    def __init__(self, survey: "Survey", columns: list[str]) -> None:
        self.survey, self.columns = survey, columns
        self._plan: Plan | None = None
        self._judge: Judge | None = None
        self._ordered: Callable[[Any], Any] = tuple
        self._asks = survey.shape is not None and asks(survey.shape)
        self._allowed = self._is_allowed()

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

    def accept(self, row: "Row", raw: bytes) -> bool:
        """Whether the row was counted; if not, it must be explained."""
        if self._judge is None or self._plan is None or len(raw) > LONGEST or CONTROL.search(raw.rstrip(b"\r\n")):
            return False
        survey = self.survey
        number = survey.records + 1
        if not is_plain(raw):
            return False
        asked = self._judge(row.fields, row.first.number, number)
        if asked is None:
            return False
        survey.duplicates.keys.append(flat_key(asked or self._ordered(row.fields)))
        survey.columns.more(self._plan.kind, range(row.first.number, row.first.number + 1), range(number, number + 1))
        survey.records = number
        return True
