"""Measures over random orders of equal scores: their means, shares and positions."""

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given

import lexiframe as lf
from lexiframe.study.tie_spread import spread
from lexiframe.study.tie_spread.random_orders import RandomOrders, distinct_places
from tests import oracle
from tests.strategies import SUBTOPICS, collections

TIED = {"a": {"q": {"x": 1, "u": 1, "v": 1}}, "b": {"q": {"x": 1, "u": 1, "v": 1}}}
QRELS = {"q": {"x": 1}}
FAR = 5
"""Standard errors within which a sampled number lies, in about all of a million cases."""


@pytest.mark.parametrize("places, items", [(7, 3), (4, 2), (4, 3), (4, 4), (1, 1)])
def test_all_assignments_of_places_are_equally_likely(places, items):
    n, rng = 12_000, np.random.default_rng(0)
    group = np.repeat(np.arange(n), items)
    drawn = distinct_places(group, np.full(n * items, places), rng).reshape(n, items)
    found = Counter(map(tuple, drawn.tolist()))
    assert all(len({*row}) == items for row in found)
    number = np.prod(range(places - items + 1, places + 1))
    assert len(found) == number
    assert max(abs(k - n / number) for k in found.values()) <= FAR * (n / number) ** 0.5


def test_a_run_and_its_copy_are_ordered_independently():
    """Also when the orders are drawn some at a time."""
    s = lf.tie_spread(TIED, QRELS, "RR", draws=3000)
    assert s["mean"].to_list() == pytest.approx([11 / 18] * 2, abs=FAR * s["error"].max())
    assert s["sd"].to_list() == pytest.approx([(13 / 162) ** 0.5] * 2, abs=0.01)
    assert s["error"].to_list() == pytest.approx((s["sd"] / 3000**0.5).to_list())
    d = lf.tie_spread(TIED, QRELS, ["RR>AP", "LR"], pairs=True, draws=3000)
    shares = d.select("p_better", "p_equal", "p_worse").to_numpy()
    assert shares == pytest.approx(1 / 3, abs=FAR * (2 / 9 / 3000) ** 0.5)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert d["mean"].to_list() == pytest.approx((shares[:, 0] - shares[:, 2]).tolist())


def test_a_seed_and_no_ties(monkeypatch):
    whole = lf.tie_spread(TIED, QRELS, "RR", draws=9, seed=3)
    assert whole.equals(lf.tie_spread(TIED, QRELS, "RR", draws=9, seed=3))
    assert not whole.equals(lf.tie_spread(TIED, QRELS, "RR", draws=9, seed=4))
    monkeypatch.setattr(spread, "_ROWS", 8)
    parts = lf.tie_spread(TIED, QRELS, "RR", draws=9, seed=3)  # four at a time, and one
    assert {round(9 * 6 * mean) for mean in parts["mean"]} <= {*range(18, 55)}
    runs = {"a": {"q": {"x": 2, "u": 1}}, "b": {"q": {"u": 2, "x": 1}}}
    untied = lf.tie_spread(runs, QRELS, "RR", draws=9)
    assert untied.select("mean", "sd", "error").rows() == [(1, 0, 0), (0.5, 0, 0)]
    one = lf.tie_spread(TIED, QRELS, "RR", draws=1)
    assert one.select("sd", "error").null_count().row(0) == (2, 2)


def test_functions_of_the_user_and_measures_without_a_closed_form():
    def first(ranks, grades, n):
        return 1 / ranks[0]

    def higher(ranks):
        return np.sign(ranks[:, 0] - ranks[:, 0, None])

    s = lf.tie_spread(TIED, QRELS, [first, "gm_map", "RR"], draws=50)
    rows = {row[1:] for row in s.filter(run="a").select("measure", "mean", "sd").rows()}
    assert len(rows) == 2  # first is RR
    d = lf.tie_spread(TIED, QRELS, [first, higher, "LR"], pairs=True, draws=50)
    assert d.select("p_better", "p_equal", "p_worse").n_unique() == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
