"""Intervals and tests of coverage, evenness and exposure hold what they promise, on real lists.

`python tests/benchmarks/beyond.py` has more users and trials.
"""

import pytest

from tests.benchmarks import beyond


@pytest.mark.slow
def test_intervals_and_errors(shared):
    folder = shared / "data" / "movielens_100k" / "runs"
    of = beyond.lists(folder)
    n_items = int(max(items.max() for items in of.values()))
    table = beyond.measured(100, 200, of, n_items)
    assert table["values"].is_between(0.91, 0.99).all()
    assert table["differences"].is_between(0.91, 0.99).all()
    assert (table["errors"] <= 0.1).all()
    # of a list that is nearly the same for everybody a few items decide
    assert table.filter(measure="Coverage@10")["pop_count"].item() < 0.92
