"""Top-heaviness, worst and best cases over populations: by plain loops, and the theorems."""

from itertools import combinations

import pytest

import lexiframe as lf
from lexiframe.theory import top_heaviness, worst_and_best
from tests import oracle

STRICT = lf.RecallLevelMetric("strict", exposure=lambda p: 1 / p, weight=lambda i, m: 1 / m**2)
METRICS = {
    "AP": oracle.AP,
    "RR": oracle.RR,
    "nDCG": lambda p: oracle.nDCG([(rank, 1) for rank in p]),
    "strict": lambda p: sum(1 / rank for rank in p) / len(p) ** 2,
}
EXPOSURES = {
    "AP": lambda p: 1 / p,
    "RR": lambda p: 1 / p,
    "nDCG": lambda p: 1 / oracle.math.log2(p + 1),
    "strict": lambda p: 1 / p,
}


def test_two_rankings_are_compared_although_they_are_the_last_ones():
    """A constant exposure does not tell one from the other."""
    same = lf.RecallLevelMetric("same", exposure=lambda p: 1.0 + 0 * p, weight=lambda i, m: 1 / m)
    found = worst_and_best(same, n=2, m=1)
    assert found["value_holds"].all()
    assert not found["order_holds"].any()
    assert set(found["counterexample"]) == {"[1] and [2] are in another order"}


def test_one_item_has_no_case():
    assert top_heaviness("AP", 4, [1, 2]).rows() == [
        ("AP", 1, 0, None, "no case"),
        ("AP", 2, 6, True, None),
    ]


def decreasing(p, name, population):
    """What a ranking gives to each member, the greatest first."""
    e = EXPOSURES[name]
    if population == "requirements":
        return sorted((e(rank) for rank in p), reverse=True)
    if population == "users":
        return sorted((METRICS[name](u) for u in oracle.subsets(p)), reverse=True)
    return sorted((sum(e(rank) for rank in v) for v in oracle.subsets(p)), reverse=True)


def preferred(x, y, *, best):
    """The sign at the first (leximax) or the last place (leximin) where two vectors differ."""
    places = range(len(x)) if best else reversed(range(len(x)))
    differ = [x[i] - y[i] for i in places if abs(x[i] - y[i]) > 1e-12]
    return oracle.sgn(differ[0]) if differ else 0


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("n, m", [(5, 1), (5, 2), (6, 3), (6, 5)])
def test_populations_by_loops(name, n, m):
    rankings = [[*p] for p in combinations(range(1, n + 1), m)]
    table = worst_and_best(STRICT if name == "strict" else name, n, m)
    assert table.height == 5
    for row in table.iter_rows(named=True):
        best = row["case"] == "best"
        of = {tuple(p): decreasing(p, name, row["population"]) for p in rankings}
        values = all(
            of[tuple(p)][0 if best else -1]
            == pytest.approx(EXPOSURES[name](p[0 if best else -1]), abs=1e-12)
            for p in rankings
        )
        reference = oracle.LP if best else oracle.LR
        orders = all(
            preferred(of[tuple(a)], of[tuple(b)], best=best) == reference(a, b)
            for a, b in combinations(rankings, 2)
        )
        assert row["members"] == len(of[tuple(rankings[0])])
        assert (row["value_holds"], row["order_holds"]) == (values, orders)
        assert (row["counterexample"] is None) == (values and orders)


def test_the_theorems_hold():
    """B.1 to B.6 of lexirecall for all its metrics; the best case of lexiprecision for RR."""
    table = worst_and_best(["AP", "RR", "nDCG", "RBP", "R@3"], 7, 4)
    strict = table.filter(case="worst").remove(measure="R@3")
    assert strict["value_holds"].all()
    assert strict["order_holds"].all()
    best = table.filter(case="best", measure="RR")
    assert best["value_holds"].all()
    assert best["order_holds"].all()
    fails = table.filter(case="best", population="users", measure="AP")
    assert not fails["value_holds"].item()
    flat = table.filter(case="worst", population="users", measure="R@3")  # e does not fall strictly
    assert flat.select("value_holds", "order_holds").row(0) == (True, False)


def test_what_is_refused():
    for function in (top_heaviness, worst_and_best):
        with pytest.raises(lf.LexiframeError, match="expected recall-level or graded metrics"):
            function("LR", 5, 2)
        with pytest.raises(lf.LexiframeError, match="12 relevant items, to try all subsets of"):
            function("AP", 13, 13)
        with pytest.raises(lf.LexiframeError, match="expected 1 ≤ m ≤ n"):
            function("AP", 3, 4)
        with pytest.raises(lf.LexiframeError, match="at most 1,000 rankings"):
            function("AP", 40, 4)