@given(collections(max_runs=3, max_queries=3, iterations=SUBTOPICS))
def test_positions_are_those_of_possible_orders(collection):
    """Ranks differ and lie in the spans of their groups, and levels follow them."""
    runs, qrels = collection
    depth = 3 if runs.height % 2 else None
    for how in ({"judged": True}, {"subtopics": True}):
        p = lf.positions(runs, qrels, ties="expected", depth=depth, **how)
        drawn = RandomOrders.find(p).positions(3, np.random.default_rng(0))
        assert drawn.columns == [name for name in p.columns if not name.startswith("tied")]
        assert drawn.equals(drawn.sort(*drawn.columns[: 3 + ("subtopics" in how)]))
        spans = p.select("run", "query_id", "doc_id", "tied_from", "tied_to").unique()
        drawn = drawn.with_columns(pl.col("query_id").str.slice(2), draw=pl.col("query_id"))
        found = drawn.join(spans, on=["run", "query_id", "doc_id"], how="left")
        assert found.height == 3 * p.height
        within = pl.col("position").is_between(
            "tied_from", pl.min_horizontal("tied_to", "n_retrieved")
        )
        missing = (pl.col("tied_from") == pl.col("tied_to")) & (
            pl.col("tied_to") <= pl.col("n_retrieved")
        )
        assert found.filter(pl.col("position").is_not_null(), ~within).is_empty()
        assert found.filter(pl.col("position").is_null(), missing).is_empty()
        ranked = drawn.select("run", "draw", "doc_id", "position").drop_nulls().unique()
        assert ranked.height == ranked.unique(["run", "draw", "position"]).height
        assert ranked.height == ranked.unique(["run", "draw", "doc_id"]).height
        lists = drawn.drop_nulls("level").partition_by(
            "run", "draw", *["subtopic"] * ("subtopics" in how)
        )
        for items in lists:
            by_level = items.sort("level")
            assert by_level["level"].to_list() == [*range(1, items.height + 1)]
            keys = by_level.select("position", "relevance").rows()
            late = [(p is None, p or grade) for p, grade in keys]
            assert late == sorted(late)
            assert items["n_relevant"].to_list() == [items.height] * items.height


def conformance_cases(shared):
    text = (shared / "conformance" / "ties" / "small_cases.json").read_text(encoding="utf-8")
    cases = json.loads(text)
    for case in cases["cases"][::3]:
        yield case, {"q": case["qrels"]}, case["depth"]
    for case in cases["subtopic_cases"][::3]:
        rows = [("q", t, d, g) for t, judged in case["qrels"].items() for d, g in judged.items()]
        columns = ["query_id", "subtopic", "doc_id", "relevance"]
        yield case, pl.DataFrame(rows, schema=columns, orient="row"), None


@pytest.mark.slow
@pytest.mark.conformance
@pytest.mark.filterwarnings("ignore::lexiframe.LexiframeWarning")
def test_means_and_shares_are_those_of_all_orders(shared):
    """Of every measure, whether it has a closed form or not."""
    draws, n_means, n_shares = 1000, 0, 0
    for case, qrels, depth in conformance_cases(shared):
        runs = {run: {"q": scores} for run, scores in case["runs"].items()}
        names = {name for of_run in case["scores"].values() for name in of_run}
        s = lf.tie_spread(runs, qrels, sorted(names), draws=draws, depth=depth)
        for run, name, mean, sd in s.select("run", "measure", "mean", "sd").rows():
            expected = case["scores"][run][name]
            spread_of_orders = expected["ties_sd"] or sd
            far = FAR * spread_of_orders / draws**0.5 + 1e-12
            assert mean == pytest.approx(expected["value"], abs=far), (run, name)
            n_means += 1
        d = lf.tie_spread(runs, qrels, [*case["preferences"]], pairs=True, draws=draws, depth=depth)
        for name, mean, error, *shares in d.drop("query_id", "run_a", "run_b", "sd").rows():
            expected = case["preferences"][name]
            assert mean == pytest.approx(expected["preference"], abs=FAR * error + 1e-12), name
            for share, p in zip(shares, expected.get("p", shares), strict=True):
                far = FAR * (p * (1 - p) / draws) ** 0.5 + 1e-9
                assert share == pytest.approx(p, abs=far), name
                n_shares += "p" in expected
    assert n_means > 500
    assert n_shares > 1000


def test_items_beyond_the_depth_follow_by_grade():
    runs = {"a": {"q": {"x": 1, "y": 1, "z": 1}}}
    grades = {"x": 3, "y": 1, "z": 2}
    p = lf.positions(runs, {"q": grades}, ties="expected", depth=1)
    drawn = RandomOrders.find(p).positions(20, np.random.default_rng(0))
    for order in drawn.partition_by("query_id"):
        found = order.drop_nulls("position")["doc_id"].to_list()
        expected = [grade for _, grade in oracle.project(found, grades)]
        assert order.sort("level")["relevance"].to_list() == expected


def test_what_cannot_be_sampled():
    with pytest.raises(lf.LexiframeError, match="found RPP, which compares two runs; say pairs=Tr"):
        lf.tie_spread(TIED, QRELS, "RPP")
    with pytest.raises(
        lf.LexiframeError, match="tie_spread: expected measures of the judged items"
    ):
        lf.tie_spread(TIED, QRELS, "ILD")
    with pytest.raises(
        lf.LexiframeError, match="or none of them, found both; ask for them in two calls"
    ):
        lf.tie_spread(TIED, QRELS, "RR strec@1")
    with pytest.raises(lf.LexiframeError, match="expected draws to be a whole number from 1"):
        lf.tie_spread(TIED, QRELS, "RR", draws=0)
