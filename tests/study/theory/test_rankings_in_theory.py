"""Orientation, optimal rankings, orders, axioms and simulations, against formulas and loops."""

from functools import cache
from itertools import combinations, permutations
from math import comb, log2, sqrt

import numpy as np
import polars as pl
import pytest

import lexiframe as lf
from lexiframe.theory import (
    axioms,
    optimal_worst_case,
    order,
    orientation,
    simulate_agreement,
    simulate_ties,
)

# --- Orientation --------------------------------------------------------------------------------

N = 100_000
CLOSED = {  # precision and recall orientation of m relevant items among n
    "RR": (lambda n, m: 1 - 1 / (n - m + 1), lambda n, m: 1 - 1 / n if m == 1 else 0),
    "AP": (
        lambda n, m: (1 - 1 / (n - m + 1)) / m,
        lambda n, m: (1 / m - 1 / n) * m / m,
    ),
    "R@1000": (lambda n, m: 1 / m, lambda n, m: 1 / m),
    "Rprec": (lambda n, m: 1 / m, lambda n, m: 1 / m),
    "nDCG": (
        lambda n, m: (1 - 1 / log2(n - m + 2)) / ideal(m),
        lambda n, m: (1 / log2(m + 1) - 1 / log2(n + 1)) / ideal(m),
    ),
    "RBP(p=0.9)": (
        lambda n, m: 0.1 * (1 - 0.9 ** (n - m)),
        lambda n, m: 0.1 * (0.9 ** (m - 1) - 0.9 ** (n - 1)),
    ),
    "TSE(AP)": (lambda n, m: float(m == 1), lambda n, m: 1),
    "TSE(nDCG)": (lambda n, m: float(m == 1), lambda n, m: 1),
}


def ideal(m):
    return sum(1 / log2(i + 1) for i in range(1, m + 1))


def test_orientation_is_what_the_formulas_say():
    found = orientation(CLOSED, N, range(1, 16))
    assert found.height == len(CLOSED) * 15
    for measure, m, precision, recall in found.rows():
        of_precision, of_recall = CLOSED[measure]
        assert precision == pytest.approx(of_precision(N, m), rel=1e-9, abs=1e-12), (measure, m)
        assert recall == pytest.approx(of_recall(N, m), rel=1e-9, abs=1e-12), (measure, m)


def test_orientation_of_a_search_length_is_of_its_negative():
    """Total search length: from rank n to rank m, n − m items less are read."""
    row = orientation("TSL", 100, 4).row(0, named=True)
    assert (row["precision_orientation"], row["recall_orientation"]) == (0, 96)


def test_m_may_be_any_whole_number_or_several():
    found = orientation("RR", 100, np.int64(4))
    assert found.equals(orientation("RR", 100, 4))
    assert found.equals(orientation("RR", 100, [4, 4]))


# --- Optimal rankings ---------------------------------------------------------------------------


OPTIMAL = ["AP", "nDCG", "RR", "Rprec", "RBP", "R@2"]


@pytest.mark.parametrize("measure", OPTIMAL)
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_optimal_rankings_by_enumeration(measure, m):
    """Over all orders of the relevant items, and all users who need some of them."""
    items = range(m)
    worst, means = [], []
    for size in range(1, m + 1):
        for needed in combinations(items, size):
            values = [
                values_of_ranks()[measure, *sorted(ranks.index(item) + 1 for item in needed)]
                for ranks in permutations(items)
            ]
            means.append(sum(values) / len(values))
            worst.append(values[0])
    found = optimal_worst_case(measure, m).row(0)
    assert found == pytest.approx((m, min(worst), min(means)), abs=1e-12)


@cache
def values_of_ranks():
    """Score all sets of relevant ranks from 1 to 5 of eight items, each set as a request."""
    sets = [ranks for size in range(1, 6) for ranks in combinations(range(1, 6), size)]
    requests = {" ".join(map(str, ranks)): ranks for ranks in sets}
    run = {"r": {query: {f"d{rank}": -rank for rank in range(1, 9)} for query in requests}}
    qrels = {query: {f"d{rank}": 1 for rank in ranks} for query, ranks in requests.items()}
    s = lf.scores(lf.positions(run, qrels), OPTIMAL).select("measure", "query_id", "value")
    return {(name, *requests[query]): value for name, query, value in s.rows()}


