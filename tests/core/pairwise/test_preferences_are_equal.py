"""Preferences that compute the same are equal, whatever is said of them."""

import pytest

import lexiframe as lf

KINDS = [lf.RPP, lf.LR, lf.LP, lf.parse_measure("rrLP"), lf.parse_measure("dcgRPP")]


@pytest.mark.parametrize("preference", KINDS, ids=str)
def test_what_it_computes_counts(preference):
    others = [preference(rel=2), preference @ 5, preference(rel=2) @ 5, preference @ 6]
    assert len({preference, *others}) == 5
    assert [lf.parse_measure(str(other)) for other in others] == others
