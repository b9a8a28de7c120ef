"""The sentences that reports share: where else a rule fired."""

import pytest
from made_reports import finding

from trainproof_ci.model import Coverage
from trainproof_ci.places import Location, Places
from trainproof_ci.reports.wording import elsewhere, place, skips_in_short


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([4], ""),
        ([4, 9], "2 places: lines 4, 9"),
        ([4, 4, 9], "3 places: lines 4, 9"),
        ([1] * 12, "12 places"),
        (list(range(1, 13)), "12 places: lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …"),
    ],
)
def test_lines_are_listed_once_and_only_where_they_differ(lines: list[int], told: str) -> None:
    places = Places(*(Location("a.json", line=line) for line in lines))
    assert elsewhere(finding()._replace(places=places)) == told


def test_records_of_an_array_on_one_line_are_told_by_number() -> None:
    places = Places(*(Location("a.json", line=1, record=record) for record in (8, 12)))
    assert place(places.shown[0]) == "a.json:1 record 8"
    assert elsewhere(finding()._replace(places=places)) == "2 places: records 8, 12"
    assert place(Location("a.jsonl", line=8, record=8)) == "a.jsonl:8"


def test_what_the_format_rules_out_is_only_counted() -> None:
    skipped = {
        "TP-A": "no loss in this log",
        "TP-B": "only for tables; this is jsonl",
        "TP-C": "no turns in the shape text",
    }
    assert (
        skips_in_short(Coverage((), skipped))
        == "no loss in this log (TP-A); 2 rules are about other formats and shapes"
    )
