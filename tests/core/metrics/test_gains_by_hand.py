"""Variants of nDCG of one ranking of every order of its items, against the oracle's loops."""

from itertools import permutations

import polars as pl
import pytest

import lexiframe as lf
from tests import oracle
from tests.frames import assert_identical

pytestmark = pytest.mark.slow  # its room has quicker tests

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


@pytest.mark.filterwarnings("ignore:positive grades below rel")
def test_metrics_together_have_the_ideals_of_each_alone():
    """Cut-offs share the terms of an ideal ranking; grades that count, gains and exposures do not.

    The last metrics have functions that depend on the cut-off, and a gain that falls with the
    grade, whose ideal ranking begins with the lower grade.
    """
    runs = {"a": {"q": {"d3": 4.0, "x": 3.0, "d0": 2.0, "d1": 1.0}, "r": {"d0": 2.0, "d1": 1.0}}}
    qrels = {"q": GRADES, "r": {"d0": 1, "d1": 3, "d2": 2, "d3": 3}}
    slow = lf.GradedMetric("slow", exposure=lambda p: 1 / p, gain=lambda y, *, cutoff: y**cutoff)
    near = lf.GradedMetric(
        "near", exposure=lambda p, *, cutoff: 1 - p / (2 * cutoff), gain=lambda y: y
    )
    fall = lf.GradedMetric("fall", exposure=lambda p: 1 / p, gain=lambda y: 4 - y)
    kinds = [lf.nDCG, lf.nDCG(dcg="exp-log2"), lf.nDCG(rel=2), lf.nDCG(rel=3), slow, near, fall]
    measures = [kind @ k for kind in kinds for k in (3, 1, 2, 9)]
    p = lf.positions(runs, qrels)
    columns = ["run", "query_id", "measure", "value"]
    together = lf.scores(p, [lf.nDCG, *measures]).select(columns)
    alone = pl.concat(lf.scores(p, measure).select(columns) for measure in [lf.nDCG, *measures])
    assert_identical(together, alone.sort("run", "query_id", "measure"))
    by_hand = dict(together.filter(pl.col("query_id") == "q").select("measure", "value").rows())
    assert by_hand["fall@2"] == pytest.approx((3 / 1) / (3 / 1 + 3 / 2))
    assert by_hand["fall@1"] == 1.0
    assert by_hand["slow@2"] == pytest.approx((1 / 1) / (9 / 1 + 4 / 2))
    assert by_hand["near@3"] == pytest.approx(
        (1 * 5 / 6 + 3 * 3 / 6) / (3 * 5 / 6 + 2 * 4 / 6 + 1 * 3 / 6)
    )