def test_optimal_rankings_of_many_items():
    found = optimal_worst_case("AP", range(1, 26))
    assert found["m"].to_list() == [*range(1, 26)]
    assert found["deterministic"].to_list() == pytest.approx([1 / m for m in range(1, 26)])
    assert (found["stochastic"] > found["deterministic"]).sum() == 24


def test_the_worst_case_of_a_search_length_is_refused():
    for measure in ("ASL(n=9)", "LR"):
        with pytest.raises(
            lf.LexiframeError,
            match="optimal_worst_case: expected a recall-level or graded",
        ):
            optimal_worst_case(measure, 3)


# --- Orders -------------------------------------------------------------------------------------


def test_lexicographic_orders_are_chains_and_others_are_not():
    assert order("LP", 6, 3).height == order("LR", 6, 3).height == comb(6, 3) - 1
    assert order("RR", 6, 3).height > comb(6, 3) - 1


def test_a_preference_that_is_no_order():
    def rock(positions):
        """Each of three rankings beats the next."""
        first = positions[:, 0]
        ahead = (first[None, :] - first[:, None]) % 3
        return (ahead == 1).astype(float) - (ahead == 2)

    with pytest.raises(lf.LexiframeError, match=r"rock is no order: it prefers \[1\] to"):
        order(rock, 3, 1)


def test_too_many_rankings():
    with pytest.raises(
        lf.LexiframeError, match=r"at most 1,000 rankings, found C\(20, 9\) = 167,960"
    ):
        order("RR", 20, 9)
    with pytest.raises(
        lf.LexiframeError, match=r"at most 1,000 rankings, found C\(20, 9\) = 167,960"
    ):
        axioms("RR", 20, [1, 9])


# --- Axioms -------------------------------------------------------------------------------------

# The paper's table: recall-level metrics with e″ > 0 and z > 0 (AP, nDCG), TSE, lexirecall.
PAPER = {
    "increasing in retrieval size": (True, True, True),
    "decreasing in nonrelevance": (True, True, True),
    "strictly decreasing in nonrelevance": (False, False, False),
    "increasing in relevance": (True, True, True),
    "strictly increasing in relevance": (True, False, True),
    "increasing in swapping up": (True, True, True),
    "strictly increasing in swapping up": (True, False, True),
    "concave at each recall level": (True, True, None),
    "strictly concave at each recall level": (True, False, None),
    "suffix invariant": (False, False, False),
    "prefix invariant": (False, False, False),
    "localised": (False, False, None),
}


@pytest.fixture(scope="module")
def table():
    return axioms(["AP", "nDCG", "RR", "RBP", "TSE(AP)", "LR", "LP"], 9, [1, 2, 3])


def holds(table, method, name):
    return table.filter(pl.col("method") == method, pl.col("property") == name)["holds"].item()


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER)
def test_the_papers_table_of_properties(table, name):
    """Lexirecall strictly increases in swapping up by enumeration, which the paper leaves open."""
    strict, tse, lexirecall = PAPER[name]
    assert [holds(table, method, name) for method in ("AP", "nDCG", "TSE(AP)", "LR")] == [
        strict,
        strict,
        tse,
        lexirecall,
    ]


@pytest.mark.slow
def test_concavity_read_literally_fails(table):
    """A swap deeper in the ranking can concern a recall level that weighs more."""
    name = "concave in contiguous swap depth"
    said = {
        row["method"]: row["counterexample"]
        for row in table.filter(pl.col("property") == name).iter_rows(named=True)
    }
    assert said["AP"].startswith("in [6, 8] the item at 6 gains 0.01667, that at 8 0.01786")
    assert said["TSE(AP)"].startswith("in [2, 4] the item at 2 gains 0, that at 4 0.08333")
    assert said["nDCG"] is None
    assert holds(table, "LR", name) is None


