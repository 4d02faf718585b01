"""Sums that tie with the observed one count, whichever side a test asks about, as in fractions."""

from fractions import Fraction
from itertools import product

import pytest

import lexiframe as lf
from tests.small_tables import preferences

TENTHS = [1, 2, -3, 4, 3, -7]
"""In tenths: of the sums of these with other signs, many are the same in whole numbers only."""


def by_enumeration(tenths, alternative):
    """The share of all choices of signs whose sum is at least as extreme, in fractions."""
    observed = sum(tenths)
    sums = [
        sum(sign * x for sign, x in zip(signs, tenths, strict=True))
        for signs in product((1, -1), repeat=len(tenths))
    ]
    extreme = {
        "greater": lambda drawn: drawn >= observed,
        "less": lambda drawn: drawn <= observed,
        "two-sided": lambda drawn: abs(drawn) >= abs(observed),
    }[alternative]
    return Fraction(sum(map(extreme, sums)), len(sums))


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("order", [1, -1])
def test_randomization_counts_ties_on_both_sides(alternative, sign, order):
    tenths = [sign * x for x in TENTHS[::order]]
    d = preferences({"ab": [x / 10 for x in tenths]})
    found = lf.compare(d, "randomization", alternative=alternative)["p_value"].item()
    assert found == pytest.approx(float(by_enumeration(tenths, alternative)), rel=1e-12)
