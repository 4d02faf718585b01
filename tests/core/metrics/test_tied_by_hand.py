"""Metrics over tied orders against means that are taken over all orders, or by hand."""

from itertools import combinations
from statistics import fmean, pstdev

import pytest

import lexiframe as lf


def values_of(scores, qrels, measures):
    p = lf.positions({"a": {"q": scores}}, {"q": qrels}, ties="expected", judged=True)
    table = lf.scores(p, measures).select("measure", "value", "ties_sd")
    return {measure: of for measure, *of in table.rows()}


def test_two_items_in_a_group_of_three():
    """Rank 1 has no relevant item, of ranks 2 to 4 two have one, and a third was not retrieved."""
    found = values_of(
        {"u": 2, "x": 1, "y": 1, "v": 1},
        {"x": 1, "y": 1, "z": 1},
        ["AP", "RR", "R@2", "R@3", "Success@2"],
    )
    known = {"AP": 1 / 3, "RR": 4 / 9, "R@2": 2 / 9, "R@3": 4 / 9, "Success@2": 2 / 3}
    assert {name: value for name, (value, _) in found.items()} == pytest.approx(known)
    assert found["RR"][1] == pytest.approx(1 / 162**0.5)


def test_a_user_who_stops_in_a_group():
    found = values_of({"x": 1, "y": 1}, {"x": 3, "y": 1}, ["ERR"])
    assert found["ERR"] == [pytest.approx(185 / 512), None]


@pytest.mark.parametrize("cutoff", [3, 5, 6])
def test_deviations_of_sums_over_pairs_of_ranks(cutoff):
    """Four of ranks 2 to 6 have a relevant item: AP² has pairs of pairs of ranks."""
    scores = {"u": 2} | dict.fromkeys(["w", "x", "y", "z", "v"], 1)
    of_orders = [
        sum((level + 1) / rank for level, rank in enumerate(ranks) if rank <= cutoff) / 4
        for ranks in combinations(range(2, 7), 4)
    ]
    found = values_of(scores, dict.fromkeys("wxyz", 1), [f"AP@{cutoff}"])
    known = [fmean(of_orders), pstdev(of_orders)]
    assert found[f"AP@{cutoff}"] == pytest.approx(known, abs=1e-12)