def test_properties_of_single_metrics(table):
    """What a class does not guarantee a metric may have."""
    assert [holds(table, m, "complete") for m in ("AP", "RR", "TSE(AP)")] == [False, True, True]
    assert [holds(table, m, "bounded") for m in ("AP", "RBP")] == [True, True]
    assert [holds(table, m, "realisable") for m in ("AP", "RBP", "TSE(AP)")] == [True, False, False]
    assert not holds(table, "RR", "strictly increasing in relevance")


def test_counterexamples_are_there_where_a_property_fails(table):
    failed = table.filter(~pl.col("holds"))
    assert failed["counterexample"].null_count() == 0
    assert table.filter(pl.col("holds"))["counterexample"].null_count() == table["holds"].sum()
    unknown = table.filter(pl.col("holds").is_null())
    drop_values = unknown.filter(pl.col("counterexample").is_null())
    assert drop_values["method"].unique().sort().to_list() == ["LP", "LR"]
    rest = unknown.filter(pl.col("counterexample").is_not_null())  # graded, so it has no z(0, 0)
    assert rest.rows() == [("nDCG", "complete", None, "no case")]


# --- Simulations --------------------------------------------------------------------------------

AGREEMENT = {  # of 10,000 pairs, as the paper prints it: n = 10³, 10⁴, 10⁵, 10⁶
    "TSE(AP)": (1.000, 1.000, 1.000, 1.000),
    "AP": (0.541, 0.552, 0.554, 0.547),
    "nDCG": (0.535, 0.549, 0.555, 0.554),
    "Rprec": (0.285, 0.077, 0.008, 0.001),
    "R@1000": (0.000, 0.420, 0.179, 0.026),
}


@pytest.mark.slow
@pytest.mark.parametrize("place", range(4))
def test_agreement_with_the_worst_case_is_as_printed(place):
    """Within four standard errors of the difference of two samples of 10,000 pairs."""
    found = simulate_agreement(AGREEMENT, 10 ** (3 + place), pairs=10_000, seed=7)
    for measure, agreement in found.select("measure", "agreement").rows():
        printed = AGREEMENT[measure][place]
        error = sqrt(2 * max(printed * (1 - printed), 1e-3) / 10_000)
        assert abs(agreement - printed) < 4 * error + 0.0005, measure
    assert found["tied"].unique().len() == 1
    (coin,) = found["random"].unique()
    assert abs(coin - 0.5) < 4 * 0.5 / sqrt(10_000)


def test_ties_by_depth():
    found = simulate_ties(["RR", "LR", "AP"], 500, [1, 10, 100, 500], pairs=500, seed=1, m=5)
    assert found["depth"].unique().to_list() == [1, 10, 100, 500]
    for measure in ("RR", "LR", "AP"):
        rates = found.filter(pl.col("measure") == measure)["tie_rate"].to_list()
        assert rates == sorted(rates, reverse=True)
    assert found.filter(pl.col("depth") == 1)["tie_rate"].n_unique() == 1


def test_a_seed_gives_the_same_pairs_whatever_the_measures():
    both = simulate_agreement(["AP", "RPP"], 1000, pairs=50, seed=5)
    alone = simulate_agreement("RPP", 1000, pairs=50, seed=5)
    assert both.filter(pl.col("measure") == "RPP").equals(alone)
    assert not simulate_agreement("RPP", 1000, pairs=50, seed=6).equals(alone)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"m": (9, 3)}, r"expected m as \(least, greatest\), found \(9, 3\)"),
        ({"m": 11}, "found m = 11, n = 10"),
        ({"pairs": 0, "m": 2}, "expected pairs to be a whole number from 1, found 0"),
        ({"seed": -1, "m": 2}, "expected seed to be a whole number from 0, found -1"),
    ],
)
def test_simulations_that_are_refused(options, message):
    with pytest.raises(lf.LexiframeError, match=message):
        simulate_agreement("RR", 10, **options)
    with pytest.raises(lf.LexiframeError, match=message):
        simulate_ties("RR", 10, [5], **options)
    with pytest.raises(lf.LexiframeError, match=r"expected depths from 1, found \[0\]"):
        simulate_ties("RR", 10, [0], m=2)
