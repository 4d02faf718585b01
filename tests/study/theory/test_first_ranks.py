"""Ties of the first relevant items: by all rankings of a few items, and by the scalar function."""

from itertools import combinations

import pytest

import lexiframe as lf
from lexiframe.theory import first_rank_ties, tie_probability


@pytest.mark.parametrize("m", [1, 2, 5, 7])
def test_by_all_rankings(m):
    n = 7
    firsts = [ranks[0] for ranks in combinations(range(1, n + 1), m)]
    table = first_rank_ties(n, m)
    assert table["first"].to_list() == [*range(1, n - m + 2)]
    for _, first, found in table.rows():
        assert found == pytest.approx(firsts.count(first) / len(firsts), rel=1e-12)


def test_it_is_the_tie_probability_of_reciprocal_rank():
    table = first_rank_ties(50_000, [1, 500], [1, 10, 1000, 49_900])
    assert table.select("m", "first").rows() == [
        (1, 1), (1, 10), (1, 1000), (1, 49_900), (500, 1), (500, 10), (500, 1000),
    ]  # fmt: skip
    for m, first, found in table.rows():
        assert found == pytest.approx(tie_probability("RR", 50_000, m, first=first), rel=1e-9)


def test_what_is_refused():
    with pytest.raises(lf.LexiframeError, match="expected ranks from 1, found 0"):
        first_rank_ties(10, 2, [0, 1])
    with pytest.raises(lf.LexiframeError, match="expected 1 ≤ m ≤ n"):
        first_rank_ties(10, [2, 11])
