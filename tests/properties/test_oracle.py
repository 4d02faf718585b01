"""The oracle gives the numbers that SPEC works out, and scipy's where SPEC has none."""

import math
from fractions import Fraction

import pytest
from scipy import stats

from tests import oracle
from tests.oracle import positions_of

pytestmark = pytest.mark.slow

X = [(2, 4), (3, 3), (7, 1), (9, 3), *[(None, y) for y in (1, 1, 2, 4, 5)]]
Y = [(1, 3), (3, 4), (4, 5), (5, 3), (8, 1), (9, 1), *[(None, y) for y in (1, 2, 4)]]
"""Two rankings of one request: (rank, grade) of its relevant items."""


def test_imputation():
    items = [(2, 1), (3, 1), (8, 1), (None, 1), (None, 1), (None, 1)]
    assert positions_of(oracle.impute_pessimistic(items, n=100)) == [2, 3, 8, 98, 99, 100]
    assert positions_of(oracle.impute_optimistic(items, n_retrieved=10)) == [2, 3, 8, 11, 12, 13]


def test_recall_paired_preference():
    assert [len(positions_of(X, y)) for y in oracle.thresholds(X)] == [9, 6, 5, 3, 1]
    assert oracle.RPP(X, Y, rel=1) == Fraction(-5, 9)
    assert oracle.RPP(X, Y) == Fraction(-12, 24)
    assert oracle.weighted_RPP(X, Y, lambda i, m: 1) == pytest.approx(-0.5)


def test_levels():
    signs = [s_i for *_, s_i in oracle.levels(X, Y)]
    assert (len(signs), sum(signs)) == (24, -12)
    assert oracle.levels(X, Y)[0] == (1, 1, (2, 4), (1, 3), -1)
    assert oracle.levels(X, Y)[-1] == (5, 1, (None, 5), (4, 5), -1)


def test_metric_lexirecall():
    assert oracle.leximin_weights(3, 9) == [Fraction(w, 1331) for w in (11, 110, 1210)]
    assert oracle.metric_LR([1, 2, 4], 9) == Fraction(-(11 + 220 + 4840), 1331)
    ranks = [oracle.lexicographic_rank(p, [[1, 4], [2, 3], [1, 4]], True) for p in ([1, 4], [2, 3])]
    assert ranks == [1, 2]


def test_lexicographic_preferences():
    a, b = positions_of(X), positions_of(Y)
    assert (oracle.LR(a, b), oracle.deciding_level(a, b, largest=True)) == (-1, 6)
    assert (oracle.LP(a, b), oracle.deciding_level(a, b, largest=False)) == (-1, 1)
    assert oracle.rrLP(a, b) == 1 / 2 - 1
    assert oracle.rrLR(a, b) == -1 / 9


def test_interleaving():
    a, b = "abcd", "beaf"
    assert "".join(oracle.interleaved(a, b)) == "abecdf"
    assert "".join(oracle.interleaved(b, a)) == "baecfd"
    assert oracle.OI(a, b, {"a", "e"}) == Fraction(1, 2)
    assert oracle.dcgOI(a, b, {"a", "e"}) == pytest.approx(1 / (1 + 1 / math.log2(3)), abs=1e-15)
    assert oracle.OI(a, b, {"a", "e", "x"}) == Fraction(1, 3)
    assert oracle.dcgOI(a, b, {"a", "e", "x"}) == pytest.approx(0.469279, abs=1e-6)
    assert oracle.OI("a", "bcda", {"a", "d"}) == Fraction(1, 2)
    assert oracle.interleaved("abc", "") == oracle.interleaved("", "abc") == [*"abc"]
    assert "".join(oracle.interleaved("a", "bcd")) == "abcd"
    assert "".join(oracle.interleaved("bcd", "a")) == "bacd"


def test_interleaving_down_to_a_rank():
    def shown(first, second):
        return "".join(oracle.interleaved(first, second, to_the_end=False))

    a, b = "abcd", "beaf"
    assert (shown(a, b), shown(b, a)) == ("abecd", "baecf")
    assert oracle.rankOI(a, b, {"a", "e"}) == Fraction(3, 10)
    assert shown("abc", "") == shown("", "abc") == ""
    assert (shown("a", "bcd"), shown("bcd", "a")) == ("a", "ba")


def test_order():
    ranking = [("a", 1.0, 1), ("b", 2.0, 2), ("c", 1.0, 3), ("d", 1 + 2**-40, 4)]
    assert "".join(oracle.order(ranking)) == "bdca"
    assert "".join(oracle.order(ranking, "doc_id_asc")) == "bdac"
    assert "".join(oracle.order(ranking, "input", "float32")) == "bacd"
    assert oracle.float32(1e300) == math.inf
    assert oracle.float32(0.1) != 0.1


def test_markov_chains():
    cycle = {("a", "b"), ("b", "c"), ("c", "a")}
    over_d = {(run, "d") for run in "abc"}
    assert oracle.mc4("abcd", cycle | over_d) == pytest.approx(
        dict.fromkeys("abc", 4 / 3) | {"d": 1}
    )
    assert oracle.mc4("ab", set()) == {"a": 0.5, "b": 0.5}
    assert oracle.mc4("abc", {("a", "b")}) == {"a": 3, "b": 1, "c": 2}
    assert oracle.mc4_iterations("ab", {("a", "b")}, 2) == pytest.approx({"a": 0.875, "b": 0.125})


def test_where_a_chain_ends():
    """c, d and e lead in a circle, and d also to a, the others to b.

    To a it is 4/7 from d = 1/2 + c/2, 1/7 from c = e/2 and 2/7 from e = d/2.
    """
    beats = {("a", "d"), ("c", "d"), ("b", "c"), ("e", "c"), ("b", "e"), ("d", "e")}
    expected = {frozenset("a"): Fraction(2, 5), frozenset("b"): Fraction(3, 5)}
    assert oracle.ending("abcde", beats) == expected
    v, chain = dict.fromkeys("abcde", 0.2), oracle.transitions("abcde", beats)
    for _ in range(400):
        v = oracle.step(chain, v)
    assert v == pytest.approx({"a": 0.4, "b": 0.6, "c": 0, "d": 0, "e": 0}, abs=1e-12)


def test_kendall():
    x, y = [1, 2.5, 2.5, 4, 5], [2, 1, 3.5, 3.5, 5]
    tau = oracle.kendall_tau_b(dict(enumerate(x)), dict(enumerate(y)))
    assert tau == pytest.approx(stats.kendalltau(x, y).statistic)


@pytest.mark.parametrize("ν", range(1, 12))
def test_student_t(ν):
    for t in (0.0, 0.1, 1.0, 2.5, 30.0):
        assert oracle.t_cdf_inside(t, ν) == pytest.approx(1 - 2 * stats.t.sf(t, ν), rel=1e-12)
    assert oracle.t_quantile_inside(0.95, ν) == pytest.approx(stats.t.ppf(0.975, ν), rel=1e-10)


def test_paired_tests():
    d_q = [0.5, 0.25, 0.75, -0.25, 0.0, 0.5]
    found, expected = oracle.t_test(d_q), stats.ttest_1samp(d_q, 0)
    assert found["statistic"] == pytest.approx(expected.statistic)
    assert found["p_value"] == pytest.approx(expected.pvalue)
    assert oracle.sign_test(d_q)["p_value"] == pytest.approx(stats.binomtest(4, 5).pvalue)


def test_corrections():
    assert oracle.bonferroni([0.01, 0.4]) == [0.02, 0.8]
    assert oracle.holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]
