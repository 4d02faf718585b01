"""Ties of random rankings: closed forms against enumeration, exact fractions and the paper."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

import lexiframe as lf
from lexiframe.theory import distinct_values, tie_probability

METHODS = {
    "RR": lambda p, k, m: p[0],
    "TSE": lambda p, k, m: p[-1],
    "R@3": lambda p, k, m: sum(rank <= 3 for rank in p),
    "P@3": lambda p, k, m: sum(rank <= 3 for rank in p),
    "Rprec": lambda p, k, m: sum(rank <= m for rank in p),
    "LR": lambda p, k, m: p,
    "LP": lambda p, k, m: p,
}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "n, m", [(n, m) for n in (1, 2, 3, 5, 8, 12) for m in range(1, n + 1) if comb(n, m) < 300]
)
def test_closed_forms_are_what_enumeration_counts(method, n, m):
    values = [METHODS[method](p, n, m) for p in combinations(range(1, n + 1), m)]
    ties = sum(a == b for a in values for b in values)
    expected = Fraction(ties, len(values) ** 2)
    assert tie_probability(method, n, m) == pytest.approx(float(expected), rel=1e-12)
    assert distinct_values(method, n, m) == len({*values})


def exact(method, n, m, k=None):
    """The formulas of the paper in exact fractions."""
    if method == "TSE":
        terms = (comb(i - 1, m - 1) for i in range(m, n + 1))
    else:
        terms = (comb(k, i) * comb(n - k, m - i) for i in range(m + 1))
    return Fraction(sum(term**2 for term in terms), comb(n, m) ** 2)


@pytest.mark.parametrize("n", [1000, 10_000])
@pytest.mark.parametrize("m", [1, 10, 50])
def test_closed_forms_are_exact_fractions(n, m):
    for method, k in [("TSE", None), ("R@1000", 1000), ("R@100", 100), ("Rprec", m)]:
        expected = float(exact(method, n, m, k))
        assert tie_probability(method, n, m) == pytest.approx(expected, rel=1e-11)
    assert tie_probability("RR", n, m) == tie_probability("TSE", n, m)
    assert tie_probability("LP", n, m) == pytest.approx(1 / comb(n, m), rel=1e-15)


@pytest.mark.parametrize("method, k", [("R@1000", 1000), ("Rprec", 500)])
def test_a_million_items(method, k):
    expected = float(exact(method, 10**6, 500, k))
    assert tie_probability(method, 10**6, 500) == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_the_last_rank_among_a_million():
    """Σ P(p_m = i)², with each probability as a quotient of whole numbers, some of them."""
    n, m = 10**6, 3
    terms = Fraction(sum(comb(i - 1, m - 1) ** 2 for i in range(m, n + 1)), comb(n, m) ** 2)
    assert tie_probability("TSE", n, m) == pytest.approx(float(terms), rel=1e-9)


@pytest.mark.parametrize(
    "method, n, printed",
    [
        ("TSE", 10**3, 0.005),
        ("R@1000", 10**4, 0.313),
        ("R@1000", 10**5, 0.826),
        ("R@1000", 10**6, 0.980),
        ("Rprec", 10**4, 0.980),
        ("Rprec", 10**5, 0.998),
    ],
)
def test_the_papers_numbers(method, n, printed):
    """For ten relevant items. For R-precision at n = 1000 it prints 0.825; 0.82566 comes out."""
    assert round(tie_probability(method, n, 10), 3) == printed
    assert round(tie_probability("Rprec", 10**3, 10), 5) == 0.82566


def test_given_the_first_rank():
    n, m = 9, 3
    vectors = [*combinations(range(1, n + 1), m)]
    for first in range(1, n - m + 2):
        share = Fraction(sum(p[0] == first for p in vectors), len(vectors))
        assert tie_probability("RR", n, m, first=first) == pytest.approx(float(share), rel=1e-13)
        assert tie_probability("LP", n, m, first=first) == pytest.approx(1 / len(vectors))


def test_measures_as_objects():
    assert tie_probability(lf.R @ 1000, 10**4, 10) == tie_probability("R@1000", 10**4, 10)
    assert tie_probability(lf.TSE(lf.AP), 99, 5) == tie_probability("TSE", 99, 5)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("RR", 3, 4), "expected 1 ≤ m ≤ n, m relevant items among n, found m = 4, n = 3"),
        (("RR", 3, 0), "expected 1 ≤ m ≤ n, m relevant items among n, found m = 0, n = 3"),
        (("AP", 9, 3), "there is no closed form for AP; expected RR, TSE, R@k"),
        (("R", 9, 3), "there is no closed form for R; expected RR"),
        (("RR@5", 9, 3), "there is no closed form for RR@5; expected RR"),
        (("TSE(AP)@5", 9, 3), r"there is no closed form for TSE\(AP\)@5; expected RR"),
        (("TSE(Rprec)", 9, 3), r"there is no closed form for TSE\(Rprec\); expected RR"),
    ],
)
def test_what_is_refused(arguments, message):
    for function in (tie_probability, distinct_values):
        with pytest.raises(lf.LexiframeError, match=message):
            function(*arguments)


def test_other_arguments_that_are_refused():
    with pytest.raises(TypeError, match=r"expected n to be a whole number, found a float: 3\.5"):
        tie_probability("RR", 3.5, 1)
    with pytest.raises(
        lf.LexiframeError, match=r"expected first from 1 to n − m \+ 1 = 3, found 4"
    ):
        tie_probability("RR", 4, 2, first=4)
    with pytest.raises(lf.LexiframeError, match="first is for RR and LP, found TSE"):
        tie_probability("TSE", 4, 2, first=1)
