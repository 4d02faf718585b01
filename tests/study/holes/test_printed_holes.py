"""What is printed of a sensitivity to holes: tables written by hand, counted by loops."""

import polars as pl
import pytest

from lexiframe.study.holes.results import HoleSensitivity
from lexiframe.study.holes.schemas import HOLE_CALIBRATION, HOLE_PAIRS, HOLE_VALUES

PAIRS = [  # run_a, run_b, mean preference, share of the draws that keep the order
    ("a", "b", 0.2, 0.5),
    ("a", "c", 0.0, 0.5),  # a tie has no order that could change
    ("a", "d", -0.1, 0.95),  # enough
    ("b", "c", -0.3, 0.9499),
    ("b", "d", None, 0.1),
]
CALIBRATION = [  # run, measure, inside before, inside, factor
    ("a", "AP", True, True, 2.0),
    ("b", "AP", False, True, 3.0),
    ("c", "AP", False, False, 1.0),
    ("a", "P@5", True, True, 1.0),
]


def table(schema, rows):
    filled = [dict.fromkeys(schema.columns) | row for row in rows]
    return pl.DataFrame(filled, schema=schema.columns)


@pytest.fixture
def found():
    pairs = [
        {"measure": "AP", "run_a": a, "run_b": b, "mean_preference": mean, "share_widened": share}
        for a, b, mean, share in PAIRS
    ]
    hidden = [
        dict(run=run, measure=name, inside_before=before, inside=after, factor=factor)
        for run, name, before, after, factor in CALIBRATION
    ]
    return HoleSensitivity(
        table(HOLE_VALUES, [{"run": "a", "measure": "AP", "value": 0.123456}]),
        table(HOLE_PAIRS, pairs),
        table(HOLE_CALIBRATION, hidden),
    )


def test_shares_of_intervals_before_and_after_widening(found):
    kept = [*found.sections().values()][2]
    assert kept.columns == ["measure", "runs", "before", "after", "factor"]
    assert kept.rows() == [("AP", 3, 0.3333, 0.6667, 3.0), ("P@5", 1, 1.0, 1.0, 1.0)]


def test_numbers_have_four_digits(found):
    values = next(iter(found.sections().values()))
    assert values["value"].to_list() == [0.1235]
