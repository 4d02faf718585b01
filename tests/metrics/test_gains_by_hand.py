"""Variants of nDCG of one ranking of every order of its items, against the oracle's loops."""

from itertools import permutations

import pytest

import lexiframe as lf
from tests import oracle

GRADES = {"d0": 3, "d1": 1, "d2": 0, "d3": 1, "missed": 2}
DOCUMENTS = ["d0", "d1", "d2", "d3", "x"]
"""The third is judged not relevant, and the last is not judged; one relevant is never found."""


@pytest.mark.parametrize("name", ["G", "ndcg_rel", "Rndcg"])
@pytest.mark.parametrize("n", [2, 5])
def test_each_order_of_the_documents(name, n):
    orders = [*permutations(DOCUMENTS, n)]
    runs = {f"{k:03}": {"q": {d: -float(i) for i, d in enumerate(o)}} for k, o in enumerate(orders)}
    found = lf.scores(lf.positions(runs, {"q": GRADES}), name)
    values = dict(found.select("run", "value").rows())
    for k, order in enumerate(orders):
        assert values[f"{k:03}"] == pytest.approx(getattr(oracle, name)(order, GRADES), abs=1e-12)
