"""The sentences that reports share: where else a rule fired."""

import pytest
from made_reports import finding

from trainproof_ci.places import Location, Places
from trainproof_ci.reports.wording import elsewhere


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
