"""Explanations over tied orders: each column sums to the expectation, and levels have chances."""

import json

import polars as pl
import pytest

import lexiframe as lf

RUNS = {
    "a": {"q": {"x": 3, "u": 2, "y": 2, "v": 2, "w": 1}},
    "b": {"q": {"u": 3, "x": 2, "v": 1, "y": 1}},
}
QRELS = {"q": {"x": 1, "y": 1}}


def expected(**options):
    return lf.positions(RUNS, QRELS, ties="expected", **options)


def test_levels_have_the_ranks_and_chances_of_their_groups():
    """y is at 2, 3 or 4 in a, and at 3 or 4 in b: it is sooner in a with 1/3 + 1/3 · 1/2."""
    table = lf.explain(expected(), "q", "a", "b", ["LR", "LP"])
    ranks = table.select("low_a", "high_a", "low_b", "high_b").rows()
    assert ranks == [(1, 1, 2, 2), (2, 4, 3, 4)]
    assert table["sign"].to_list() == [1, None]
    assert table["p_better"].to_list() == pytest.approx([1, 1 / 2])
    assert table["p_worse"].to_list() == pytest.approx([0, 1 / 6])
    assert table["LR"].to_list() == pytest.approx([1 / 3, 1 / 3])
    assert table["LP"].to_list() == [1, 0]
    assert table["decides"].to_list() == ["LP", None]


def test_a_run_and_its_copy_are_independent():
    table = lf.explain(expected(), "q", "a", "a", ["LR"])
    assert table["p_equal"].to_list() == pytest.approx([1, 1 / 3])
    assert table["p_better"].to_list() == pytest.approx([0, 1 / 3])


@pytest.mark.filterwarnings("ignore:no relevant document was retrieved:lexiframe.LexiframeWarning")
def test_columns_sum_to_preferences_and_scores(shared):
    """All reference cases, with cut-offs and depths inside groups."""
    preferences = ["RPP", "dcgRPP", "RPP@2", "LR", "LP", "LR@2", "LP@2", "rrLR", "rrLP"]
    metrics = ["AP", "RR", "nDCG", "nDCG@3", "RBP"]
    path = shared / "conformance/ties/small_cases.json"
    for case in json.loads(path.read_text())["cases"]:
        runs = {run: {"q": scores} for run, scores in case["runs"].items()}
        p = lf.positions(runs, {"q": case["qrels"]}, ties="expected", depth=case["depth"])
        table = lf.explain(p, "q", "a", "b", [*preferences, *metrics])
        for name, found in lf.preferences(p, preferences).select("measure", "preference").rows():
            assert table[name].sum() == pytest.approx(found, abs=1e-12)
        for run, name, found in lf.scores(p, metrics).select("run", "measure", "value").rows():
            assert table[f"{name}_{run}"].sum() == pytest.approx(found, abs=1e-12)


def test_metrics_that_are_no_sum_over_levels_are_refused():
    p = lf.positions(RUNS, QRELS, ties="expected", judged=True)
    with pytest.raises(lf.LexiframeError, match="has no terms of single levels over tied orders"):
        lf.explain(p, "q", "a", "b", "ERR")


def test_no_one_level_decides():
    with pytest.raises(lf.LexiframeError, match="expected one order of equal scores, found"):
        lf.preferences(expected(), "LR", deciding_level=True)


def test_optimistic_ranks_of_a_divided_group_are_refused():
    with pytest.raises(lf.LexiframeError, match="divides a group of equal scores, found"):
        lf.impute(expected(depth=3), 10, how="optimistic")


def test_imputed_ranks_have_no_expected_size():
    p = lf.impute(expected(), 10)
    with pytest.raises(lf.LexiframeError, match="rrLR of imputed ranks has no closed form"):
        lf.preferences(p, "rrLR")
    d = lf.preferences(p, "LR").select("preference", "p_better", "p_worse")
    assert d.equals(lf.preferences(expected(), "LR").select(d.columns))


def test_lists_of_one_score_are_told():
    runs = {name: {"q": {f"d{n}": 1.0 for n in range(10)}} for name in "ab"}
    with pytest.warns(lf.LexiframeWarning, match="all of one score, whose order counts for .*: 2"):
        p = lf.positions(runs, {"q": {"d3": 1}}, ties="expected")
    assert p.select("tied_from", "tied_to").rows() == [(1, 10), (1, 10)]


def test_equal_means_of_whole_numbers_tie():
    """Search lengths are exact in one order; their means are rounded, and tie within 1e-12."""
    runs = {
        "a": {"q": {"x": 2, "u": 2, "v": 2, "y": 1, "w": 1, "z": 1}},
        "b": {"q": {"x": 2, "u": 2, "v": 2, "z": 1, "y": 1, "w": 1}},
    }
    p = lf.positions(runs, {"q": {"x": 1, "y": 1, "z": 1}}, ties="expected")
    d = lf.preferences(p, ["ASL(n=9)", "RE(n=9)"])
    assert d["preference"].to_list() == [0, 0]
    assert lf.scores(p, "ASL(n=9)").select(pl.col("ties_sd").null_count()).item() == 2
