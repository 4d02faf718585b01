"""Search lengths of rankings written by hand, in fractions, and which of them are exact."""

from fractions import Fraction

import pytest

import lexiframe as lf

RANKS = {"one": [4], "two": [1, 6], "three": [2, 3, 9]}
"""By request, the ranks of all relevant items."""
BY_HAND = {
    "ISL": lambda p: p[0],
    "TSL": lambda p: p[-1],
    "ASL": lambda p: Fraction(sum(p), len(p)),
    "SL1": lambda p: p[0] - 1,
    "SL3": lambda p: p[-1] - len(p),
    "RE": lambda p: Fraction(sum(p), len(p)) - Fraction(len(p) + 1, 2),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_values_in_fractions(name):
    run = {query: {f"d{rank}": 10.0 - rank for rank in range(1, 11)} for query in RANKS}
    qrels = {query: {f"d{rank}": 1 for rank in ranks} for query, ranks in RANKS.items()}
    found = lf.scores(lf.positions({"a": run}, qrels), name)
    expected = {query: float(BY_HAND[name](ranks)) for query, ranks in RANKS.items()}
    assert dict(found.select("query_id", "value").rows()) == expected


@pytest.mark.parametrize("name", BY_HAND)
def test_whole_numbers_are_exact(name):
    assert getattr(lf, name).is_exact


def test_a_search_length_of_ones_own_is_not_known_to_be_exact():
    root = lf.SearchLength("root", exposure=lambda p: p.sqrt(), weight=lambda i, m: i == m)
    tenths = lf.SearchLength("tenths", exposure=lf.ASL.exposure, weight=lambda i, m: 0.1 * i)
    assert not root.is_exact
    assert not tenths.is_exact
