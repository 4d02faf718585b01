"""Positions as arrays: tables in any order, and those that are not of all runs and requests."""

import polars as pl
import pytest

import lexiframe as lf

ROWS = [
    ("a", "q1", "d1", 1, 1, 2),
    ("a", "q1", "d2", 4, 2, 2),
    ("a", "q2", "d1", 2, 1, 1),
    ("b", "q1", "d1", 3, 2, 2),
    ("b", "q1", "d2", 2, 1, 2),
    ("b", "q2", "d1", None, 1, 1),
]
COLUMNS = ["run", "query_id", "doc_id", "position", "level", "n_relevant"]


def positions(rows, relevance=1.0):
    p = pl.DataFrame(rows, schema=COLUMNS, orient="row")
    return p.with_columns(relevance=pl.lit(relevance), n_retrieved=pl.lit(9))


EXPECTED = lf.preferences(positions(ROWS), ["RPP", "LR"])


@pytest.mark.parametrize(
    "order", [[5, 4, 3, 2, 1, 0], [0, 3, 1, 4, 2, 5], [2, 0, 1, 3, 4, 5], [3, 4, 5, 0, 1, 2]]
)
def test_rows_in_any_order(order):
    assert EXPECTED.filter(measure="RPP")["preference"].to_list() == [0.0, 1.0]
    assert EXPECTED.filter(measure="LR")["preference"].to_list() == [-1.0, 1.0]
    found = lf.preferences(positions([ROWS[n] for n in order]), ["RPP", "LR"])
    assert found.equals(EXPECTED)


@pytest.mark.parametrize("greatest", [2**15 - 1, 2**15, 2**31 - 1, 2**31, 2**40])
def test_ranks_at_the_ends_of_integer_types(greatest):
    """The greatest rank is still better than that of an item that was not retrieved."""
    rows = [*ROWS[:2], ("a", "q2", "d1", greatest, 1, 1), *ROWS[3:]]
    found = lf.preferences(positions(rows), ["RPP", "LR"]).filter(query_id="q2")
    assert found["preference"].to_list() == [1.0, 1.0]
