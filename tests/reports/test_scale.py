"""Columns of a chart: every step has one, however far outside the first and the last it lies."""

import pytest

from trainproof_ci.reports.scale import column_of


@pytest.mark.parametrize(
    ("step", "steps", "column"),
    [
        (0.0, (0.0, 10.0), 0),
        (5.0, (0.0, 10.0), 30),
        (10.0, (0.0, 10.0), 59),
        (7e269, (0.0, 1.2e-38), 59),
        (-7e269, (0.0, 1.2e-38), 0),
        (1e308, (-1.7e308, 1.7e308), 0),
    ],
)
def test_every_step_has_a_column(step: float, steps: tuple[float, float], column: int) -> None:
    assert column_of(step, steps, 60) == column
