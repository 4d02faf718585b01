"""Pairs that have the same requests are tested together, each with its own rounding error."""

import numpy as np
import polars as pl

from lexiframe.core.pairwise.arrays.one_measure import Pairs
from lexiframe.core.significance.differences import group_by_requests

SIZES = [1.0, 1e3, 1e6, 1e9]
"""The scores of the four runs are so large, and so is what rounding may do to them."""
NAN = np.nan


def pairs():
    """Differences of four runs over four requests, which not all pairs have."""
    a, b = np.triu_indices(4, k=1)
    scores = np.array(SIZES) * np.array([[1.0], [2.0], [3.0], [4.0]])
    values = scores[:, a] - scores[:, b]
    for request, pair in [(0, 1), (0, 4), (3, 2), (1, 0), (2, 0), (3, 0)]:
        values[request, pair] = NAN
    runs, queries = pl.Series(["a", "b", "c", "d"]), pl.Series(["q1", "q2", "q3", "q4"])
    return Pairs(queries, runs, a, b, values, scores)


def test_each_difference_keeps_its_values_and_its_rounding():
    of = pairs()
    for chosen in ([0, 1, 2, 3, 4, 5], [1, 2, 4, 5], [5, 3], [4]):
        seen = []
        for pair, d in group_by_requests(of, np.array(chosen)):
            for column, n in enumerate(pair.tolist()):
                seen.append(n)
                requests = [q for q in range(4) if not np.isnan(of.values[q, n])]
                assert d.values[:, column].tolist() == of.values[requests, n].tolist()
                largest = [max(of.scores[q, of.a[n]], of.scores[q, of.b[n]]) for q in requests]
                assert d.rounding[:, column].tolist() == [1e-12 * x for x in largest]
        assert sorted(seen) == sorted(chosen)


def test_pairs_with_the_same_requests_come_together():
    together = [pair.tolist() for pair, _ in group_by_requests(pairs(), np.arange(6))]
    assert sorted(together) == [[0], [1, 4], [2], [3, 5]]
