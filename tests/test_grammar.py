"""Messages are written for many; one thing is told in the singular."""

import pytest

from trainproof_ci.grammar import counted


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("1 records are too few", "1 record is too few"),
        ("2 in the first of 1 rows", "2 in the first of 1 row"),
        ("1 of 1 entries, 21 rows, 0.1 bytes", "1 of 1 entry, 21 rows, 0.1 bytes"),
        ("1 lines end CRLF (1 blocks)", "1 line ends CRLF (1 block)"),
        ("1 weight matrices are zero", "1 weight matrix is zero"),
        ("≥ 1 records; at most 1 losses.", "≥ 1 record; at most 1 loss."),
        ("41 s, 1 records", "41 s, 1 record"),
        ("1 of 3 messages and 1 s", "1 of 3 messages and 1 s"),
        ("step 1", "step 1"),
        ("1 other", "1 other"),
        ("1 bytes follow", "1 byte follows"),
    ],
)
def test_one_thing_is_told_in_the_singular(written: str, told: str) -> None:
    assert counted(written) == told
    assert counted(told) == told
